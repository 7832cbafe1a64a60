-- What it is: the permission questions of agents. A question is shown (display.lua and a message) and waits; only the person opens the
-- choice, by :AgentDoc answer, so that a key that was meant for the text never answers it.
-- What it is not: a place where anything is decided. Nothing is allowed by default, and no question runs out of time.
local messages = require('agent_doc.messages')
local settings = require('agent_doc.settings')

local M = {}

-- The server asks twice: by window/showMessageRequest, for every editor, and by agentDoc/turn, which says more. We answer the latter by a
-- command; the request waits in its coroutine until the server says that the question is over.
local parked = {} ---@type thread[] requests whose question was not told by agentDoc/turn yet, oldest first
local open = {} ---@type table<string, {id: string, request: thread?}> by turn

local function release(question)
  if question and question.request then coroutine.resume(question.request) end
end

--- window/showMessageRequest. Nil when it is no question of an agent.
function M.on_request(params)
  local first = (params.actions or {})[1]
  if not (first and first.agentDocOption) then return nil end
  table.insert(parked, (coroutine.running()))
  coroutine.yield()
  return vim.NIL
end

local function announce(turn)
  local question = turn.permission
  local message = ('%s asks for your permission: %s %s (:AgentDoc answer)'):format(turn.agent, question.tool, question.detail)
  messages.tell(message, vim.log.levels.WARN)
  local mode = vim.api.nvim_get_mode()
  if settings.get('ask_at_once') and mode.mode == 'n' and not mode.blocking then M.choose(turn) end
end

--- agentDoc/turn
function M.on_turn(turn)
  local before, question = open[turn.turn], turn.permission
  if before and question and before.id == question.id then return end
  open[turn.turn] = question and { id = question.id, request = table.remove(parked, 1) }
  release(before)
  if question then vim.schedule(function() announce(turn) end) end
end

--- The document of the turn was closed, which answers its question with cancelled.
function M.on_closed(turn)
  if not turn then return end
  release(open[turn.turn])
  open[turn.turn] = nil
end

--- The server is gone.
function M.drop_all()
  parked, open = {}, {}
end

--- Lets the person choose; `answer` is called with the option's id, and not at all when nothing is chosen.
---@param answer? fun(option: string)
function M.choose(turn, answer)
  local question = turn.permission
  answer = answer or function(option) require('agent_doc').answer(option) end
  vim.ui.select(question.options, {
    prompt = messages.one_line(('%s: %s %s'):format(turn.agent, question.tool, question.detail)),
    kind = 'agent_doc_permission',
    format_item = function(option) return messages.one_line(option.label) end,
  }, function(option)
    if option then answer(option.id) end
  end)
end

return M
