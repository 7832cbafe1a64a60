-- Implements :checkhealth agent_doc. It does not start agents; `agent-doc doctor` does.
local M = {}

local kColumns = 70 -- of a line

--- Returns the names, comma separated, in lines of at most kColumns.
local function lines_of(names)
  local lines = { '' }
  for _, name in ipairs(names) do
    local line = lines[#lines]
    if line ~= '' and #line + #name + 2 > kColumns then
      table.insert(lines, name)
    else
      lines[#lines] = line == '' and name or line .. ', ' .. name
    end
  end
  return table.concat(lines, ',\n')
end

local function check_agents(command)
  local asked = vim
    .system(
      vim.list_extend(vim.deepcopy(command), { 'agents', '--json' }),
      { text = true, timeout = 20000 }
    )
    :wait()
  local ok, listed = pcall(vim.json.decode, asked.stdout or '')
  if not ok or type(listed.agents) ~= 'table' then
    return vim.health.warn('`agent-doc agents` did not list the agents')
  end
  local missing = {}
  for _, agent in ipairs(listed.agents) do
    if agent.found or agent.builtIn then
      local version = agent.builtIn and 'built in'
        or agent.version ~= '' and agent.version
        or 'found'
      vim.health.ok(
        ('%s: %s%s'):format(
          agent.name,
          version,
          agent.default and ' (the default)' or ''
        )
      )
    else
      table.insert(missing, agent.name)
    end
  end
  if #missing > 0 then
    vim.health.info(
      'Not installed:\n' .. lines_of(missing) .. '\n`agent-doc agents` says how to get them.'
    )
  end
end

local function check_program()
  local command, where = require('agent_doc.program').find()
  if not command then
    vim.health.error(where)
    return
  end
  local version_command = vim.list_extend(vim.deepcopy(command), { '--version' })
  local version = vim.system(version_command, { text = true, timeout = 5000 }):wait()
  if version.code ~= 0 then
    vim.health.error(
      ('%s (from %s) does not start: %s'):format(command[1], where, vim.trim(version.stderr or ''))
    )
    return
  end
  vim.health.ok(('%s (from %s): %s'):format(command[1], where, vim.trim(version.stdout)))
  check_agents(command)
  vim.health.info(
    '`agent-doc doctor` in a terminal starts every agent and says what is wrong with it.'
  )
end

local function check_server()
  local server = require('agent_doc.server')
  local client = server.client()
  if not client then
    vim.health.info(
      'The server does not run; it starts with the first session document, or the first :AgentDoc run.'
    )
    return
  end
  local counts = require('agent_doc.edits').counts
  vim.health.ok(
    ('The server runs (client %d) with %d open documents.'):format(
      client.id,
      #server.open_buffers()
    )
  )
  vim.health.info(
    ('%d edits were applied, %d came too late and were refused; '
      .. 'the server sent them again.'):format(
      counts.applied,
      counts.refused
    )
  )
  if client.initialized and client.offset_encoding ~= 'utf-8' then
    vim.health.error(
      ('The server counts in %s instead of utf-8: is it an old one?'):format(client.offset_encoding)
    )
  end
end

local function check_help()
  if
    #vim.api.nvim_get_runtime_file('doc/agent-doc.txt', false) > 0
    and #vim.fn.getcompletion('agent-doc-settings', 'help') > 0
  then
    vim.health.ok('`:help agent-doc` works')
  else
    vim.health.warn('`:help agent-doc` finds nothing', { 'run `:helptags ALL`' })
  end
end

function M.check()
  vim.health.start('agent-doc')
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok('Neovim is new enough')
  else
    vim.health.error('Neovim 0.10 or newer is needed')
  end
  local problems = require('agent_doc.settings').problems()
  for _, problem in ipairs(problems) do
    vim.health.warn(problem)
  end
  if #problems == 0 then vim.health.ok('The settings are in order') end
  check_help()
  check_program()
  check_server()
end

return M
