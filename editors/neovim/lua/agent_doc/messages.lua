-- Shows messages and keeps the log for :AgentDoc log. Nothing here waits for a key. A message that
-- does not fit into one line would make Neovim wait ("Press ENTER"), and the stream with it. It is
-- therefore shortened; the log has all of it.
local M = {}

local kMaxLogLines = 2000
local kMore = ' (:AgentDoc log)'
local log = {} ---@type string[]
local log_buffer = nil ---@type integer?

local highlights = { [vim.log.levels.ERROR] = 'ErrorMsg', [vim.log.levels.WARN] = 'WarningMsg' }
-- LSP's MessageType
local levels =
  { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }

--- Returns foreign text with its control characters replaced, for one line of the screen.
function M.one_line(text) return (text:gsub('[%c\127]+', ' ')) end

--- Returns the beginning of `text` that fits into `cells` screen cells.
function M.shorten(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then return text end
  local kept = vim.fn.strcharpart(text, 0, math.max(cells - 1, 0))
  while kept ~= '' and vim.fn.strdisplaywidth(kept) > cells - 1 do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strcharlen(kept) - 1)
  end
  return kept .. '…'
end

function M.log(text)
  local stamp = os.date('%H:%M:%S ')
  local added = {}
  for line in vim.gsplit(text, '\n', { plain = true }) do
    table.insert(added, stamp .. (line:gsub('[%c\127]', ' ')))
    stamp = '         '
  end
  vim.list_extend(log, added)
  if #log > kMaxLogLines then log = vim.list_slice(log, #log - kMaxLogLines + 1) end
  if log_buffer and vim.api.nvim_buf_is_loaded(log_buffer) then
    vim.api.nvim_buf_set_lines(log_buffer, -1, -1, false, added)
  end
end

--- Returns whether a plugin replaced `vim.notify`, and so does not wait for a key.
local function has_own_notify()
  local source = debug.getinfo(vim.notify, 'S').source
  -- Some versions precompile Neovim's own, whose source is then '?'.
  return source ~= '?' and not source:find('^@?vim/_')
end

---@param level integer? of vim.log.levels
local function show(text, level)
  if has_own_notify() then
    vim.notify(text, level or vim.log.levels.INFO, { title = 'agent-doc' })
    return
  end
  local cells = (vim.o.cmdheight - 1) * vim.o.columns + vim.v.echospace
  local short = 'agent-doc: ' .. M.one_line(text)
  if vim.fn.strdisplaywidth(short) > cells then
    short = M.shorten(short, math.max(cells - #kMore, 20)) .. kMore
  end
  vim.cmd.redraw() -- clears an older message: two of them would wait for a key
  vim.api.nvim_echo({ { short, highlights[level] } }, true, {})
end

---@param level integer? of vim.log.levels
function M.tell(text, level)
  M.log(text)
  if vim.api.nvim_get_mode().mode:sub(1, 1) ~= 'c' then return show(text, level) end
  -- Do not cover a command line that is being typed.
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    once = true,
    callback = function()
      vim.schedule(function() show(text, level) end)
    end,
  })
end

--- Handles window/showMessage.
function M.on_show_message(params)
  M.tell(params.message or '', levels[params.type] or vim.log.levels.INFO)
end

--- Handles window/logMessage.
function M.on_log_message(params) M.log(params.message or '') end

-- Neovim 0.12 deprecates the old name.
local function log_path()
  local get = vim.lsp.log and vim.lsp.log.get_filename or vim.lsp.get_log_path
  return get()
end

--- Opens the log in a window.
function M.open_log(mods)
  if not (log_buffer and vim.api.nvim_buf_is_valid(log_buffer)) then
    log_buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(log_buffer, 'agent-doc://log')
    vim.bo[log_buffer].bufhidden = 'hide'
    local lines =
      { 'What agent-doc said. Standard error of the server is in ' .. log_path() .. '.' }
    vim.api.nvim_buf_set_lines(log_buffer, 0, -1, false, vim.list_extend(lines, log))
  end
  vim.cmd({ cmd = 'sbuffer', args = { tostring(log_buffer) }, mods = mods })
  vim.cmd.normal({ 'G', bang = true })
end

return M
