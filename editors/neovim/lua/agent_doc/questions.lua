-- Permission questions of agents. A question is shown (display.lua and a message) and waits. Only
-- :AgentDoc answer opens the choice, so a key meant for the text never answers it. Nothing is
-- allowed by default, and questions do not time out.
local messages = require('agent_doc.messages')
local settings = require('agent_doc.settings')

local M = {}

-- The server asks twice: with window/showMessageRequest, for every editor, and with agentDoc/turn,
-- which has more details. We answer the latter with a command. The request waits in its coroutine
-- until the server says that the question is closed.
--- The requests whose question has not come by agentDoc/turn yet, oldest first.
local parked = {} ---@type thread[]
local open = {} ---@type table<string, {id: string, request: thread?}> by turn

-- A message or a prompt shows so many characters from the beginning and the end of a question.
local kBegin, kEnd = 200, 100
local kShowAll = { label = 'Show all of it' }

--- Returns the question, or its beginning and end, and whether something is left out. The server
--- has already made invisible characters visible.
local function short(question)
  local text = messages.one_line(('%s: %s'):format(question.tool, question.detail))
  local length = vim.fn.strcharlen(text)
  if length <= kBegin + kEnd then return text, question.detail:find('\n') ~= nil end
  local missing = (' <… %d characters are left out here …> '):format(length - kBegin - kEnd)
  return vim.fn.strcharpart(text, 0, kBegin) .. missing .. vim.fn.strcharpart(text, length - kEnd),
    true
end

local function release(question)
  if question and question.request then coroutine.resume(question.request) end
end

--- Handles window/showMessageRequest. Returns nil if it is not a question of an agent.
function M.on_request(params)
  local first = (params.actions or {})[1]
  if not (first and first.agentDocOption) then return nil end
  table.insert(parked, (coroutine.running()))
  coroutine.yield()
  return vim.NIL
end

local function announce(turn)
  local question = turn.permission
  local message = ('%s asks for your permission: %s (:AgentDoc answer)'):format(
    turn.agent,
    (short(question))
  )
  messages.tell(message, vim.log.levels.WARN)
  local mode = vim.api.nvim_get_mode()
  if settings.get('ask_at_once') and mode.mode == 'n' and not mode.blocking then M.choose(turn) end
end

--- Handles agentDoc/turn.
function M.on_turn(turn)
  local before, question = open[turn.turn], turn.permission
  if before and question and before.id == question.id then return end
  open[turn.turn] = question and { id = question.id, request = table.remove(parked, 1) }
  release(before)
  if question then vim.schedule(function() announce(turn) end) end
end

--- Called when the document of the turn was closed, which cancels its question.
function M.on_closed(turn)
  if not turn then return end
  release(open[turn.turn])
  open[turn.turn] = nil
end

--- Called when the server has ended.
function M.drop_all()
  parked, open = {}, {}
end

--- Shows the whole question in a read-only buffer.
function M.show_all(turn)
  local question = turn.permission
  vim.cmd('botright new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile =
    'nofile', 'wipe', false
  local lines = {
    ('%s wants to use %s (:AgentDoc answer, in its document)'):format(
      turn.agent,
      messages.one_line(question.tool)
    ),
    '',
  }
  vim.list_extend(lines, vim.split(question.detail, '\n', { plain = true }))
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
end

--- Lets the person choose and calls `answer` with the option's id. Does not call it if nothing is
--- chosen.
---@param answer? fun(option: string)
function M.choose(turn, answer)
  local question = turn.permission
  answer = answer or function(option) require('agent_doc').answer(option) end
  local text, is_cut = short(question)
  local options = vim.list_extend({}, question.options)
  if is_cut then table.insert(options, kShowAll) end
  vim.ui.select(options, {
    prompt = messages.one_line(('%s: %s'):format(turn.agent, text)),
    kind = 'agent_doc_permission',
    format_item = function(option) return messages.one_line(option.label) end,
  }, function(option)
    if option == kShowAll then return M.show_all(turn) end
    if option then answer(option.id) end
  end)
end

return M
