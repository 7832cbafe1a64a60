-- Keeps the last agentDoc/turn of each open document. display.lua shows it; questions.lua handles
-- its question.
local api = vim.api
local undo = require('agent_doc.undo')

local M = {}

--- By buffer: the payload of agentDoc/turn, with `heard_at`.
local turns = {} ---@type table<integer, table>
local listeners = {} ---@type fun(buffer: integer, turn: table)[]
local terminal = { done = true, failed = true, cancelled = true, interrupted = true }

--- Calls `listener` when a turn changes, when it is lost, and with nil when its document is closed.
function M.on_change(listener) table.insert(listeners, listener) end

local function tell(buffer, turn)
  for _, listener in ipairs(listeners) do
    listener(buffer, turn)
  end
  api.nvim_exec_autocmds(
    'User',
    { pattern = 'AgentDocTurn', modeline = false, data = { buffer = buffer, turn = turn } }
  )
  vim.cmd.redrawstatus({ bang = true })
end

---@return table? turn
function M.of(buffer) return turns[buffer] end

--- Returns whether the turn runs or its reply is still being written. A finished turn whose reply
--- waits for :AgentDoc continue does not run.
function M.is_running(turn)
  if not turn then return false end
  local is_all_there = turn.replyLanded or turn.canContinue or turn.state == 'interrupted'
  return not (terminal[turn.state] and is_all_there)
end

function M.elapsed_ms(turn)
  if terminal[turn.state] then return turn.elapsedMs end
  return turn.elapsedMs + (vim.uv.hrtime() - turn.heard_at) / 1e6
end

--- Handles agentDoc/turn.
function M.on_turn(buffer, turn)
  turn.heard_at = vim.uv.hrtime()
  turns[buffer] = turn
  if not M.is_running(turn) then undo.end_step(buffer) end
  tell(buffer, turn)
end

--- Marks the running turns as interrupted after the server has ended.
---@return integer[] buffers
function M.lose_all()
  local lost = {}
  for buffer, turn in pairs(turns) do
    if M.is_running(turn) then
      turn.elapsedMs, turn.state, turn.status, turn.permission =
        M.elapsed_ms(turn), 'interrupted', '', nil
      table.insert(lost, buffer)
      tell(buffer, turn)
    end
  end
  return lost
end

--- Forgets the turn of a document that was closed.
function M.forget(buffer)
  local turn = turns[buffer]
  turns[buffer] = nil
  if turn then
    for _, listener in ipairs(listeners) do
      listener(buffer, nil)
    end
  end
end

local function count(number)
  if number < 1000 then return ('%d'):format(number) end
  return ('%.1fk'):format(number / 1000)
end

local function duration(ms)
  local seconds = math.floor(ms / 1000)
  if seconds < 60 then return ('%d s'):format(seconds) end
  return ('%d:%02d'):format(math.floor(seconds / 60), seconds % 60)
end

local function what_happens(turn)
  if turn.canContinue then return 'paused (:AgentDoc continue)' end
  if turn.permission then return ('asks for %s (:AgentDoc answer)'):format(turn.permission.tool) end
  if terminal[turn.state] then return turn.state end
  return turn.status ~= '' and turn.status or turn.phase
end

--- Returns a turn as one line: agent, activity, time, tokens.
function M.line(turn)
  local parts = { turn.agent, what_happens(turn), duration(M.elapsed_ms(turn)) }
  local tokens = vim.tbl_get(turn, 'usage', 'output') or 0
  if tokens > 0 then table.insert(parts, count(tokens) .. ' tokens') end
  return (table.concat(parts, ' · '):gsub('[%c\127]+', ' '))
end

return M
