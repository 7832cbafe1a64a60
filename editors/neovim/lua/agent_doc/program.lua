-- Finds the program agent-doc. It neither installs nor runs it.
local settings = require('agent_doc.settings')

local M = {}

-- Resolves links: the plugin may be linked into a package folder.
local this_file = vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2))
local plugin_folder = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(this_file)))

--- Returns the paths of the builds in the checkout that contains this plugin.
function M.builds()
  local top = vim.fs.dirname(vim.fs.dirname(plugin_folder))
  return { top .. '/build/release/agent-doc', top .. '/build/dev/agent-doc' }
end

--- Returns the command line without its subcommand and where it was found, or nil and what to do.
---@return string[]? command, string where_or_why
function M.find()
  local given = settings.get('command')
  if given then
    local command = type(given) == 'table' and vim.deepcopy(given) or { given }
    command[1] = vim.fn.expand(command[1] or '')
    if vim.fn.executable(command[1]) == 1 then return command, 'vim.g.agent_doc.command' end
    return nil,
      ('vim.g.agent_doc.command names %s, which is not an executable program'):format(
        command[1]
      )
  end
  local in_path = vim.fn.exepath('agent-doc')
  if in_path ~= '' then return { in_path }, 'PATH' end
  for _, build in ipairs(M.builds()) do
    if vim.fn.executable(build) == 1 then return { build }, 'the build in this checkout' end
  end
  return nil,
    'the program agent-doc was not found: build it (scripts/setup, then cmake --preset release and cmake --build --preset release) '
      .. 'and put it into PATH, or set vim.g.agent_doc = { command = "/path/to/agent-doc" }'
end

return M
