-- A real Neovim with the plugin, in its own home, for one test. It runs headless (Neovim's RPC on
-- standard input and output) or in a terminal (tmux) that gets keys as a person's terminal would.
-- In both cases the test queries it through RPC.
local M = {}
local Editor = {}
Editor.__index = Editor

local here = vim.fs.dirname(vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2)))
local top = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(here)))
local program = assert(os.getenv('AGENT_DOC_PROGRAM'))
M.program = program
M.replay_agent = vim.fs.dirname(program) .. '/tests/replay_agent'
M.plugin = top .. '/editors/neovim'
M.matrix = (os.getenv('AGENT_DOC_MATRIX') or '') ~= ''

local kLimit = 20000 -- ms until a condition that does not come is a failure
local kSession = '2e0b9a6c-3c2b-4f0e-8a53-cd4f6b1e7f10'
local kColumns, kRows = 110, 36
local open = {}

function M.write_file(path, text)
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
end

function M.read_file(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

--- Fails the test unless both are equal, and says where they begin to differ.
function M.same(got, wanted, what)
  if vim.deep_equal(got, wanted) then return end
  if type(got) ~= 'string' or type(wanted) ~= 'string' then
    error(
      ('%s: expected %s, got %s'):format(what or 'value', vim.inspect(wanted), vim.inspect(got)),
      2
    )
  end
  local at = 1
  while got:byte(at) == wanted:byte(at) do
    at = at + 1
  end
  local function around(text) return vim.inspect(text:sub(math.max(at - 60, 1), at + 80)) end
  error(
    ('%s differs at byte %d:\n  expected %s\n  got      %s'):format(
      what or 'text',
      at,
      around(wanted),
      around(got)
    ),
    2
  )
end

--- Waits for a condition and returns its value.
function M.wait(what, condition, limit)
  local value
  local came = vim.wait(limit or kLimit, function()
    value = condition()
    return value
  end, 2)
  if not came then error('waited in vain: ' .. what, 2) end
  return value
end

--- Returns a document with our front matter and the given body.
function M.document(body, agent)
  return ('---\nagent_doc_session: %s\nagent: %s\n---\n\n%s'):format(
    kSession,
    agent or 'fake',
    body
  )
end

--- Returns the front matter of document() after a run.
function M.with_session(text)
  return (text:gsub('\nresume: %x+%-%x+%-%x+%-%x+%-%x+\n', '\nresume: SESSION\n'))
end

--- Configures `[agents.fake]`, a program that speaks like claude and streams words.
function M.streaming_agent(deltas, interval_ms)
  local args = ('["--deltas", "%d", "--interval-ms", "%d"]'):format(deltas, interval_ms)
  return ('[agents.fake]\ndialect = "claude"\ncommand = "%s"\nargs = %s\n'):format(
    M.replay_agent,
    args
  )
end

--- Configures `[agents.fake]`, an agent that wants to write a file of `lines` lines and then says
--- "Done.".
function M.writing_agent(lines)
  local text = {}
  for line = 1, lines do
    table.insert(text, 'line ' .. line .. '\n')
  end
  local change = { type = 'diff', path = 'new.txt', newText = table.concat(text) }
  local question = {
    toolCall = { toolCallId = 't1', title = 'Write new.txt', kind = 'edit', content = { change } },
    options = {
      { optionId = 'yes', name = 'Allow', kind = 'allow_once' },
      { optionId = 'no', name = 'Reject', kind = 'reject_once' },
    },
  }
  local modes = { currentModeId = 'ask', availableModes = { { id = 'ask', name = 'Ask' } } }
  local about = { protocolVersion = 1, agentCapabilities = vim.empty_dict() }
  local turn = {
    ['do'] = { { ask = question }, { say = 'Done.' } },
    result = { stopReason = 'end_turn' },
  }
  local script = {
    initialize = { { result = about } },
    ['session/new'] = { { result = { sessionId = 's1', modes = modes } } },
    ['session/prompt'] = { turn },
  }
  local file = vim.fn.tempname()
  M.write_file(file, vim.json.encode(script))
  local agent = vim.fs.dirname(program) .. '/tests/scripted_acp_agent'
  return ('[agents.fake]\ndialect = "acp"\ncommand = "%s"\nargs = ["%s", "%s.heard"]\n'):format(
    agent,
    file,
    file
  )
end

--- Returns what the streaming agent says in its turn number `turn`.
function M.words(deltas, turn)
  local prefix = (turn or 1) > 1 and 't' .. turn or ''
  local text = {}
  for index = 0, deltas - 1 do
    table.insert(text, prefix .. 'w' .. index .. (index % 12 == 11 and '\n' or ' '))
  end
  return (table.concat(text):gsub('%s+$', ''))
end

local function make_home(configuration)
  local home = vim.fn.tempname()
  for _, name in ipairs({ 'config/agent-doc', 'state', 'runtime', 'project', 'data' }) do
    vim.fn.mkdir(home .. '/' .. name, 'p')
  end
  vim.uv.fs_chmod(home .. '/runtime', 448)
  M.write_file(
    home .. '/config/agent-doc/config.toml',
    'default_agent = "tour"\n' .. (configuration or '')
  )
  return home
end

local function environment(home, options)
  return {
    HOME = home,
    XDG_CONFIG_HOME = home .. '/config',
    XDG_STATE_HOME = home .. '/state',
    XDG_RUNTIME_DIR = home .. '/runtime',
    XDG_DATA_HOME = home .. '/data',
    XDG_CACHE_HOME = home .. '/cache',
    AGENT_DOC_TOUR_PACE = tostring(options.tour_pace or 0),
    PATH = vim.fs.dirname(program) .. ':' .. (options.path or os.getenv('PATH')),
    TERM = 'xterm-256color',
    LANG = 'C.UTF-8',
    TMUX = '',
  }
end

---@class Options
---@field text? string of the document
---@field configuration? string of agent-doc, beside the default agent
---@field home? string of an earlier editor
---@field arguments? string[] of Neovim
---@field tour_pace? integer
---@field path? string
---@field plugin? boolean false: without the plugin of this checkout

local function prepare(options)
  local self = setmetatable({ home = options.home or make_home(options.configuration) }, Editor)
  self.document = self.home .. '/project/doc.md'
  if options.text then M.write_file(self.document, options.text) end
  self.environment = environment(self.home, options)
  self.command = { vim.v.progpath, '--clean', '-n', '-i', 'NONE' }
  if options.plugin ~= false then
    vim.list_extend(self.command, { '--cmd', 'set rtp^=' .. M.plugin })
  end
  vim.list_extend(self.command, options.arguments or {})
  table.insert(open, self)
  return self
end

--- Starts a headless Neovim.
---@param options Options
function M.headless(options)
  local self = prepare(options)
  vim.list_extend(
    self.command,
    { '--headless', '--embed', '--cmd', 'set columns=400', self.document }
  )
  self.channel = vim.fn.jobstart(
    self.command,
    { rpc = true, cwd = self.home .. '/project', env = self.environment }
  )
  assert(self.channel > 0, 'Neovim does not start')
  return self
end

local function connect(self)
  self.socket = self.home .. '/editor.sock'
  self.channel = M.wait('the editor listens', function()
    local ok, channel = pcall(vim.fn.sockconnect, 'pipe', self.socket, { rpc = true })
    return ok and channel > 0 and channel
  end)
  M.wait(
    'the document is loaded',
    function() return self:lua('return vim.v.vim_did_enter') == 1 end
  )
  self:lua([[
    vim.g.pressed = 0
    vim.keymap.set({ 'n', 'i', 'x' }, '<F12>', '<Cmd>let g:pressed += 1<CR>')
  ]])
end

--- Starts a Neovim in tmux.
---@param options Options
function M.terminal(options)
  local self = prepare(options)
  vim.list_extend(self.command, { '--listen', self.home .. '/editor.sock', self.document })
  local shell = { 'env' }
  for name, value in pairs(self.environment) do
    table.insert(shell, vim.fn.shellescape(name .. '=' .. value))
  end
  for _, word in ipairs(self.command) do
    table.insert(shell, vim.fn.shellescape(word))
  end
  self.tmux_socket = self.home .. '/tmux.sock'
  local tmux = { 'tmux', '-S', self.tmux_socket, '-f', '/dev/null', '-u' }
  -- Control mode takes commands on standard input, so a key does not need a process.
  self.tmux = vim.fn.jobstart(
    vim.list_extend(tmux, {
      '-C',
      'new-session',
      '-x',
      tostring(kColumns),
      '-y',
      tostring(kRows),
      '-c',
      self.home .. '/project',
      table.concat(shell, ' '),
    }),
    { env = { LANG = 'C.UTF-8', TMUX = '' }, clear_env = false }
  )
  -- Leave no process when the driver is interrupted.
  vim.fn.chansend(
    self.tmux,
    'set -g destroy-unattached on\nset -g status off\nset -s escape-time 0\nset -g default-terminal tmux-256color\n'
  )
  connect(self)
  return self
end

--- Starts a Neovim in our own pseudo terminal; passes its output to `on_output`.
---@param options Options
---@param on_output fun(bytes: string)
function M.raw_terminal(options, on_output)
  local self = prepare(options)
  vim.list_extend(self.command, { '--listen', self.home .. '/editor.sock', self.document })
  self.pty = vim.fn.jobstart(self.command, {
    pty = true,
    width = kColumns,
    height = kRows,
    cwd = self.home .. '/project',
    env = self.environment,
    on_stdout = function(_, data) on_output(table.concat(data, '\n')) end,
  })
  connect(self)
  return self
end

--- Runs Lua in the editor and returns its value. A Neovim that waits for a key ("Press ENTER")
--- would not answer, so that fails the test.
function Editor:lua(code, ...)
  M.wait(
    'that Neovim waits for no key',
    function() return not vim.rpcrequest(self.channel, 'nvim_get_mode').blocking end
  )
  return vim.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... })
