-- Neovim reads this file at startup. It defines the command, the <Plug> mappings and the
-- autocommand for markdown files; everything else is loaded on first use. There is no setup() to
-- call; see :help agent-doc-settings.
if vim.g.loaded_agent_doc then return end
vim.g.loaded_agent_doc = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify_once('agent-doc needs Neovim 0.10 or newer', vim.log.levels.ERROR)
  return
end

require('agent_doc.help').ensure_tags()

vim.api.nvim_create_user_command(
  'AgentDoc',
  function(call) require('agent_doc.command').run(call) end,
  {
    nargs = '*',
    desc = 'Talk with a coding agent in this markdown document',
    complete = function(...) return require('agent_doc.command').complete(...) end,
  }
)

for _, name in ipairs({
  'run',
  'stop',
  'steer',
  'unqueue',
  'fork',
  'retry',
  'new',
  'continue',
  'recover',
  'answer',
  'status',
  'log',
}) do
  vim.keymap.set(
    { 'n', 'i' },
    '<Plug>(agent-doc-' .. name .. ')',
    '<Cmd>AgentDoc ' .. name .. '<CR>',
    { desc = 'agent-doc: ' .. name }
  )
end

vim.api.nvim_create_autocmd({ 'FileType', 'BufWritePost' }, {
  group = vim.api.nvim_create_augroup('agent_doc', {}),
  desc = 'agent-doc: open session documents in the server',
  callback = function(event)
    if vim.bo[event.buf].filetype == 'markdown' then
      require('agent_doc.documents').look_at(event.buf)
    end
  end,
})
