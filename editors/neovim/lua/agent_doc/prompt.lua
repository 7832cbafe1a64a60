-- Handles the open prompt (the text below the last `## User`) and the keys typed after a run. These
-- belong to the next prompt: they wait until the frame of the reply is there, and the cursor moves
-- below it. The server decides what is sent.
local api = vim.api
local edits = require('agent_doc.edits')

local M = {}

local kPatience = 1000 -- milliseconds; a server that has just been started needs some tens of them
local namespace = api.nvim_create_namespace('agent_doc_prompt')

--- A run, from the key until the frame is there or the run is refused.
---@class agent_doc.Press
---@field mark integer extmark: the end of the text when run was pressed
---@field window? integer the window, if its cursor was in the prompt
---@field over? boolean
local pressed = {} ---@type table<integer, agent_doc.Press> by buffer
--- The buffers whose last line, still empty, was opened by us.
local opened = {} ---@type table<integer, true>

local function speaker_of(line)
  local speaker = line:match('^## (%a+)%s*$') or line:match('^## (%a+) %(HEAD%)%s*$')
  return (speaker == 'User' or speaker == 'Assistant') and speaker or nil
end

--- Returns the first row of the open prompt, or nil if the document ends with a reply.
local function first_row(buffer)
  for row = api.nvim_buf_line_count(buffer), 1, -1 do
    local speaker = speaker_of(api.nvim_buf_get_lines(buffer, row - 1, row, true)[1])
    if speaker then return speaker == 'User' and row + 1 or nil end
  end
  return 1
end

--- Returns the end of the text: the last row that is not blank, and the column after its text.
local function end_of_writing(buffer)
  for row = api.nvim_buf_line_count(buffer), 1, -1 do
    local text = api.nvim_buf_get_lines(buffer, row - 1, row, true)[1]:gsub('%s+$', '')
    if text ~= '' then return row - 1, #text end
  end
  return 0, 0
end

--- Returns whether all text is above the row.
function M.is_at_end(buffer, row)
  local last_row = end_of_writing(buffer)
  return row > last_row
end

local function position_of(buffer, press)
  local place = api.nvim_buf_get_extmark_by_id(buffer, namespace, press.mark, {})
  return { line = place[1], character = place[2] }
end

local function forget(buffer)
  local press = pressed[buffer]
  pressed[buffer] = nil
  if not press then return end
  press.over = true
  if api.nvim_buf_is_valid(buffer) then api.nvim_buf_del_extmark(buffer, namespace, press.mark) end
end

--- Adds a line to type in, with a blank one above it. close_line() removes it if it is still empty.
local function open_line(window)
  local buffer = api.nvim_win_get_buf(window)
  local last = api.nvim_buf_line_count(buffer)
  local lines = api.nvim_buf_get_lines(buffer, math.max(last - 2, 0), last, true)
  if #lines < 2 or lines[2] ~= '' or speaker_of(lines[1]) ~= 'User' then return end
  if api.nvim_win_get_cursor(window)[1] ~= last or not vim.bo[buffer].modifiable then return end
  api.nvim_buf_set_lines(buffer, last, last, true, { '' })
  api.nvim_win_set_cursor(window, { last + 1, 0 })
  opened[buffer] = true
end

local function close_line(buffer)
  if not opened[buffer] then return end
  opened[buffer] = nil
  local last = api.nvim_buf_line_count(buffer)
  local lines = api.nvim_buf_get_lines(buffer, math.max(last - 3, 0), last, true)
  local untouched = #lines == 3
    and speaker_of(lines[1]) == 'User'
    and lines[2] == ''
    and lines[3] == ''
  if untouched and vim.bo[buffer].modifiable then
    api.nvim_buf_set_lines(buffer, last - 1, last, true, {})
  end
end

local function is_frame(change)
  local has_reply, has_prompt = false, false
  for _, line in ipairs(change.lines) do
    local speaker = speaker_of(line)
    has_reply = has_reply or speaker == 'Assistant'
    has_prompt = has_reply and (has_prompt or speaker == 'User')
  end
  return has_prompt
end

local function is_inserting() return api.nvim_get_mode().mode:find('^[iR]') ~= nil end

edits.on_applied(function(buffer, change)
  local press = pressed[buffer]
  if not (press and is_frame(change)) then return end
  forget(buffer)
  local window = press.window
  if not (window and api.nvim_win_is_valid(window) and api.nvim_win_get_buf(window) == buffer) then
    return
  end
  local is_above = api.nvim_win_get_cursor(window)[1] - 1 <= change.first.row
  if not is_above then return end -- the frame has already moved the cursor down
  api.nvim_win_set_cursor(window, { api.nvim_buf_line_count(buffer), 0 })
  if is_inserting() and window == api.nvim_get_current_win() then open_line(window) end
end)

--- Notes that run was pressed in the current window.
---@return fun(): table position returns the end of the prompt when the run is sent
function M.press(buffer)
  forget(buffer)
  local row, column = end_of_writing(buffer)
  local first = first_row(buffer)
  local is_in_prompt = first ~= nil and api.nvim_win_get_cursor(0)[1] >= first
  local press = {
    mark = api.nvim_buf_set_extmark(
      buffer,
      namespace,
      row,
      column,
      { right_gravity = false, undo_restore = false }
    ),
    window = is_in_prompt and api.nvim_get_current_win() or nil,
  }
  pressed[buffer] = press
  local known = position_of(buffer, press)
  return function() return press.over and known or position_of(buffer, press) end
end

--- Blocks until the frame is there, at most kPatience. Keys wait in the terminal and come after it.
function M.wait(buffer)
  local press = pressed[buffer]
  if not (press and press.window) then return end
  vim.wait(kPatience, function() return press.over end, 1)
end

--- Called when the run was refused or queued, or its server has ended.
M.refused = forget

local group = api.nvim_create_augroup('agent_doc_prompt', {})
api.nvim_create_autocmd('InsertEnter', {
  group = group,
  callback = function(event)
    if not vim.b[event.buf].agent_doc_mapped then return end
    open_line(api.nvim_get_current_win())
    if opened[event.buf] then vim.v.char = ' ' end -- keeps Neovim from resetting the cursor
  end,
})
api.nvim_create_autocmd(
  'InsertLeave',
  { group = group, callback = function(event) close_line(event.buf) end }
)
api.nvim_create_autocmd(
  'BufUnload',
  { group = group, callback = function(event) forget(event.buf) end }
)

return M
