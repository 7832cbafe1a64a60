-- Lists the sessions that an agent keeps for the folder of a document, and continues one of them.
-- Nothing is cached: the agent is asked each time.
local api = vim.api
local documents = require('agent_doc.documents')
local messages = require('agent_doc.messages')
local server = require('agent_doc.server')

local M = {}

local function day_of(session)
  if type(session.usedMs) ~= 'number' then return '          ' end
  return os.date('%Y-%m-%d', math.floor(session.usedMs / 1000))
end

local function line_of(session)
  local title = session.title ~= '' and session.title or session.sessionId
  return day_of(session) .. '  ' .. messages.one_line(title)
end

--- Writes `agent` and `resume` into the front matter; adds front matter if needed.
local function write_front_matter(buffer, agent, session_id)
  local count, lines = documents.front_matter_rows(buffer)
  local kept = vim.tbl_filter(function(line) return not line:find('^agent%s*:') end, lines)
  vim.list_extend(kept, { 'agent: ' .. agent, 'resume: ' .. session_id })
  local block = vim.list_extend(vim.list_extend({ '---' }, kept), { '---' })
  if count == 0 then table.insert(block, '') end
  api.nvim_buf_set_lines(buffer, 0, count, true, block)
  documents.look_at(buffer)
end

local function has_session(buffer)
  local _, lines = documents.front_matter_rows(buffer)
  return vim.iter(lines):any(function(line) return line:find('^resume%s*:') ~= nil end)
end

--- Asks the server for sessions and calls `done` with its result (`agent`, `sessions`). Shows
--- errors.
local function ask(buffer, agent, done)
  local ok, why = server.execute(
    buffer,
    'agentDoc.sessions',
    { agent = agent },
    function(error, result)
      if not error then done(result) end
    end
  )
  if not ok then messages.tell(why, vim.log.levels.ERROR) end
end

--- Makes the next run of the document continue a session of its agent. Lets the person choose if
--- `session_id` is nil.
---@param options? {agent?: string, session_id?: string}
function M.resume(options)
  options = options or {}
  local buffer = api.nvim_get_current_buf()
  local problem = documents.problem(buffer)
  if not problem and has_session(buffer) then
    problem =
      'this document already has a session: use :AgentDoc new first, or another document'
  end
  if problem then return messages.tell(problem, vim.log.levels.ERROR) end
  ask(buffer, options.agent, function(listed)
    local function go_on(session)
      if not session or not api.nvim_buf_is_loaded(buffer) then return end
      write_front_matter(buffer, listed.agent, session.sessionId)
      messages.tell(
        ('the next run continues the session %s of %s'):format(session.sessionId, listed.agent)
      )
    end
    if options.session_id then return go_on({ sessionId = options.session_id }) end
    if #listed.sessions == 0 then
      return messages.tell(('%s keeps no session for %s'):format(listed.agent, listed.folder))
    end
    local choices = {
      prompt = ('Continue a session of %s:'):format(listed.agent),
      kind = 'agent_doc_session',
      format_item = line_of,
    }
    vim.ui.select(listed.sessions, choices, go_on)
  end)
end

return M
