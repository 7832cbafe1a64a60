-- What it is: sees to it that `:help agent-doc` works however the plugin was installed: plugin
-- managers make the file doc/tags, packages and a plain 'runtimepath' do not.
-- What it is not: the help.
local M = {}

local this_file = vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2))
local kName = 'agent-doc.txt'

local function stat_of_file(path)
  local stat = vim.uv.fs_stat(path)
  return stat and stat.type == 'file' and stat or nil
end

local function is_newer(one, other)
  local mine, theirs = stat_of_file(one), stat_of_file(other)
  if not theirs then return true end
  return mine ~= nil and mine.mtime.sec > theirs.mtime.sec
end

--- A copy with tags, for a folder that cannot be written to.
local function add_copy(folder)
  local copy = vim.fn.stdpath('cache') .. '/agent-doc'
  local text = copy .. '/doc/' .. kName
  if is_newer(folder .. '/' .. kName, text) then
    vim.fn.mkdir(copy .. '/doc', 'p')
    assert(vim.uv.fs_copyfile(folder .. '/' .. kName, text))
    vim.cmd.helptags(vim.fn.fnameescape(copy .. '/doc'))
  end
  vim.opt.runtimepath:append(copy)
end

--- Does nothing when the tags are there.
function M.ensure_tags()
  local folder = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(this_file))) .. '/doc'
  if not is_newer(folder .. '/' .. kName, folder .. '/tags') then return end
  if pcall(vim.cmd.helptags, vim.fn.fnameescape(folder)) then return end
  if stat_of_file(folder .. '/tags') then return end -- older, but there
  pcall(add_copy, folder)
end

return M
