-- Runs the specs one after the other and counts. `nvim -l` runs this file, in another Neovim than
-- the tested one. A spec is a table of tests; a test is a name and a function, which fails by
-- raising an error.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path

local specs = {
  'plugin',
  'edits',
  'turns',
  'pickers',
  'streaming',
  'keys',
  'undo',
  'views',
  'server_end',
  'latency',
}
local filter = os.getenv('AGENT_DOC_FILTER') or ''

local function say(format, ...)
  io.stdout:write(format:format(...), '\n')
  io.stdout:flush()
end

local passed, failed = 0, 0

local function run(spec, test)
  local name = spec .. ': ' .. test.name
  if filter ~= '' and not name:find(filter, 1, true) then return end
  local editor = require('editor')
  local began = vim.uv.hrtime()
  local notes = {}
  local ok, problem = xpcall(
    test.run,
    debug.traceback,
    function(format, ...) table.insert(notes, format:format(...)) end
  )
  local trace = not ok and editor.describe_all() or ''
  editor.close_all()
  local seconds = (vim.uv.hrtime() - began) / 1e9
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
  end
  say('%s  %5.1f s  %s', ok and 'ok    ' or 'FAILED', seconds, name)
  for _, note in ipairs(notes) do
    say('                  %s', note)
  end
  if not ok then say('%s\n%s', problem, trace) end
end

for _, spec in ipairs(specs) do
  for _, test in ipairs(require('specs.' .. spec)) do
    run(spec, test)
  end
end
say('%d passed, %d failed', passed, failed)
os.exit(failed == 0 and 0 or 1)
