-- Recognises session documents, opens them in the server and adds the default mappings. Other
-- markdown files are left alone until a turn is run in them.
local api = vim.api
local messages = require('agent_doc.messages')
local settings = require('agent_doc.settings')

local M = {}

local kFrontMatterRows, kMaxFrontMatterRows = 32, 500

-- Front matter with one of these keys makes a session document.
local keys = { agent_doc_session = true, agent = true }

---@return integer count, string[] lines
local function front_matter_in(lines)
  local first = 1
  while lines[first] and lines[first]:gsub('^\239\187\191', ''):find('^%s*$') do
    first = first + 1
  end
  if not (lines[first] or ''):gsub('^\239\187\191', ''):find('^%-%-%-%s*$') then return 0, {} end
  for row = first + 1, #lines do
    if lines[row]:find('^%-%-%-%s*$') then return row, vim.list_slice(lines, first + 1, row - 1) end
  end
  return 0, {}
end

--- Returns the number of rows of the front matter including its fences, 0 if there is none, and the
--- lines between the fences.
---@return integer count, string[] lines
function M.front_matter_rows(buffer)
  local count, lines = front_matter_in(api.nvim_buf_get_lines(buffer, 0, kFrontMatterRows, false))
  if count > 0 then return count, lines end
  return front_matter_in(api.nvim_buf_get_lines(buffer, 0, kMaxFrontMatterRows, false))
end

function M.is_session(buffer)
  local _, lines = M.front_matter_rows(buffer)
  for _, line in ipairs(lines) do
    if keys[line:match('^([%w_]+)%s*:')] then return true end
  end
  return false
end

--- Returns why the server cannot open the buffer, or nil if it can.
function M.problem(buffer)
  if vim.bo[buffer].buftype ~= '' then
    return 'this buffer is not a file; agent-doc works in markdown files'
  end
  local name = api.nvim_buf_get_name(buffer)
  if name == '' then return 'this document has no name yet: give it one with :write NAME.md' end
  if name:find('^%a[%w+.-]*://') then return 'agent-doc works in markdown files on this machine' end
  if
    vim.bo[buffer].filetype ~= 'markdown'
    and not name:find('%.md$')
    and not name:find('%.markdown$')
  then
    return 'this is not a markdown document (.md, or filetype markdown)'
  end
end

local mappings = {
  { 'r', 'run', 'run: send the open prompt' },
  { 's', 'stop', 'stop the reply' },
  { 'f', 'fork', 'fork into a new document' },
  { 't', 'retry', 'try the last prompt again' },
  { 'n', 'new', 'begin a new session' },
  { 'c', 'continue', 'write the rest of the reply' },
  { 'a', 'answer', "answer the agent's question" },
  { 'i', 'status', 'status of the turn' },
  { 'l', 'log', 'log' },
}

local function map(buffer, modes, lhs, name, description)
  local plug = '<Plug>(agent-doc-' .. name .. ')'
  for _, mode in ipairs(modes) do
    local free = vim.fn.maparg(lhs, mode) == '' and vim.fn.hasmapto(plug, mode) == 0
    if free then
      vim.keymap.set(mode, lhs, plug, { buffer = buffer, desc = 'agent-doc: ' .. description })
    end
  end
end

local function add_mappings(buffer)
  vim.b[buffer].agent_doc_mapped = true
  if not settings.get('keymaps') then return end
  api.nvim_buf_call(buffer, function()
    for _, mapping in ipairs(mappings) do
      map(buffer, { 'n' }, settings.get('prefix') .. mapping[1], mapping[2], mapping[3])
    end
    map(buffer, { 'n', 'i' }, '<C-CR>', 'run', 'run: send the open prompt')
  end)
end

--- Maps keys in a session document and opens it in the server. Ignores other buffers.
function M.look_at(buffer)
  if not api.nvim_buf_is_loaded(buffer) or M.problem(buffer) or not M.is_session(buffer) then
    return
  end
  if not vim.b[buffer].agent_doc_mapped then add_mappings(buffer) end
  local server = require('agent_doc.server')
  if server.is_open(buffer) or vim.b[buffer].agent_doc_told then return end
  local ok, why = server.open(buffer)
  if not ok then
    vim.b[buffer].agent_doc_told = true -- warn once: the person may only want to read
    messages.tell(why, vim.log.levels.WARN)
  end
end

--- A run may have made the buffer a session document.
function M.on_turn(buffer)
  if not vim.b[buffer].agent_doc_mapped then M.look_at(buffer) end
end

--- Opens all session documents again after the server was restarted.
function M.look_at_all()
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == 'markdown' then
      M.look_at(buffer)
    end
  end
end

-- To the server, a renamed document is a different document.
local group = api.nvim_create_augroup('agent_doc_documents', {})
api.nvim_create_autocmd(
  'BufFilePre',
  { group = group, callback = function(event) require('agent_doc.server').close(event.buf) end }
)
api.nvim_create_autocmd('BufFilePost', {
  group = group,
  callback = function(event)
    if vim.bo[event.buf].filetype == 'markdown' then M.look_at(event.buf) end
  end,
})

return M
