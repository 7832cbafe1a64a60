-- What it is: our own answer to workspace/applyEdit. An edit is applied at exactly the version it was made for, in the same moment, or refused with a
-- reason; the server then makes it anew. (Neovim's own handler drops an edit that comes too late and says that it was applied.)
-- What it is not: used for any other language server.
local api = vim.api
local text = require('agent_doc.text')
local views = require('agent_doc.views')

local M = {}

---@class agent_doc.Counts for the tests, and for :checkhealth
M.counts = { applied = 0, refused = 0 }

-- The undo step that our edits of the running turn have made last, by buffer.
local last_step = {} ---@type table<integer, integer>
local left_open = nil ---@type integer? the buffer whose step was not closed after our edit
local began_at = nil ---@type integer? the undo step when Insert mode began
local pastes_are_watched = false
local nothing_typed = false -- since then, at the time of our first edit
local keys = api.nvim_create_namespace('agent_doc_keys')
local listeners = {} ---@type fun(buffer: integer, change: agent_doc.Change)[]

--- Calls back after every edit that was applied.
function M.on_applied(listener) table.insert(listeners, listener) end

-- Setting 'undolevels' ends the open undo step, in Insert mode too, where otherwise the reply and what is being typed would become one.
local function close_undo_step() vim.cmd('noautocmd let &l:undolevels = &l:undolevels') end

local function close_left_open()
  if not left_open then return end
  vim.on_key(nil, keys)
  if api.nvim_buf_is_loaded(left_open) then api.nvim_buf_call(left_open, close_undo_step) end
  left_open = nil
end

--- The next edit of this buffer begins an undo step of its own.
function M.end_undo_step(buffer)
  last_step[buffer] = nil
  if left_open == buffer then close_left_open() end
end

-- Plain characters belong to the undo step that their line was saved in with the first of them. That first one, and other keys (a new line, a
-- deletion over one) save lines, and would do so in the reply's step.
local function on_key(key)
  local byte = key:byte()
  if not byte or left_open ~= api.nvim_get_current_buf() then return end
  local is_plain = byte >= 0x20 and byte ~= 0x7F and byte ~= 0x80
  if nothing_typed or not is_plain then close_undo_step() end
  nothing_typed = nothing_typed and not is_plain
end

-- What is pasted comes as no key.
local function watch_pastes()
  local paste = vim.paste
  vim.paste = function(...)
    if left_open == api.nvim_get_current_buf() then close_undo_step() end
    return paste(...)
  end
end

-- What is being typed in Insert mode keeps its own older step as long as ours stays open; closed, every further character would begin one, and the reply
-- would be cut into as many.
local function leave_open(buffer, step_before)
  if left_open == buffer then return end
  close_left_open()
  nothing_typed = began_at == nil or began_at == step_before
  left_open = buffer
  vim.on_key(on_key, keys)
  if not pastes_are_watched then watch_pastes() end
  pastes_are_watched = true
end

local function is_typed_in(buffer) return buffer == api.nvim_get_current_buf() and api.nvim_get_mode().mode:find('^[iR]') ~= nil end

--- Writes the change as a part of the turn's undo step, when that is the last one.
local function write_undoable(buffer, change)
  local typed_in = is_typed_in(buffer)
  local step_before
  api.nvim_buf_call(buffer, function()
    step_before = vim.fn.changenr()
    local joined = last_step[buffer] == step_before and pcall(vim.cmd.undojoin)
    if not joined then close_undo_step() end
    text.write(buffer, change)
    if not typed_in then close_undo_step() end
    last_step[buffer] = vim.fn.changenr()
  end)
  if typed_in then leave_open(buffer, step_before) end
end

local group = api.nvim_create_augroup('agent_doc_edits', {})
api.nvim_create_autocmd('InsertEnter', { group = group, callback = function() began_at = vim.fn.changenr() end })
api.nvim_create_autocmd('InsertLeave', { group = group, callback = close_left_open })

-- `keepjumps` keeps the mark '. and the change list the person's own. It is a modifier of commands only, so the function is called through one.
M.call_in_progress = nil ---@type function?
local function keeping_jumps(call)
  M.call_in_progress = call
  vim.cmd([[keepjumps lua require('agent_doc.edits').call_in_progress()]])
  M.call_in_progress = nil
end

local function apply(buffer, edit)
  local change = text.change_of(buffer, edit)
  local touched = views.touched_by(change, buffer)
  keeping_jumps(function() write_undoable(buffer, change) end)
  views.restore(touched, change)
  return change
end

local function refused(why)
  M.counts.refused = M.counts.refused + 1
  return { applied = false, failureReason = why }
end

--- The one TextEdit of the request, or why it cannot be handled.
local function only_edit(params)
  local changes = vim.tbl_get(params, 'edit', 'documentChanges')
  if type(changes) ~= 'table' or #changes ~= 1 or #(changes[1].edits or {}) ~= 1 then return nil, 'expected one edit of one document' end
  return changes[1]
end

--- workspace/applyEdit
---@param server agent_doc.Server
---@return {applied: boolean, failureReason?: string}
function M.on_apply_edit(params, server)
  local document, problem = only_edit(params)
  if not document then return refused(problem) end
  local known = server.documents[document.textDocument.uri]
  if not (known and api.nvim_buf_is_loaded(known.buffer)) then return refused('the document is not open') end
  if document.textDocument.version ~= known.version then
    return refused(('the edit is for version %s, the buffer is at %d'):format(document.textDocument.version, known.version))
  end
  if not vim.bo[known.buffer].modifiable then return refused("the buffer is not 'modifiable'") end
  local ok, result = pcall(apply, known.buffer, document.edits[1])
  -- An error after the text was written (of somebody's autocommand) must not make the server write it again.
  if not ok and server.documents[document.textDocument.uri].version == document.textDocument.version then return refused(tostring(result)) end
  M.counts.applied = M.counts.applied + 1
  if ok then
    for _, listener in ipairs(listeners) do listener(known.buffer, result) end
  end
  return { applied = true }
end

return M
