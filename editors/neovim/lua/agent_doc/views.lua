-- What it is: keeps what the person looks at where it is while the text above it grows: in every
-- window that shows the document the cursor stays at its text, and that text at its row of the
-- screen. Text that grows below a cursor moves nothing at all. And the end of a growing reply stays
-- in view where the cursor is at the end of the document: a line that is being written there keeps
-- its row; as long as nothing is written in it, it goes down with the reply, to the bottom of the
-- window.
-- What it is not: a mode. The cursor alone says it.
local api = vim.api
local settings = require('agent_doc.settings')
local text = require('agent_doc.text')

local M = {}

---@class agent_doc.View
---@field window integer
---@field cursor integer[] row from 1, column
---@field topline integer
---@field row integer of the screen, within the window

--- A cursor exactly where text is inserted is followed by it when the text begins with a new line,
--- and goes along with it otherwise.
local function comes_after(cursor, change)
  local row, column = cursor[1] - 1, cursor[2]
  if row ~= change.first.row then return row > change.first.row end
  if column ~= change.first.column then return column > change.first.column end
  return not (#change.lines > 1 and change.lines[1] == '')
end

--- The views that the change will touch.
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

--- Scrolls the window, which is the current one, until the cursor's line is at the row again, as
--- nearly as wrapped lines allow.
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

--- The row of the cursor's line when the window is not scrolled, but the last one at most.
local function row_unscrolled(window, topline)
  local cursor = api.nvim_win_get_cursor(window)
  local bottom = api.nvim_win_get_height(window) - vim.wo[window].scrolloff
  if cursor[1] < topline then return bottom end
  local rows =
    api.nvim_win_text_height(window, { start_row = topline - 1, end_row = cursor[1] - 1 }).all
  return math.max(math.min(rows, bottom), 1)
end

--- The cursor is in an empty line at the end of the document: the person waits for the reply.
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
