-- What it is: :checkhealth agent_doc.
-- What it is not: a trial of the agents themselves; `agent-doc doctor` starts them.
local M = {}

local function check_program()
  local command, where = require('agent_doc.program').find()
  if not command then
    vim.health.error(where)
    return
  end
  local version = vim.system(vim.list_extend(vim.deepcopy(command), { '--version' }), { text = true, timeout = 5000 }):wait()
  if version.code ~= 0 then
    vim.health.error(('%s (from %s) does not start: %s'):format(command[1], where, vim.trim(version.stderr or '')))
    return
  end
  vim.health.ok(('%s (from %s): %s'):format(command[1], where, vim.trim(version.stdout)))
  local agents = vim.system(vim.list_extend(vim.deepcopy(command), { 'agents' }), { text = true, timeout = 20000 }):wait()
  for line in vim.gsplit(vim.trim(agents.stdout or ''), '\n', { plain = true }) do
    vim.health.info(line)
  end
  vim.health.info('`agent-doc doctor` in a terminal starts every agent and says what is wrong with it.')
end

local function check_server()
  local server = require('agent_doc.server')
  local client = server.client()
  if not client then
    vim.health.info('The server does not run; it starts with the first session document, or the first :AgentDoc run.')
    return
  end
  local counts = require('agent_doc.edits').counts
  vim.health.ok(('The server runs (client %d) with %d open documents.'):format(client.id, #server.open_buffers()))
  vim.health.info(
    ('%d edits were applied, %d came too late and were refused; the server makes these anew.'):format(counts.applied, counts.refused)
  )
  if client.initialized and client.offset_encoding ~= 'utf-8' then
    vim.health.error(('The server counts in %s instead of utf-8: is it an old one?'):format(client.offset_encoding))
  end
end

function M.check()
  vim.health.start('agent-doc')
  if vim.fn.has('nvim-0.10') == 1 then vim.health.ok('Neovim is new enough') else vim.health.error('Neovim 0.10 or newer is needed') end
  local problems = require('agent_doc.settings').problems()
  for _, problem in ipairs(problems) do vim.health.warn(problem) end
  if #problems == 0 then vim.health.ok('The settings are in order') end
  check_program()
  check_server()
end

return M
