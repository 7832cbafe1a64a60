-- Makes each reply one undo step that contains nothing of the person's. This holds in Insert mode,
-- too, where Neovim would make one step of all changes. There is no history of our own: this module
-- only sets where Neovim's steps begin and end.
local api = vim.api

local M = {}

-- By buffer: the last undo step made by our edits of the running turn.
local last_step = {} ---@type table<integer, integer>
local left_open = nil ---@type integer? the buffer whose step was not closed after our edit
local began_at = nil ---@type integer? the undo step when Insert mode began
local nothing_typed = false -- between the start of Insert mode and our first edit
local pastes_are_watched = false
local keys = api.nvim_create_namespace('agent_doc_keys')

-- Setting 'undolevels' ends the open undo step. Otherwise the reply and the typed text would become
-- one step in Insert mode.
local function close_undo_step() vim.cmd('noautocmd let &l:undolevels = &l:undolevels') end

local function close_left_open()
  if not left_open then return end
  vim.on_key(nil, keys)
  if api.nvim_buf_is_loaded(left_open) then api.nvim_buf_call(left_open, close_undo_step) end
  left_open = nil
end

--- Makes the next edit of this buffer begin a new undo step.
function M.end_step(buffer)
  last_step[buffer] = nil
  if left_open == buffer then close_left_open() end
end

-- The first plain character in a line saves the line in the open undo step; the next ones belong to
-- that step. Other keys (a new line, a deletion across one) save lines, too. If the reply's step
-- were open, they would be saved in it.
local function on_key(key)
  local byte = key:byte()
  if not byte or left_open ~= api.nvim_get_current_buf() then return end
  local is_plain = byte >= 0x20 and byte ~= 0x7F and byte ~= 0x80
  if nothing_typed or not is_plain then close_undo_step() end
  nothing_typed = nothing_typed and not is_plain
end

-- Pasted text does not come as keys.
local function watch_pastes()
  local paste = vim.paste
  vim.paste = function(...)
    if left_open == api.nvim_get_current_buf() then close_undo_step() end
    return paste(...)
  end
end

-- Text typed in Insert mode keeps its own, older step while ours stays open. If ours were closed,
-- each further character would begin a step, and the reply would be cut into as many.
local function leave_open(buffer, step_before)
  if left_open == buffer then return end
  close_left_open()
  nothing_typed = began_at == nil or began_at == step_before
  left_open = buffer
  vim.on_key(on_key, keys)
  if not pastes_are_watched then watch_pastes() end
  pastes_are_watched = true
end

local function is_typed_in(buffer)
  return buffer == api.nvim_get_current_buf() and api.nvim_get_mode().mode:find('^[iR]') ~= nil
end

--- Calls `write`, which changes the buffer. The change joins the turn's undo step if that is the
--- last one, and begins a new step otherwise.
---@param write function
function M.write(buffer, write)
  local typed_in = is_typed_in(buffer)
  local step_before
  api.nvim_buf_call(buffer, function()
    step_before = vim.fn.changenr()
    local joined = last_step[buffer] == step_before and pcall(vim.cmd.undojoin)
    if not joined then close_undo_step() end
    write()
    if not typed_in then close_undo_step() end
    last_step[buffer] = vim.fn.changenr()
  end)
  if typed_in then leave_open(buffer, step_before) end
end

local group = api.nvim_create_augroup('agent_doc_undo', {})
api.nvim_create_autocmd(
  'InsertEnter',
  { group = group, callback = function() began_at = vim.fn.changenr() end }
)
api.nvim_create_autocmd('InsertLeave', { group = group, callback = close_left_open })

return M
