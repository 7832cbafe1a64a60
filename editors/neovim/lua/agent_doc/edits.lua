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
local listeners = {} ---@type fun(buffer: integer, change: agent_doc.Change)[]

--- Calls back after every edit that was applied.
function M.on_applied(listener) table.insert(listeners, listener) end

--- The next edit of this buffer begins an undo step of its own.
function M.end_undo_step(buffer) last_step[buffer] = nil end

-- Setting 'undolevels' ends the open undo step, in Insert mode too, where otherwise the reply and what is being typed would become one.
local function close_undo_step() vim.cmd('noautocmd let &l:undolevels = &l:undolevels') end

--- Writes the change as a part of the turn's undo step when nothing was changed by somebody else since, or what is typed belongs to an older step.
local function write_undoable(buffer, change)
  api.nvim_buf_call(buffer, function()
    local joined = last_step[buffer] == vim.fn.changenr() and pcall(vim.cmd.undojoin)
    if not joined then close_undo_step() end
    text.write(buffer, change)
    close_undo_step()
    last_step[buffer] = vim.fn.changenr()
  end)
end

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
