-- Applies an LSP edit (one range in UTF-8 positions, one text) as a single change of a buffer that
-- moves as little as possible. edits.lua decides whether an edit may be applied.
--
-- Neovim's vim.lsp.util.apply_text_edits is not used: it ignores undo steps and moves the marks of
-- the line in which an insertion begins. There must be exactly one change. Two changes would be two
-- versions of the document, and the server would see a text that it never asked for.
local api = vim.api

local M = {}

--- Rows and byte columns count from 0; the end is exclusive.
---@class agent_doc.Change
---@field first {row: integer, column: integer}
---@field last {row: integer, column: integer}
---@field lines string[]

local function line_at(buffer, row) return api.nvim_buf_get_lines(buffer, row, row + 1, true)[1] end

local function lines_of(buffer, text)
  local format = vim.bo[buffer].fileformat
  if format == 'dos' then text = text:gsub('\r\n', '\n') end
  if format == 'mac' then text = text:gsub('\r', '\n') end
  return vim.split(text, '\n', { plain = true })
end

--- LSP counts an empty line after the last newline; a buffer does not have that line. A change that
--- ends there keeps the last newline.
local function without_line_after_last(buffer, change, last_row)
  local first, last, lines = change.first, change.last, change.lines
  if last.row <= last_row then return change end
  local end_of_text = { row = last_row, column = #line_at(buffer, last_row) }
  local ends_line = lines[#lines] == ''
  if first.row > last_row then
    first = end_of_text
    table.insert(lines, 1, '')
    if ends_line then table.remove(lines) end
  elseif #lines > 1 and ends_line then
    table.remove(lines)
  elseif #lines == 1 and ends_line and first.column == 0 and first.row > 0 then
    first = { row = first.row - 1, column = #line_at(buffer, first.row - 1) }
  end
  return { first = first, last = end_of_text, lines = lines }
end

--- Converts a TextEdit to a change of this buffer.
---@return agent_doc.Change
function M.change_of(buffer, edit)
  local last_row = api.nvim_buf_line_count(buffer) - 1
  local function place(position)
    if position.line > last_row then return { row = last_row + 1, column = 0 } end
    return {
      row = position.line,
      column = math.min(position.character, #line_at(buffer, position.line)),
    }
  end
  local change = {
    first = place(edit.range.start),
    last = place(edit.range['end']),
    lines = lines_of(buffer, edit.newText),
  }
  return without_line_after_last(buffer, change, last_row)
end

local function at_end_of_line(buffer, place) return place.column == #line_at(buffer, place.row) end

--- Returns the change as one of whole lines if it is one, else nil. A change of whole lines leaves
--- the marks and folds of the lines around it alone.
---@return {row: integer, end_row: integer, lines: string[]}?
local function whole_lines(buffer, change)
  local first, last, lines = change.first, change.last, change.lines
  local inserts = first.row == last.row and first.column == last.column
  if inserts and #lines > 1 and lines[1] == '' and at_end_of_line(buffer, first) then
    return { row = first.row + 1, end_row = first.row + 1, lines = vim.list_slice(lines, 2) }
  end
  if inserts and #lines > 1 and lines[#lines] == '' and first.column == 0 then
    return { row = first.row, end_row = first.row, lines = vim.list_slice(lines, 1, #lines - 1) }
  end
  local deletes = #lines == 1 and lines[1] == '' and first.row < last.row
  if deletes and at_end_of_line(buffer, first) and at_end_of_line(buffer, last) then
    return { row = first.row + 1, end_row = last.row + 1, lines = {} }
  end
  if deletes and first.column == 0 and last.column == 0 then
    return { row = first.row, end_row = last.row, lines = {} }
  end
end

--- Returns the marks before the place where a line is broken. They must stay in that line, but
--- Neovim moves them with the rest of it.
local function marks_before(buffer, place)
  local kept = {}
  local function keep(marks)
    for _, mark in ipairs(marks) do
      local name, number, row, column = mark.mark:sub(2), mark.pos[1], mark.pos[2], mark.pos[3]
      local is_before = number == buffer and row == place.row + 1 and column - 1 <= place.column
      if name:match('%a') and is_before then kept[name] = { row, column - 1 } end
    end
  end
  keep(vim.fn.getmarklist(buffer))
  keep(vim.fn.getmarklist())
  return kept
end

--- Writes the change. Raises Neovim's error if the buffer cannot be changed now.
---@param change agent_doc.Change
function M.write(buffer, change)
  local whole = whole_lines(buffer, change)
  if whole then
    api.nvim_buf_set_lines(buffer, whole.row, whole.end_row, true, whole.lines)
    return
  end
  local first, last = change.first, change.last
  local marks = (#change.lines > 1 or first.row < last.row) and marks_before(buffer, first) or {}
  api.nvim_buf_set_text(buffer, first.row, first.column, last.row, last.column, change.lines)
  for name, place in pairs(marks) do
    api.nvim_buf_set_mark(buffer, name, place[1], place[2], {})
  end
end

--- Returns where the change ends in the new text.
function M.end_of(change)
  local rows = #change.lines - 1
  local column = #change.lines[#change.lines] + (rows == 0 and change.first.column or 0)
  return { row = change.first.row + rows, column = column }
end

--- Maps a place of the old text to the new one. A place exactly at an insertion moves to its end.
function M.moved(change, row, column)
  local first, last = change.first, change.last
  if row < first.row or (row == first.row and column < first.column) then return row, column end
  local new_end = M.end_of(change)
  if row < last.row or (row == last.row and column < last.column) then
    return first.row, first.column
  end
  if row == last.row then return new_end.row, new_end.column + column - last.column end
  return row + new_end.row - last.row, column
end

return M
