-- Keeps the view in place while the text above it grows. In every window that shows the document,
-- the cursor stays at its text, and that text stays at its row of the screen. Text that grows below
-- a cursor moves nothing.
--
-- If the cursor is at the end of the document, the end of a growing reply stays in view. A line
-- with text in it keeps its row there. An empty line moves down with the reply, to the bottom of
-- the window. There is no mode for this: only the position of the cursor counts.
local api = vim.api
local settings = require('agent_doc.settings')
local text = require('agent_doc.text')

local M = {}

---@class agent_doc.View
---@field window integer
---@field cursor integer[] row from 1, column
---@field topline integer
---@field row integer of the screen, within the window

--- Returns whether the cursor moves with the change. A cursor exactly at an insertion stays before
--- text that begins with a new line, and moves with any other text.
local function comes_after(cursor, change)
  local row, column = cursor[1] - 1, cursor[2]
  if row ~= change.first.row then return row > change.first.row end
  if column ~= change.first.column then return column > change.first.column end
  return not (#change.lines > 1 and change.lines[1] == '')
end

--- Returns the views that the change will move.
---@param change agent_doc.Change
---@return agent_doc.View[]
function M.touched_by(change, buffer)
  local views = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local cursor = api.nvim_win_get_cursor(window)
    if comes_after(cursor, change) then
      api.nvim_win_call(
        window,
        function()
          table.insert(views, {
            window = window,
            cursor = cursor,
            topline = vim.fn.line('w0'),
            row = vim.fn.winline(),
          })
        end
      )
    end
  end
  return views
end

--- Scrolls the current window until the cursor's line is at the row again, as nearly as wrapped
--- lines allow.
local function scroll_to_row(row, topline)
  vim.fn.winrestview({ topline = math.max(topline, 1) })
  local now = vim.fn.winline()
  local step = now > row and 1 or -1
  while now ~= row do
    topline = topline + step
    if topline < 1 or topline > vim.fn.line('.') then return end
    vim.fn.winrestview({ topline = topline })
    local next_row = vim.fn.winline()
    if next_row == now or (next_row - row) * step < 0 then return end
    now = next_row
  end
end

--- Returns the row of the cursor's line if the window were not scrolled, at most the bottom row.
local function row_unscrolled(window, topline)
  local cursor = api.nvim_win_get_cursor(window)
  local bottom = api.nvim_win_get_height(window) - vim.wo[window].scrolloff
  if cursor[1] < topline then return bottom end
  local rows =
    api.nvim_win_text_height(window, { start_row = topline - 1, end_row = cursor[1] - 1 }).all
  return math.max(math.min(rows, bottom), 1)
end

--- Returns whether the cursor is in an empty last line: the person waits for the reply.
local function waits_for_end(window)
  if not settings.get('follow') then return false end
  local buffer = api.nvim_win_get_buf(window)
  local row = api.nvim_win_get_cursor(window)[1]
  return row == api.nvim_buf_line_count(buffer)
    and not api.nvim_buf_get_lines(buffer, row - 1, row, true)[1]:find('%S')
end

---@param views agent_doc.View[]
---@param change agent_doc.Change
function M.restore(views, change)
  for _, view in ipairs(views) do
    local row, column = text.moved(change, view.cursor[1] - 1, view.cursor[2])
    api.nvim_win_set_cursor(view.window, { row + 1, column })
    local follows = waits_for_end(view.window)
    local wanted = follows and row_unscrolled(view.window, view.topline) or view.row
    api.nvim_win_call(
      view.window,
      function() scroll_to_row(wanted, view.topline + row + 1 - view.cursor[1]) end
    )
  end
end

return M
