-- Our own handler of workspace/applyEdit, for our server only. It applies an edit at once and at
-- exactly the version that the edit was made for, or refuses it with a reason; the server then
-- sends a new edit. (Neovim's handler drops an edit that comes too late and reports it as applied.)
local api = vim.api
local text = require('agent_doc.text')
local undo = require('agent_doc.undo')
local views = require('agent_doc.views')

local M = {}

---@class agent_doc.Counts for the tests, and for :checkhealth
M.counts = { applied = 0, refused = 0 }

local listeners = {} ---@type fun(buffer: integer, change: agent_doc.Change)[]

--- Calls `listener` after each applied edit.
function M.on_applied(listener) table.insert(listeners, listener) end

-- `keepjumps` leaves the mark '. and the change list to the person. It modifies commands only, so
-- the function is called through a command.
M.call_in_progress = nil ---@type function?
local function keeping_jumps(call)
  M.call_in_progress = call
  vim.cmd([[keepjumps lua require('agent_doc.edits').call_in_progress()]])
  M.call_in_progress = nil
end

local function apply(buffer, edit)
  local change = text.change_of(buffer, edit)
  local touched = views.touched_by(change, buffer)
  keeping_jumps(function()
    undo.write(buffer, function() text.write(buffer, change) end)
  end)
  views.restore(touched, change)
  return change
end

local function refused(why)
  M.counts.refused = M.counts.refused + 1
  return { applied = false, failureReason = why }
end

--- Returns the only document edit of the request, or nil and why it cannot be handled.
local function only_edit(params)
  local changes = vim.tbl_get(params, 'edit', 'documentChanges')
  if type(changes) ~= 'table' or #changes ~= 1 or #(changes[1].edits or {}) ~= 1 then
    return nil, 'expected one edit of one document'
  end
  return changes[1]
end

--- workspace/applyEdit
---@param server agent_doc.Server
---@return {applied: boolean, failureReason?: string}
function M.on_apply_edit(params, server)
  local document, problem = only_edit(params)
  if not document then return refused(problem) end
  local known = server.documents[document.textDocument.uri]
  if not (known and api.nvim_buf_is_loaded(known.buffer)) then
    return refused('the document is not open')
  end
  if document.textDocument.version ~= known.version then
    return refused(
      ('the edit is for version %s, the buffer is at %d'):format(
        document.textDocument.version,
        known.version
      )
    )
  end
  if not vim.bo[known.buffer].modifiable then return refused("the buffer is not 'modifiable'") end
  local ok, result = pcall(apply, known.buffer, document.edits[1])
  -- An autocommand may fail after the text was written. The server must not write it again then.
  local is_unchanged = known.version == document.textDocument.version
  if not ok and is_unchanged then return refused(tostring(result)) end
  M.counts.applied = M.counts.applied + 1
  if ok then
    for _, listener in ipairs(listeners) do
      listener(known.buffer, result)
    end
  end
  return { applied = true }
end

return M
