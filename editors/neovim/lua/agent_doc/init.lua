-- The public functions of the plugin. :AgentDoc, the mappings and configurations call them. There
-- is no setup() to call.
local api = vim.api
local documents = require('agent_doc.documents')
local messages = require('agent_doc.messages')
local prompt = require('agent_doc.prompt')
local questions = require('agent_doc.questions')
local server = require('agent_doc.server')
local turns = require('agent_doc.turns')
local undo = require('agent_doc.undo')

local M = {}

local function complain(why) messages.tell(why, vim.log.levels.ERROR) end

--- Executes a command of the server for the current document; starts the server if needed. Returns
--- false and shows why if the command cannot be sent.
local function execute(command, argument, done)
  local buffer = api.nvim_get_current_buf()
  local problem = documents.problem(buffer)
  if problem then
    complain(problem)
    return false
  end
  local was_running = server.client() ~= nil
  local ok, why = server.execute(buffer, command, argument, done)
  if not ok then
    complain(why)
    return false
  end
  if not was_running then documents.look_at_all() end
  return true
end

--- Like execute(), but does not start a server: without one, nothing runs.
local function execute_if_open(command, argument, done)
  if server.is_open(api.nvim_get_current_buf()) then return execute(command, argument, done) end
  complain('nothing runs in this document')
end

--- Sends the open prompt. While a turn runs, it waits for its end.
---@param options? {agent?: string, model?: string, prompt?: string}
function M.run(options)
  local buffer = api.nvim_get_current_buf()
  undo.end_step(buffer)
  local prompt_end = prompt.press(buffer)
  local sent = execute(
    'agentDoc.run',
    function() return vim.tbl_extend('force', { promptEnd = prompt_end() }, options or {}) end,
    function(error, result)
      if error or result.queued then prompt.refused(buffer) end
      if not error and result.queued then
        messages.tell('queued: it goes when the turn is done (:AgentDoc unqueue takes it back)')
      end
    end
  )
  if not sent then return prompt.refused(buffer) end
  prompt.wait(buffer)
end

--- Stops the turn; the received text of the reply stays.
function M.stop()
  execute_if_open('agentDoc.stop', {}, function(error, result)
    if not error and not result.stopped then messages.tell('nothing runs in this document') end
  end)
end

--- Says the prompt below a growing reply to the agent at once. Where it cannot hear it, it waits
--- for the end of the turn, which the server tells.
function M.steer()
  undo.end_step(api.nvim_get_current_buf())
  execute_if_open('agentDoc.steer', {}, function(error, result)
    if not error and result.steered then messages.tell('said: it is read at the next step') end
  end)
end

--- Takes the queued prompt back; its text stays.
function M.unqueue()
  execute_if_open('agentDoc.unqueue', {}, function(error, result)
    if error then return end
    messages.tell(result.unqueued and 'taken back: it is not sent' or 'nothing is queued')
  end)
end

--- Runs the last prompt again and replaces its reply.
function M.retry()
  undo.end_step(api.nvim_get_current_buf())
  execute('agentDoc.retry', {})
end

--- Makes the next run begin a new session.
function M.new()
  undo.end_step(api.nvim_get_current_buf())
  execute('agentDoc.newSession', {}, function(error)
    if not error then messages.tell('the next run begins a new session') end
  end)
end

--- Shows what a run would send in a read-only file.
function M.show() execute('agentDoc.showPrompt', {}) end

--- Lets the change on the cursor's line count as seen by the agent; `all`: all of them.
---@param options? {all?: boolean}
function M.leave_out(options)
  local argument = {}
  if not (options or {}).all then
    argument.position = { line = api.nvim_win_get_cursor(0)[1] - 1, character = 0 }
  end
  execute('agentDoc.leaveOut', argument, function(error, result)
    if error then return end
    local what = result.places == 1 and '1 change counts' or result.places .. ' changes count'
    messages.tell(what .. ' as seen: not sent with the next run')
  end)
end

--- Writes the rest of a reply that was undone, or whose place was deleted.
function M.continue() execute_if_open('agentDoc.continueReply', {}) end

--- Inserts what is missing of the last reply, for example after a crash.
function M.recover()
  undo.end_step(api.nvim_get_current_buf())
  execute('agentDoc.recoverReply', {})
end

local opened_fork = nil ---@type string? the URI of the document that fork() opened last

