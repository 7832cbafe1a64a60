-- Parses and completes the command :AgentDoc. init.lua implements the subcommands.
local M = {}

local function agent_doc() return require('agent_doc') end
local function complain(why) require('agent_doc.messages').tell(why, vim.log.levels.ERROR) end

--- Parses agent=NAME and model=NAME. Returns nil and the reason for any other word.
local function run_options(words)
  local options = {}
  for _, word in ipairs(words) do
    local name, value = word:match('^(%a+)=(.+)$')
    if name ~= 'agent' and name ~= 'model' then
      return nil, ('expected agent=NAME or model=NAME, not `%s`'):format(word)
    end
    options[name] = value
  end
  return options
end

local function agent_words()
  return vim.tbl_map(function(name) return 'agent=' .. name end, agent_doc().agents())
end

--- Returns the value of the first word `NAME=VALUE`, and the first other word.
local function named_and_other(words, name)
  local named, other
  for _, word in ipairs(words) do
    local value = word:match('^' .. name .. '=(.+)$')
    if value then
      named = named or value
    else
      other = other or word
    end
  end
  return named, other
end

--- Returns `turn=N` for each reply in the document.
local function turn_words()
  local words = {}
  for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find('^## Assistant%s*$') then table.insert(words, 'turn=' .. #words + 1) end
  end
  return words
end

---@class agent_doc.Subcommand
---@field run fun(words: string[], call: table)
---@field words? integer the maximal number of words
---@field complete? fun(lead: string, words: string[]): string[] `words` come before `lead`

---@type table<string, agent_doc.Subcommand>
local subcommands = {
  run = {
    words = 2,
    run = function(words)
      local options, why = run_options(words)
      if not options then return complain(why) end
      agent_doc().run(options)
    end,
    complete = function(lead)
      if not vim.startswith(lead, 'agent=') then return { 'agent=', 'model=' } end
      return agent_words()
    end,
  },
  stop = { run = function() agent_doc().stop() end },
  steer = { run = function() agent_doc().steer() end },
  unqueue = { run = function() agent_doc().unqueue() end },
  retry = { run = function() agent_doc().retry() end },
  new = { run = function() agent_doc().new() end },
  show = { run = function() agent_doc().show() end },
  ['leave-out'] = {
    words = 1,
    run = function(words)
      if words[1] and words[1] ~= 'all' then
        return complain(('expected all, not `%s`'):format(words[1]))
      end
      agent_doc().leave_out({ all = words[1] == 'all' })
    end,
    complete = function() return { 'all' } end,
  },
  continue = { run = function() agent_doc().continue() end },
  recover = { run = function() agent_doc().recover() end },
  status = { run = function() agent_doc().status() end },
  log = { run = function(_, call) require('agent_doc.messages').open_log(call.smods) end },
  fork = {
    words = 2,
    run = function(words, call)
      local turn, target = named_and_other(words, 'turn')
      if turn and not turn:find('^%d+$') then
        return complain(('expected turn=NUMBER, not `turn=%s`'):format(turn))
      end
      agent_doc().fork({ target = target, turn = tonumber(turn), mods = call.smods })
    end,
    complete = function(lead)
      if vim.startswith(lead, 'turn=') then return turn_words() end
      return vim.list_extend(lead == '' and turn_words() or {}, vim.fn.getcompletion(lead, 'file'))
    end,
  },
  agents = { run = function() agent_doc().choose_agent() end },
  resume = {
    words = 2,
    run = function(words)
      local agent, session_id = named_and_other(words, 'agent')
      agent_doc().resume({ agent = agent, session_id = session_id })
    end,
    complete = function(lead, words)
      if vim.startswith(lead, 'agent=') then return agent_words() end
      local agent = named_and_other(words, 'agent')
      return vim.list_extend({ 'agent=' }, agent_doc().session_ids(agent))
    end,
  },
  answer = {
    words = 1,
    run = function(words) agent_doc().answer(words[1]) end,
    complete = function()
      local turn = agent_doc().turn()
      return vim.tbl_map(
        function(option) return option.id end,
        vim.tbl_get(turn or {}, 'permission', 'options') or {}
      )
    end,
  },
}

local function names()
  local list = vim.tbl_keys(subcommands)
  table.sort(list)
  return list
end

--- Runs the typed :AgentDoc command.
function M.run(call)
  local words = vim.list_slice(call.fargs)
  local name = table.remove(words, 1) or 'status'
  local subcommand = subcommands[name]
  if not subcommand then
    return complain(
      ('there is no :AgentDoc %s; there are %s'):format(name, table.concat(names(), ', '))
    )
  end
  if #words > (subcommand.words or 0) then
    return complain((':AgentDoc %s does not take `%s`'):format(name, words[#words]))
  end
  subcommand.run(words, call)
end

function M.complete(lead, line)
  local name = line:match('AgentDoc!?%s+(%S+)%s')
  local choices = names()
  if name then
    local subcommand = subcommands[name]
    local words = vim.split(vim.trim(line:match('AgentDoc!?%s+%S+%s(.*)$') or ''), '%s+')
    choices = subcommand and subcommand.complete and subcommand.complete(lead, words) or {}
  end
  return vim.tbl_filter(function(choice) return vim.startswith(choice, lead) end, choices)
end

return M
