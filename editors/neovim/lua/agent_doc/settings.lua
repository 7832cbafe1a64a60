-- Reads the person's settings from vim.g.agent_doc. Each access reads them again, so they can be
-- changed at any time.
local M = {}

local defaults = {
  command = nil, ---@type string|string[]|nil  the program; nil: search for it
  keymaps = true, -- map keys in session documents
  prefix = '<LocalLeader>a', -- the prefix of these mappings
  display = true, -- show virtual text while a turn runs
  highlight = true, -- highlight the text that the running turn has written
  follow = true, -- keep the end of a growing reply in view while the cursor is at the end
  ask_at_once = false, -- open a permission question at once if in Normal mode
}

local types = { command = { 'string', 'table' }, prefix = { 'string' } }

--- Returns the problems of vim.g.agent_doc, one line each.
---@return string[]
function M.problems()
  local given = vim.g.agent_doc
  if given == nil then return {} end
  if type(given) ~= 'table' then
    return { 'vim.g.agent_doc must be a table, not ' .. type(given) }
  end
  local problems = {}
  for name, value in vim.spairs(given) do
    local wanted = types[name] or { 'boolean' }
    if not types[name] and defaults[name] == nil then
      table.insert(
        problems,
        ('vim.g.agent_doc has an unknown setting `%s`; see :help agent-doc-settings'):format(name)
      )
    elseif not vim.tbl_contains(wanted, type(value)) then
      table.insert(
        problems,
        ('vim.g.agent_doc.%s must be a %s, not a %s'):format(
          name,
          table.concat(wanted, ' or a '),
          type(value)
        )
      )
    end
  end
  return problems
end

--- Returns the value of a setting, or its default if it is unset or has a wrong type.
function M.get(name)
  local given = nil
  if type(vim.g.agent_doc) == 'table' then given = vim.g.agent_doc[name] end
  if vim.tbl_contains(types[name] or { 'boolean' }, type(given)) then return given end
  return defaults[name]
end

return M
