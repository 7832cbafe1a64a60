-- The plugin right after its installation: what it does and does not do by itself, help, health,
-- completion, settings.
local editor = require('editor')

local function with_settings(settings, text)
  return editor.headless({ text = text, arguments = { '--cmd', 'let g:agent_doc = ' .. settings } })
end

local function mapping(session, lhs, mode)
  return session:lua('return vim.fn.maparg(...)', lhs, mode or 'n')
end

return {
  {
    name = 'other markdown files are left alone',
    run = function()
      local session = editor.headless({ text = '---\ntitle: Notes\n---\n\nSome notes.\n' })
      editor.same(mapping(session, '\\ar'), '', 'mapping')
      editor.same(session:lua('return #vim.lsp.get_clients()'), 0, 'clients')
      editor.same(
        session:lua([[return package.loaded['agent_doc.server'] == nil]]),
        true,
        'the server module is not loaded'
      )
    end,
  },
  {
    name = 'a session document gets the mappings and the server',
    run = function()
      local session = editor.headless({ text = '---\nagent: tour\n---\n\nHello?\n' })
      editor.wait(
        'the server',
        function() return session:lua('return #require("agent_doc.server").open_buffers()') == 1 end
      )
      editor.same(mapping(session, '\\ar'), '<Plug>(agent-doc-run)', 'mapping')
      editor.same(
        mapping(session, '<C-CR>', 'i'),
        '<Plug>(agent-doc-run)',
        'mapping of Insert mode'
      )
      editor.same(
        session:lua('return vim.lsp.get_clients({ name = "agent-doc" })[1].offset_encoding'),
        'utf-8',
        'encoding'
      )
    end,
  },
  {
    name = 'mappings of the person are kept, and ours can be left out or moved',
    run = function()
      local text = '---\nagent: tour\n---\n\nHello?\n'
      local arguments =
        { '--cmd', 'nnoremap \\ar :own<CR>', '--cmd', 'nmap gs <Plug>(agent-doc-stop)' }
      local own = editor.headless({ text = text, arguments = arguments })
      local mappings = { mapping(own, '\\ar'), mapping(own, '\\as'), mapping(own, '\\af') }
      editor.same(mappings, { ':own<CR>', '', '<Plug>(agent-doc-fork)' }, 'mappings')
      local none = with_settings('{"keymaps": v:false}', text)
      editor.same(mapping(none, '\\ar'), '', 'mapping')
      local moved = with_settings('{"prefix": "<Space>a"}', text)
      editor.same(
        { mapping(moved, '\\ar'), mapping(moved, '<Space>ar') },
        { '', '<Plug>(agent-doc-run)' },
        'mappings'
      )
    end,
  },
  {
    name = 'completion',
    run = function()
      local session = editor.headless({ text = '---\nagent: tour\n---\n\nHello?\n' })
      local function complete(line)
        return session:lua('return vim.fn.getcompletion(..., "cmdline")', line)
      end
      editor.same(complete('AgentDoc '), {
        'agents',
        'answer',
        'continue',
        'fork',
        'leave-out',
        'log',
        'new',
        'recover',
        'resume',
        'retry',
        'run',
        'show',
        'status',
        'steer',
        'stop',
        'unqueue',
      }, 'subcommands')
      editor.same(complete('AgentDoc st'), { 'status', 'steer', 'stop' }, 'st')
      editor.same(complete('AgentDoc run '), { 'agent=', 'model=' }, 'run')
      editor.same(complete('vertical AgentDoc fork d'), { 'doc.md' }, 'fork')
      editor.wait(
        'the server',
        function() return session:lua('return #require("agent_doc.server").open_buffers()') == 1 end
      )
      editor.same(complete('AgentDoc run agent=to'), { 'agent=tour' }, 'run agent=to')
      editor.same(
        complete('AgentDoc run model=x agent=tou'),
        { 'agent=tour' },
        'run model=x agent=tou'
      )
    end,
  },
  {
    name = 'what is no subcommand, or no argument of one, is told',
    run = function()
      local session = editor.headless({ text = 'Hello?\n' })
      session:command_line('AgentDoc fly')
      session:wait_for_message(
        'there is no :AgentDoc fly; there are agents, answer, continue, fork, leave-out, log, new, '
          .. 'recover, resume, retry, run, show, status, steer, stop, unqueue'
      )
      session:command_line('AgentDoc run fast')
      session:wait_for_message('expected agent=NAME or model=NAME, not `fast`')
      session:command_line('AgentDoc stop it')
      session:wait_for_message(':AgentDoc stop does not take `it`')
    end,
  },
  {
    name = 'buffers that cannot be documents are told apart',
    run = function()
      local session = editor.headless({ text = 'Hello?\n' })
      session:command_line('enew | set filetype=markdown | AgentDoc run')
      session:wait_for_message('this document has no name yet: give it one with :write NAME.md')
      session:command_line('edit notes.txt | AgentDoc run')
      session:wait_for_message('this is not a markdown document (.md, or filetype markdown)')
      session:command_line('help | AgentDoc run')
      session:wait_for_message('this buffer is not a file; agent-doc works in markdown files')
      editor.same(session:lua('return #vim.lsp.get_clients()'), 0, 'clients')
    end,
  },
  {
    name = 'help',
    run = function()
      local session = editor.headless({})
      local subjects = {
        'agent-doc',
        ':AgentDoc',
        'agent-doc-settings',
        'g:agent_doc',
        '<Plug>(agent-doc-run)',
        'AgentDocTurn',
      }
      for _, subject in ipairs(subjects) do
        session:command_line('help ' .. subject)
        editor.same(session:lua('return vim.fn.expand("%:t")'), 'agent-doc.txt', subject)
      end
      local help = editor.read_file(editor.plugin .. '/doc/agent-doc.txt')
      local widest = 0
      for line in vim.gsplit(help, '\n') do
        widest = math.max(widest, vim.fn.strdisplaywidth(line))
      end
      assert(widest <= 78, 'a line of the help has ' .. widest .. ' columns')
    end,
  },
  {
    name = 'help works in a package, with a plain runtimepath, loaded late, and where nothing can be written',
    run = function()
      local function fresh(home, name)
        local folder = home .. '/' .. name
        vim.fn.mkdir(vim.fs.dirname(folder), 'p')
        vim.fn.system({ 'cp', '-r', editor.plugin, folder })
        vim.fn.delete(folder .. '/doc/tags')
        return folder
      end
      local function finds_help(session)
        session:command_line('help agent-doc-settings')
        editor.same(session:lua('return vim.fn.expand("%:t")'), 'agent-doc.txt', 'the help')
      end
      local home = vim.fn.tempname()
      local package = fresh(home, 'data/nvim/site/pack/agent-doc/opt/agent-doc')
      local function without_plugin(...)
        return { plugin = false, home = editor.headless({}).home, arguments = { ... } }
      end
      finds_help(
        editor.headless(
          without_plugin(
            '--cmd',
            'set packpath^=' .. home .. '/data/nvim/site',
            '-c',
            'packadd agent-doc'
          )
        )
      )
      assert(vim.uv.fs_stat(package .. '/doc/tags'), 'no tags were made')
      finds_help(editor.headless(without_plugin('--cmd', 'set rtp^=' .. fresh(home, 'plain'))))
      local late = fresh(home, 'late')
      finds_help(
        editor.headless(
          without_plugin('-c', ('set rtp^=%s | runtime plugin/agent-doc.lua'):format(late))
        )
      )
      local fixed = fresh(home, 'fixed')
      vim.fn.mkdir(fixed .. '/doc/tags') -- nobody can write that file, the administrator included
      finds_help(editor.headless(without_plugin('--cmd', 'set rtp^=' .. fixed)))
    end,
  },
  {
    name = 'nothing that is deprecated is called',
    run = function(note)
      if editor.headless({}):lua('return vim.fn.has("nvim-0.11")') == 0 then
        return note('this Neovim keeps no list of what is deprecated')
      end
      local session = editor.headless({ text = editor.document('How do I stop you?\n', 'tour') })
      session:command_line('AgentDoc run')
      session:wait_for_end()
      session:command_line('AgentDoc log')
      session:command_line('wincmd p | AgentDoc status')
      session:command_line('saveas deprecated.md')
      session:command_line('AgentDoc new')
      session:command_line('checkhealth agent_doc')
      session:command_line('checkhealth vim.deprecated')
      local text =
        table.concat(session:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)'), '\n')
      assert(text:find('No deprecated functions detected', 1, true), text)
    end,
  },
  {
    name = 'a server that speaks a newer protocol is told once, in one sentence',
    run = function()
      local home = editor.headless({}).home
      local program = home .. '/newer'
      editor.write_file(
        program,
        ([[#!/bin/sh
exec %s "$@" | perl -e '$| = 1; while (sysread(STDIN, $b, 65536)) { $b =~ s/"protocol":1/"protocol":2/; print $b }'
]]):format(vim.fn.shellescape(editor.program))
      )
      vim.uv.fs_chmod(program, 493)
      local session = editor.headless({
        text = editor.document('Hello?\n', 'tour'),
        arguments = { '--cmd', ('let g:agent_doc = {"command": "%s"}'):format(program) },
      })
      session:wait_for_message(
        'speaks protocol 2, which is newer than this plugin: update the plugin (it knows 1).'
      )
      session:command_line('AgentDoc run')
      editor.same(session:wait_for_end().state, 'done', 'state')
      editor.same(
        select(2, session:messages():gsub('speaks protocol', '')),
        1,
        'how often it was told'
      )
    end,
  },
  {
    name = 'checkhealth',
    run = function()
      local session = with_settings('{"keymap": v:true}', '---\nagent: tour\n---\n\nHello?\n')
      editor.wait(
        'the server',
        function() return session:lua('return #require("agent_doc.server").open_buffers()') == 1 end
      )
      session:command_line('checkhealth agent_doc')
      local text =
        table.concat(session:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)'), '\n')
      for _, piece in ipairs({
        'vim.g.agent_doc has an unknown setting `keymap`',
        '(from PATH): agent-doc ',
        'tour: built in (the default)',
        'Not installed:',
        'with 1 open documents',
      }) do
        assert(text:find(piece, 1, true), ('%s is missing in\n%s'):format(piece, text))
      end
      assert(not text:find('ERROR', 1, true), text)
      for line in vim.gsplit(text, '\n') do
        local is_ours_to_cut = not line:find('(from PATH)', 1, true)
          and not line:find('=====', 1, true)
        assert(
          not is_ours_to_cut or vim.fn.strdisplaywidth(line) <= 110,
          'a line of the report is long: ' .. line
        )
      end
    end,
  },
  {
    name = 'the log has what was told, whole',
    run = function()
      local session = editor.headless({ text = editor.document('How do I stop you?\n', 'tour') })
      session:command_line('AgentDoc run')
      session:wait_for_end()
      session:command_line('AgentDoc log')
      editor.wait('the end of the turn in the log', function()
        local lines = session:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
        return table.concat(lines, '\n'):find('doc.md: turn done; ', 1, true)
      end)
      editor.same(session:lua('return vim.bo.modified'), false, 'modified')
    end,
  },
  {
    name = 'a document that gets another name is another document',
    run = function()
      local session = editor.headless({ text = editor.document('How do I stop you?\n', 'tour') })
      editor.wait(
        'the server',
        function() return session:lua('return #require("agent_doc.server").open_buffers()') == 1 end
      )
      session:command_line('saveas renamed.md')
      session:command_line('AgentDoc run')
      editor.wait('the end of the turn', function()
        local turn = session:lua(
          'local turn = require("agent_doc").turn() return turn and vim.deepcopy(turn) or vim.NIL'
        )
        return turn ~= vim.NIL and turn.replyLanded and turn.uri:find('renamed%.md$')
      end)
    end,
  },
}