end

function Editor:command_line(command) self:lua('vim.cmd(...)', command) end

--- Returns the text of the document as Neovim would write it.
function Editor:text()
  local lines = self:lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr("doc.md"), 0, -1, false)')
  return table.concat(lines, '\n') .. '\n'
end

--- Returns the plugin's turn of the document, or vim.NIL.
function Editor:turn()
  return self:lua([[
    local turn = require('agent_doc').turn(vim.fn.bufnr('doc.md'))
    return turn and vim.deepcopy(turn) or vim.NIL
  ]])
end

function Editor:counts() return self:lua('return require("agent_doc.edits").counts') end

function Editor:wait_for_text(piece)
  return M.wait(
    'the text has ' .. vim.inspect(piece),
    function() return self:text():find(piece, 1, true) end
  )
end

local terminal_states = { done = true, failed = true, cancelled = true, interrupted = true }

--- Waits until a turn other than `before` is over and its reply is complete.
function Editor:wait_for_end(before)
  return M.wait('the end of the turn', function()
    local turn = self:turn()
    return turn ~= vim.NIL
      and turn.turn ~= before
      and terminal_states[turn.state]
      and turn.replyLanded
      and turn
  end)
end

--- Returns the messages to the person.
function Editor:messages() return self:lua('return vim.fn.execute("messages")') end

