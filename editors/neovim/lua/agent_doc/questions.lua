-- What it is: the permission questions of agents. A question is shown (display.lua and a message)
-- and waits; only the person opens the choice, by :AgentDoc answer, so that a key that was meant
-- for the text never answers it.
-- What it is not: a place where anything is decided. Nothing is allowed by default, and no question
-- runs out of time.
local messages = require('agent_doc.messages')
local settings = require('agent_doc.settings')

local M = {}

-- The server asks twice: by window/showMessageRequest, for every editor, and by agentDoc/turn,
-- which says more. We answer the latter by a command; the request waits in its coroutine until the
-- server says that the question is over.
--- The requests whose question has not come by agentDoc/turn yet, oldest first.
local parked = {} ---@type thread[]
local open = {} ---@type table<string, {id: string, request: thread?}> by turn

-- Of what is asked, in a message or a prompt: its begin and its end.
local kBegin, kEnd = 200, 100
local kShowAll = { label = 'Show all of it' }

--- What is asked, or its begin and its end; the server has made visible what could not be seen.
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
  local message = ('%s asks for your permission: %s (:AgentDoc answer)'):format(
    turn.agent,
    (short(question))
  )
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

--- The whole question in a buffer that cannot be written to.
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

--- Lets the person choose; `answer` is called with the option's id, and not at all when nothing is
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