--- Copies the document into one that continues in a fork of its session, and opens it.
---@param options? {target?: string, turn?: integer, mods?: table}
function M.fork(options)
  options = options or {}
  execute('agentDoc.fork', { target = options.target, turn = options.turn }, function(error, result)
    if error then return end
    opened_fork = result.uri
    local mods = options.mods or {}
    local splits = mods.vertical
      or mods.horizontal
      or (mods.split or '') ~= ''
      or (mods.tab or -1) >= 0
    vim.cmd({
      cmd = splits and 'split' or 'edit',
      args = { vim.uri_to_fname(result.uri) },
      mods = mods,
      magic = { file = false },
    })
  end)
end

--- Returns whether fork() has already opened this document where the person wanted it, and clears
--- that. The server asks to show it, too.
function M.has_opened_fork(uri)
  local has_opened = uri == opened_fork
  if has_opened then opened_fork = nil end
  return has_opened
end

--- Answers the agent's question. Lets the person choose if `option` is nil.
---@param option? string the id of an option
function M.answer(option)
  local turn = turns.of(api.nvim_get_current_buf())
  if not (turn and turn.permission) then
    return complain('the agent of this document is not asking anything')
  end
  local function send(chosen)
    execute(
      'agentDoc.answer',
      { turn = turn.turn, permission = turn.permission.id, option = chosen },
      function(error, result)
        if error or result.accepted then return end
        messages.tell(
          ('the question was already answered, or `%s` is not one of its answers'):format(chosen),
          vim.log.levels.WARN
        )
      end
    )
  end
  if option then
    send(option)
  else
    questions.choose(turn, send)
  end
end

--- Returns the names of the installed agents, or an empty list if the server does not run.
---@return string[]
function M.agents()
  local installed = vim.tbl_filter(function(agent) return agent.installed end, server.agents())
  return vim.tbl_map(function(agent) return agent.name end, installed)
end

--- Returns the ids of the sessions that an agent keeps for this document's folder, or an empty list
--- if the server does not run or takes longer than 3 s.
---@param agent? string
---@return string[] ids
function M.session_ids(agent)
  local listed =
    server.ask_at_once('agentDoc.sessions', { agent = agent, uri = vim.uri_from_bufnr(0) }, 3000)
  return vim.tbl_map(function(session) return session.sessionId end, listed.sessions or {})
end

--- Makes the next run continue a session that the agent keeps. Lets the person choose if
--- `session_id` is nil.
---@param options? {agent?: string, session_id?: string}
function M.resume(options) require('agent_doc.sessions').resume(options) end

--- Lets the person choose an agent and sends it the open prompt.
function M.choose_agent()
  execute('agentDoc.agents', {}, function(error, result)
    if error then return end
    local function describe(agent)
      if not agent.installed then return agent.name .. '  (not installed)' end
      return agent.name .. (agent.default and '  (the default)' or '')
    end
    local agents = vim.tbl_filter(function(agent) return agent.installed end, result.agents)
    vim.list_extend(
      agents,
      vim.tbl_filter(function(agent) return not agent.installed end, result.agents)
    )
    local choices =
      { prompt = 'Which agent should reply?', kind = 'agent_doc_agent', format_item = describe }
    vim.ui.select(agents, choices, function(agent)
      if not agent then return end
      if not agent.installed then
        return complain(agent.howToGet or (agent.name .. ' is not installed'))
      end
      M.run({ agent = agent.name })
    end)
  end)
end

--- Shows the status of this document's turn.
function M.status()
  local turn = turns.of(api.nvim_get_current_buf())
  if not turn then return messages.tell('no turn was run in this document since it was opened') end
  local line = turns.line(turn)
  if turn.failure then line = line .. ' · ' .. turn.failure end
  messages.tell(line)
end

--- Returns the text for 'statusline' or a component of a statusline plugin; empty when nothing
--- runs. The autocommand User AgentDocTurn reports changes.
---@param buffer? integer
function M.statusline(buffer)
  if vim.in_fast_event() then return '' end
  local turn = turns.of(buffer or api.nvim_get_current_buf())
  if not turn or not (turns.is_running(turn) or turn.canContinue) then return '' end
  return (turns.line(turn):gsub('%%', '%%%%'))
end

--- Returns the last agentDoc/turn of a document (see protocol/PROTOCOL.md), or nil.
---@param buffer? integer
function M.turn(buffer) return turns.of(buffer or api.nvim_get_current_buf()) end

return M
