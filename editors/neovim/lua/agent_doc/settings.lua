-- What it is: the person's settings, read from vim.g.agent_doc whenever one is needed, so that they
-- may be changed at any time.
-- What it is not: a place where settings are kept.
local M = {}

local defaults = {
  command = nil, ---@type string|string[]|nil  the program; without it, it is looked for
  keymaps = true, -- the default mappings in session documents
  prefix = '<LocalLeader>a', -- of these mappings
  display = true, -- virtual text while a turn runs
  highlight = true, -- of the text that the running turn has written
  follow = true, -- the end of a growing reply, while the cursor is at the end of the document
  ask_at_once = false, -- open a permission question by itself when in Normal mode
}

local types = { command = { 'string', 'table' }, prefix = { 'string' } }

--- What is wrong with vim.g.agent_doc, one line each.
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

--- The value of a setting; one of a wrong type counts as not given.
function M.get(name)
  local given = nil
  if type(vim.g.agent_doc) == 'table' then given = vim.g.agent_doc[name] end
  if vim.tbl_contains(types[name] or { 'boolean' }, type(given)) then return given end
  return defaults[name]
end

return M
