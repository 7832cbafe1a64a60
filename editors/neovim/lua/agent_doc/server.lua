-- Runs `agent-doc serve`, one for the whole editor, as a client of Neovim's own LSP module. The
-- messages are handled in the modules of their subjects.
local api = vim.api
local display = require('agent_doc.display')
local documents = require('agent_doc.documents')
local edits = require('agent_doc.edits')
local messages = require('agent_doc.messages')
local program = require('agent_doc.program')
local questions = require('agent_doc.questions')
local turns = require('agent_doc.turns')
local undo = require('agent_doc.undo')

---@class agent_doc.Server
---@field client_id? integer
--- By URI: the last version that was sent to the server.
---@field documents table<string, {buffer: integer, version: integer}>
---@field folders table<string, true> that the server knows
---@field is_ready? boolean whether it has answered `initialize`
local Server = {}
Server.__index = Server

local M = {}

local running = nil ---@type agent_doc.Server?
--- By buffer: the calls that wait until the document is open.
local waiting = {} ---@type table<integer, function[]>
local leaving = false -- whether Neovim is exiting
local restarts = {} ---@type integer[] the times of the last automatic restarts
local kMaxRestarts, kRestartTime = 3, 60e9 -- per so many nanoseconds
local kProtocol = 1 -- the protocol version that this plugin knows
local kListTime = 300 -- in milliseconds: a completion blocks the person

-- Neovim 0.11 made the functions of a client methods.
local is_method = vim.fn.has('nvim-0.11') == 1
local function call(client, name, ...)
  if is_method then return client[name](client, ...) end
  return client[name](...)
end

local function capabilities()
  return vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), {
    general = { positionEncodings = { 'utf-8' } },
    workspace = { applyEdit = true, workspaceEdit = { documentChanges = true } },
    window = { workDoneProgress = true },
    experimental = { agentDoc = { turn = true, strictEdits = true } },
  })
end

--- Tracks the messages about documents. Neovim opens a document with version 0. We replace that
--- with the true version, so that even the first edit can be checked.
function Server:on_sent(method, params)
  local document = params and params.textDocument
  if method == 'textDocument/didOpen' then
    local buffer = vim.uri_to_bufnr(document.uri)
    document.version = api.nvim_buf_get_changedtick(buffer)
    self.documents[document.uri] = { buffer = buffer, version = document.version }
  elseif method == 'textDocument/didChange' and self.documents[document.uri] then
    self.documents[document.uri].version = document.version
  elseif method == 'textDocument/didClose' and self.documents[document.uri] then
    local buffer = self.documents[document.uri].buffer
    questions.on_closed(turns.of(buffer))
    turns.forget(buffer)
    self.documents[document.uri] = nil
  end
end

function Server:buffers()
  local buffers = {}
  for _, document in pairs(self.documents) do
    table.insert(buffers, document.buffer)
  end
  return buffers
end

--- Restarts the server and opens the documents in it, unless it has been restarted too often. This
--- must not wait: if a buffer changes while no client has it open, Neovim never reports its changes
--- again.
local function start_again(buffers)
  local now = vim.uv.hrtime()
  restarts = vim.tbl_filter(function(time) return now - time < kRestartTime end, restarts)
  if #restarts >= kMaxRestarts then return false end
  table.insert(restarts, now)
  local again = false
  for _, buffer in ipairs(buffers) do
    again = api.nvim_buf_is_loaded(buffer) and M.open(buffer) or again
  end
  return again
end

