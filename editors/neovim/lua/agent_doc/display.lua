-- Displays a running turn: a line of virtual text at the head of the reply, and a highlight of the
-- text written so far. The text of the document is not touched.
local api = vim.api
local documents = require('agent_doc.documents')
local messages = require('agent_doc.messages')
local settings = require('agent_doc.settings')
local text = require('agent_doc.text')
local turns = require('agent_doc.turns')

local M = {}

local namespace = api.nvim_create_namespace('agent_doc')
local kMaxCells = 100

---@class agent_doc.Shown
---@field head? integer extmark: the line with the virtual text
---@field line? string the virtual text
---@field region? integer extmark: the text written so far
local shown = {} ---@type table<integer, agent_doc.Shown>
local clock = assert(vim.uv.new_timer())
local clock_runs = false

api.nvim_set_hl(0, 'AgentDocReply', { link = 'CursorLine', default = true })
api.nvim_set_hl(0, 'AgentDocStatus', { link = 'DiagnosticVirtualTextInfo', default = true })
api.nvim_set_hl(0, 'AgentDocQuestion', { link = 'DiagnosticVirtualTextWarn', default = true })

local function place_head(buffer, mark, change)
  if mark.head then return end
  local row = change.first.row
  for index, line in ipairs(change.lines) do
    if line:find('%S') then
      row = change.first.row + index - 1
      break
    end
  end
  mark.head = api.nvim_buf_set_extmark(buffer, namespace, row, 0, { undo_restore = false })
end

local function is_before(one, other)
  return one.row < other.row or (one.row == other.row and one.column < other.column)
end

--- Grows the highlight. The first edit of a turn is its frame; the reply comes after it. Text
--- inserted at the end of the mark extends it without a call, which would redraw all of its lines.
local function grow_region(buffer, mark, change)
  if not settings.get('highlight') then return end
  local first, last = change.first, text.end_of(change)
  local known = mark.region
      and api.nvim_buf_get_extmark_by_id(buffer, namespace, mark.region, { details = true })
    or {}
  if known[1] then
    local region_first, region_last =
      { row = known[1], column = known[2] }, { row = known[3].end_row, column = known[3].end_col }
    if not is_before(first, region_first) and not is_before(region_last, last) then return end
    first = is_before(region_first, first) and region_first or first
    last = is_before(last, region_last) and region_last or last
  end
  mark.region = api.nvim_buf_set_extmark(buffer, namespace, first.row, first.column, {
    id = mark.region,
    end_row = last.row,
    end_col = last.column,
    hl_group = 'AgentDocReply',
    hl_eol = true,
    priority = 50,
    right_gravity = false,
    end_right_gravity = true,
    undo_restore = false,
  })
end

local function show_line(buffer, turn)
  local mark = shown[buffer]
  if not (mark and mark.head and settings.get('display')) then return end
  local place = api.nvim_buf_get_extmark_by_id(buffer, namespace, mark.head, {})
  if not place[1] then return end
  local highlight = (turn.permission or turn.canContinue) and 'AgentDocQuestion' or 'AgentDocStatus'
  local line = messages.shorten(turns.line(turn), kMaxCells)
  if line == mark.line then return end
  mark.line = line
  api.nvim_buf_set_extmark(buffer, namespace, place[1], place[2], {
    id = mark.head,
    virt_text = { { ' ' .. line .. ' ', highlight } },
    hl_mode = 'combine',
    undo_restore = false,
  })
end

local function clear(buffer)
  shown[buffer] = nil
  if api.nvim_buf_is_valid(buffer) then api.nvim_buf_clear_namespace(buffer, namespace, 0, -1) end
end

local function tick()
  local any = false
  for buffer in pairs(shown) do
    local turn = turns.of(buffer)
    if turn and turns.is_running(turn) then
      any = true
      show_line(buffer, turn)
    end
  end
  if any then
    vim.cmd.redrawstatus({ bang = true })
  else
    clock:stop()
    clock_runs = false
  end
end

local function keep_time()
  if clock_runs then return end
  clock_runs = true
  clock:start(1000, 1000, vim.schedule_wrap(tick))
end

--- Called after every edit that we applied.
function M.on_edit(buffer, change)
  if change.first.row < documents.front_matter_rows(buffer) then return end
  local mark = shown[buffer]
  if mark then
    grow_region(buffer, mark, change)
  elseif #change.lines > 1 then
    shown[buffer] = {}
    place_head(buffer, shown[buffer], change)
  end
  local turn = turns.of(buffer)
  if turn and turns.is_running(turn) then show_line(buffer, turn) end
end

--- Called when a turn changes; `turn` is nil after its document was closed.
function M.on_turn(buffer, turn)
  if turn and (turns.is_running(turn) or turn.canContinue) then
    show_line(buffer, turn)
    keep_time()
  else
    clear(buffer)
  end
end

return M