function Editor:wait_for_message(piece)
  return M.wait(
    'a message with ' .. vim.inspect(piece),
    function() return self:messages():find(piece, 1, true) end
  )
end

local names = { CR = '\r', Esc = '\27', BS = '\127', F12 = '\27[24~', Up = '\27[A', Down = '\27[B' }

local function bytes_of(keys)
  return (
    keys
      :gsub('<C%-(%l)>', function(letter) return string.char(letter:byte() - 96) end)
      :gsub('<(%w+)>', names)
  )
end

--- Sends keys as the terminal would.
function Editor:keys(keys)
  local bytes = bytes_of(keys)
  if self.pty then
    vim.fn.chansend(self.pty, bytes)
  else
    local hex = bytes:gsub('.', function(byte) return (' %02x'):format(byte:byte()) end)
    vim.fn.chansend(self.tmux, 'send-keys -H' .. hex .. '\n')
  end
end

--- Sends keys and waits until Neovim has taken them: a key that counts follows them, in every mode.
function Editor:press(keys)
  local rest, escapes = keys:gsub('<Esc>$', '')
  if rest ~= '' then
    self:keys(rest)
    self.presses = (self.presses or 0) + 1
    self:keys('<F12>')
    M.wait(
      'the keys are taken',
      function() return self:lua('return vim.g.pressed') == self.presses end
    )
  end
  if escapes == 0 then return end
  self:keys('<Esc>') -- alone: a key that follows the escape character at once would belong to it
  M.wait(
    'Normal mode',
    function() return self:lua('return vim.api.nvim_get_mode().mode') == 'n' end
  )
end

--- Types at a pace, as a person does; calls `each` after every key.
function Editor:type(text, pace_ms)
  local due = vim.uv.hrtime()
  for _, character in ipairs(vim.fn.split(text, '\\zs')) do
    self:keys(character == '\n' and '<CR>' or character)
    due = due + pace_ms * 1e6
    vim.wait(math.max(math.floor((due - vim.uv.hrtime()) / 1e6), 0), function() return false end, 1)
  end
end

--- Returns the screen as text.
function Editor:screen()
  return vim
    .system({ 'tmux', '-S', self.tmux_socket, 'capture-pane', '-p' }, { text = true })
    :wait().stdout
end

--- Returns the screen with colours.
function Editor:screen_with_colours()
  return vim
    .system({ 'tmux', '-S', self.tmux_socket, 'capture-pane', '-p', '-e', '-N' }, { text = true })
    :wait().stdout
end

function Editor:close()
  pcall(vim.rpcnotify, self.channel, 'nvim_command', 'qall!')
  if self.tmux then
    vim.fn.jobwait({ self.tmux }, 3000)
    vim.system({ 'tmux', '-S', self.tmux_socket, 'kill-server' }):wait()
  elseif self.pty then
    vim.fn.jobwait({ self.pty }, 3000)
  else
    vim.fn.jobwait({ self.channel }, 3000)
    pcall(vim.fn.jobstop, self.channel)
  end
  for _, job in ipairs({ self.tmux or 0, self.pty or 0 }) do
    if job > 0 then pcall(vim.fn.jobstop, job) end
  end
  self.closed = true
end

--- Returns the screens of the test's editors, for a failed test.
function M.describe_all()
  local parts = {}
  for _, editor in ipairs(open) do
    if not editor.closed then
      if editor.tmux then table.insert(parts, editor:screen()) end
      local ok, messages = pcall(editor.messages, editor)
      table.insert(parts, ok and messages or 'the editor does not answer')
    end
  end
  return table.concat(parts, '\n')
end

function M.close_all()
  for _, editor in ipairs(open) do
    if not editor.closed then editor:close() end
  end
  open = {}
end

return M
