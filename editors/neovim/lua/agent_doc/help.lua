-- Makes `:help agent-doc` work for every kind of installation: plugin managers generate the file
-- doc/tags, packages and a plain 'runtimepath' do not.
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

--- Adds a copy of the help with tags to 'runtimepath', for a plugin folder that is not writable.
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

--- Generates the tags unless they are there and newer than the help.
function M.ensure_tags()
  local folder = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(this_file))) .. '/doc'
  if not is_newer(folder .. '/' .. kName, folder .. '/tags') then return end
  if pcall(vim.cmd.helptags, vim.fn.fnameescape(folder)) then return end
  if stat_of_file(folder .. '/tags') then return end -- outdated tags are better than none
  pcall(add_copy, folder)
end

return M