function Server:on_end(code, signal)
  local buffers = self:buffers()
  self.documents = {}
  if running == self then running = nil end
  waiting = {}
  local lost = turns.lose_all()
  questions.drop_all()
  for _, buffer in ipairs(buffers) do
    undo.end_step(buffer)
  end
  local was_stopped = code == 0 and (signal == 0 or signal == 15)
  if leaving or (was_stopped and #lost == 0) then return end
  local how = signal ~= 0 and ('was ended by signal %d'):format(signal)
    or ('ended with code %d'):format(code)
  local what = #lost > 0 and ' in the middle of a reply; the received text stays in the document'
    or ''
  local again = not was_stopped and self.is_ready and start_again(buffers)
  local next_step = again and 'It was started again.' or ':AgentDoc run starts it again.'
  messages.tell(('the server %s%s. %s'):format(how, what, next_step), vim.log.levels.ERROR)
end

--- Returns a function with which Neovim's client starts the program. It lets us see what is sent
--- and report ourselves how the program ended.
function Server:connect(command)
  return function(dispatchers)
    local on_exit = dispatchers.on_exit
    dispatchers.on_exit = function(code, signal)
      vim.schedule(function() self:on_end(code, signal) end) -- before Neovim closes the documents
      on_exit(0, 0)
    end
    local rpc = vim.lsp.rpc.start(command, dispatchers)
    local notify = rpc.notify
    rpc.notify = function(method, params)
      self:on_sent(method, params)
      return notify(method, params)
    end
    return rpc
  end
end

function Server:handlers()
  local function buffer_of(params) return (self.documents[params.uri] or {}).buffer end
  return {
    ['workspace/applyEdit'] = function(_, params) return edits.on_apply_edit(params, self) end,
    ['agentDoc/turn'] = function(_, params)
      local buffer = buffer_of(params)
      if not buffer then return end
      questions.on_turn(params)
      turns.on_turn(buffer, params)
      documents.on_turn(buffer)
    end,
    ['window/showMessageRequest'] = function(error, params, context)
      return questions.on_request(params)
        or vim.lsp.handlers['window/showMessageRequest'](error, params, context)
    end,
    ['window/showDocument'] = function(error, params, context)
      if require('agent_doc').has_opened_fork(params.uri) then return { success = true } end
      return vim.lsp.handlers['window/showDocument'](error, params, context)
    end,
    ['window/showMessage'] = function(_, params) messages.on_show_message(params) end,
    ['window/logMessage'] = function(_, params) messages.on_log_message(params) end,
  }
end

local function folder_of(buffer)
  return vim.fs.root(buffer, { '.git', '.agent-doc' })
    or vim.fs.dirname(api.nvim_buf_get_name(buffer))
end

--- Adds a workspace folder. Agents work in the folder of their document, and the server must know
--- it before the document is opened.
function Server:add_folder(client, path)
  if self.folders[path] then return end
  self.folders[path] = true
  local folder = { uri = vim.uri_from_fname(path), name = vim.fs.basename(path) }
  client.workspace_folders = vim.list_extend(client.workspace_folders or {}, { folder })
  if client.initialized then
    call(
      client,
      'notify',
      'workspace/didChangeWorkspaceFolders',
      { event = { added = { folder }, removed = {} } }
    )
  end
end

--- Warns once if the server and this plugin use different protocol versions (section 14 of
--- PROTOCOL.md).
local function compare_protocol(client)
  local announced = vim.tbl_get(client.server_capabilities, 'experimental', 'agentDoc') or {}
  local protocol = announced.protocol or kProtocol
  if protocol == kProtocol then return end
  local what = protocol > kProtocol and 'newer than this plugin: update the plugin'
    or 'older than this plugin: update the program'
  messages.tell(
    ('agent-doc %s speaks protocol %s, which is %s (it knows %d).'):format(
      announced.version or '',
      protocol,
      what,
      kProtocol
    ),
    vim.log.levels.WARN
  )
end

local function start(command, folder, buffer)
  local self = setmetatable({ documents = {}, folders = { [folder] = true } }, Server)
  vim.list_extend(command, { 'serve' })
  self.client_id = vim.lsp.start({
    name = 'agent-doc',
    cmd = self:connect(command),
    root_dir = folder,
    workspace_folders = { { uri = vim.uri_from_fname(folder), name = vim.fs.basename(folder) } },
    capabilities = capabilities(),
    handlers = self:handlers(),
    flags = { debounce_text_changes = 0 },
    on_init = function(client) -- runs again if the client is restarted
      self.client_id = client.id
      self.is_ready = true
      compare_protocol(client)
      running = self
    end,
  }, { bufnr = buffer, reuse_client = function() return false end })
  return self.client_id and self
end

--- Returns the client, or nil if the server does not run.
function M.client() return running and vim.lsp.get_client_by_id(running.client_id) end

local function ensure(folder, buffer)
  if running and M.client() and not call(M.client(), 'is_stopped') then return running end
  local command, why = program.find()
  if not command then return nil, why end
  local ok, started = pcall(start, command, folder, buffer)
  if not ok or not started then
    return nil,
      ('%s could not be started: %s'):format(command[1], ok and 'see :AgentDoc log' or started)
  end
  running = started
  return running
end

--- Returns the buffers of the documents that the server has open.
---@return integer[] buffers
function M.open_buffers() return running and running:buffers() or {} end

function M.is_open(buffer) return vim.tbl_contains(M.open_buffers(), buffer) end

--- Opens the buffer's document in the server; starts the server if needed.
---@param when_open? fun(client: vim.lsp.Client)
---@return boolean ok, string? why_not
function M.open(buffer, when_open)
  local folder = folder_of(buffer)
  local server, why = ensure(folder, buffer)
  if not server then return false, why end
  local client = assert(M.client())
  server:add_folder(client, folder)
  -- :write will do the same. Neovim reports lines wrongly that are added after a last line without
  -- a newline.
  if vim.bo[buffer].fixendofline then vim.bo[buffer].endofline = true end
  if when_open then
    waiting[buffer] = waiting[buffer] or {}
    table.insert(waiting[buffer], when_open)
  end
  if not vim.lsp.buf_attach_client(buffer, client.id) then
    return false, 'the buffer is not loaded'
  end
  M.on_open(buffer)
  return true
end

--- Runs the calls that waited for the document to be open. Also called after every LspAttach.
function M.on_open(buffer)
  local client = M.client()
  if not (client and M.is_open(buffer)) then return end
  local calls = waiting[buffer] or {}
  waiting[buffer] = nil
  for _, when_open in ipairs(calls) do
    when_open(client)
  end
end

--- Executes a command of the server for the buffer's document.
---@param argument table|fun(): table a function is called when the command is sent
---@param done? fun(error: lsp.ResponseError?, result: any)
---@return boolean ok, string? why_not
function M.execute(buffer, command, argument, done)
  return M.open(buffer, function(client)
    local given = type(argument) == 'function' and argument() or argument
    given.uri = vim.uri_from_bufnr(buffer)
    call(
      client,
      'request',
      'workspace/executeCommand',
      { command = command, arguments = { given } },
      function(error, result)
        if error then messages.tell(error.message, vim.log.levels.ERROR) end
        if done then done(error, result) end
      end,
      buffer
    )
  end)
end

--- Returns the result of a command for a completion, or an empty table if the server does not run,
--- refuses, or takes longer than `limit`.
---@param limit integer in milliseconds
function M.ask_at_once(command, argument, limit)
  local client = M.client()
  if not (client and running.is_ready) then return {} end
  local params =
    { command = command, arguments = { next(argument) and argument or vim.empty_dict() } }
  local reply = call(client, 'request_sync', 'workspace/executeCommand', params, limit, 0)
  return (reply or {}).result or {}
end

--- Returns the agents, or an empty list if the server does not run or does not answer at once.
---@return {name: string, installed: boolean}[]
function M.agents() return M.ask_at_once('agentDoc.agents', {}, kListTime).agents or {} end

--- Closes the document in the server before its buffer is renamed; it is opened again afterwards.
function M.close(buffer)
  local client = M.client()
  if client and vim.lsp.buf_is_attached(buffer, client.id) then
    vim.lsp.buf_detach_client(buffer, client.id)
  end
end

local group = api.nvim_create_augroup('agent_doc_server', {})
api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    if running and event.data.client_id == running.client_id then M.on_open(event.buf) end
  end,
})
api.nvim_create_autocmd('VimLeavePre', { group = group, callback = function() leaving = true end })

edits.on_applied(display.on_edit)
turns.on_change(display.on_turn)

return M
