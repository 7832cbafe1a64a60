-- The commands for a turn: run, stop, answer, fork, resume; and the messages when they are not
-- possible.
local editor = require('editor')

local function fake(deltas, interval_ms)
  return editor.streaming_agent(deltas or 5000, interval_ms or 2)
end

--- Checks that the turn is cancelled and the document has its frame and the beginning of the reply.
local function check_stopped(session, turn)
  editor.same(turn.state, 'cancelled', 'state')
  local text = editor.with_session(session:text())
  local before = editor.document('Hello?\n\n## Assistant\n\n', 'fake\nresume: SESSION')
  editor.same(text:sub(1, #before), before, 'what stands before the reply')
  local reply, rest = text:sub(#before + 1):match('^(.-)(\n\n## User\n.*)$')
  editor.same(rest, '\n\n## User\n\n', 'what stands after the reply')
  assert(#reply > 0, 'nothing of the reply is there')
  local words = editor.words(5000)
  editor.same(reply, words:sub(1, #reply), 'the reply')
end

local function ask(session, question)
  session:lua(
    [[
    vim.api.nvim_buf_set_lines(0, -1, -1, false, { ... })
    vim.cmd('AgentDoc run')
  ]],
    question
  )
end

local function wait_for_question(session)
  return editor.wait('a question', function()
    local turn = session:turn()
    return turn ~= vim.NIL and turn.permission and turn
  end)
end

return {
  {
    name = 'stop by key',
    run = function()
      local session =
        editor.terminal({ text = editor.document('Hello?\n'), configuration = fake() })
      session:keys('\\ar')
      session:wait_for_text('w100 ')
      session:keys('\\as')
      check_stopped(session, session:wait_for_end())
    end,
  },
  {
    name = 'stop by command',
    run = function()
      local session =
        editor.headless({ text = editor.document('Hello?\n'), configuration = fake() })
      session:command_line('AgentDoc run')
      session:wait_for_text('w100 ')
      session:command_line('AgentDoc stop')
      check_stopped(session, session:wait_for_end())
    end,
  },
  {
    name = 'stop by the cancel button of the progress',
    run = function()
      local session =
        editor.headless({ text = editor.document('Hello?\n'), configuration = fake() })
      session:lua([[
        vim.api.nvim_create_autocmd('LspProgress', {
          callback = function(event) _G.token = event.data.params.token end,
        })
        vim.cmd('AgentDoc run')
      ]])
      session:wait_for_text('w100 ')
      session:lua([[
        local client = vim.lsp.get_clients({ name = 'agent-doc' })[1]
        client.rpc.notify('window/workDoneProgress/cancel', { token = _G.token })
      ]])
      check_stopped(session, session:wait_for_end())
    end,
  },
  {
    name = 'stop when nothing runs',
    run = function()
      local session = editor.headless({ text = editor.document('Hello?\n', 'tour') })
      session:command_line('AgentDoc run')
      session:wait_for_end()
      session:command_line('AgentDoc stop')
      session:wait_for_message('nothing runs in this document')
    end,
  },
  {
    name = 'a second run is refused',
    run = function()
      local session =
        editor.headless({ text = editor.document('Hello?\n'), configuration = fake() })
      session:command_line('AgentDoc run')
      session:wait_for_text('w10 ')
      session:command_line('AgentDoc run')
      session:wait_for_message('a turn is running in doc.md already: stop it or wait for its end')
      session:command_line('AgentDoc stop')
      check_stopped(session, session:wait_for_end())
    end,
  },
  {
    name = 'a run while a turn runs waits for its end, once, and can be taken back',
    run = function()
      local session =
        editor.headless({ text = editor.document('Hello?\n'), configuration = fake(300) })
      session:command_line('AgentDoc run')
      session:wait_for_text('w10 ')
      ask(session, 'Two?')
      session:wait_for_message('queued: it goes when the turn is done')
      session:command_line('AgentDoc unqueue')
      session:wait_for_message('taken back: it is not sent')
      session:command_line('AgentDoc unqueue')
      session:wait_for_message('nothing is queued')
      session:command_line('AgentDoc run')
      editor.wait('a queued prompt', function()
        local turn = session:turn()
        return turn ~= vim.NIL and turn.queued
      end)
      local first = session:turn().turn
      editor.wait('the second turn', function()
        local turn = session:turn()
        return turn ~= vim.NIL and turn.turn ~= first and turn.state == 'done' and turn.replyLanded
      end)
      editor.same(
        editor.with_session(session:text()),
        editor.document(
          (
            'Hello?\n\n## Assistant\n\n%s\n\n## User\n\nTwo?\n\n## Assistant\n\n%s'
            .. '\n\n## User\n\n'
          ):format(
            editor.words(300),
            editor.words(300, 2)
          ),
          'fake\nresume: SESSION'
        ),
        'the document'
      )
    end,
  },
  {
    name = 'the agent is missing',
    run = function()
      local text = editor.document('Hello?\n')
      local session = editor.headless({
        text = text,
        configuration = '[agents.fake]\ndialect = "claude"\ncommand = "/nowhere/fake"\n',
      })
      session:command_line('AgentDoc run')
      session:wait_for_message('/nowhere/fake')
      editor.same(session:text(), text, 'the document')
    end,
  },
  {
    name = 'the program agent-doc is missing',
    run = function()
      local text = editor.document('Hello?\n')
      local session = editor.headless({
        text = text,
        arguments = { '--cmd', 'let g:agent_doc = {"command": "/nowhere/agent-doc"}' },
      })
      session:wait_for_message(
        'vim.g.agent_doc.command names /nowhere/agent-doc, which is not an executable program'
      )
      session:command_line('AgentDoc run')
      editor.same(session:text(), text, 'the document')
    end,
  },
  {
    name = 'permission: allowed and denied by :AgentDoc answer',
    run = function()
      local session = editor.headless({ text = editor.document('What time is it?\n', 'tour') })
      session:command_line('AgentDoc run')
      local asking = wait_for_question(session)
      session:wait_for_message(
        'tour asks for your permission: Tour: look at the clock (:AgentDoc answer)'
      )
      session:command_line('AgentDoc answer allow')
      local allowed = session:wait_for_end()
      editor.same({ asking.turn, allowed.state }, { allowed.turn, 'done' }, 'turn')
      assert(session:text():find('UTC', 1, true), 'the clock was not looked at')
      ask(session, 'What time is it now?')
      wait_for_question(session)
      session:command_line('AgentDoc answer deny')
      local denied = session:wait_for_end(allowed.turn)
      editor.same(denied.state, 'done', 'state')
      editor.same(select(2, session:text():gsub('UTC', '')), 1, 'times told')
      session:command_line('AgentDoc answer allow')
      session:wait_for_message('the agent of this document is not asking anything')
    end,
  },
  {
    name = 'permission: chosen in the list, by keys; typing before is not an answer',
    run = function()
      local session = editor.terminal({ text = editor.document('What time is it?\n', 'tour') })
      session:keys('\\ar')
      local asking = wait_for_question(session)
      session:press('Go1 y 2\r<Esc>')
      editor.same(session:turn().permission.id, asking.permission.id, 'the question')
      session:keys('\\aa')
      editor.wait('the list', function() return session:screen():find('1: Allow once', 1, true) end)
      session:keys('1\r')
      editor.same(session:wait_for_end().state, 'done', 'state')
      editor.same(session:text():match('## User\n\n(.*)$'), '1 y 2\n\n', 'what was typed')
    end,
  },
  {
    name = 'permission: asked at once, when the person wants that and is in Normal mode',
    run = function()
      local session = editor.headless({
        text = editor.document('What time is it?\n', 'tour'),
        arguments = { '--cmd', 'let g:agent_doc = {"ask_at_once": v:true}' },
      })
      session:lua([[
        vim.ui.select = function(options, settings, choose)
          _G.asked = { settings.prompt, vim.tbl_map(settings.format_item, options) }
          choose(options[3])
        end
        vim.cmd('AgentDoc run')
      ]])
      editor.same(session:wait_for_end().state, 'done', 'state')
      local wanted =
        { 'tour: Tour: look at the clock', { 'Allow once', 'Always allow Tour', 'Deny' } }
      editor.same(session:lua('return _G.asked'), wanted, 'what was asked')
      assert(not session:text():find('UTC', 1, true), 'the clock was looked at')
    end,
  },
  {
    name = 'permission: all of a long change is shown, in a buffer that cannot be changed',
    run = function()
      local session = editor.headless({
        text = editor.document('Hello?\n'),
        configuration = editor.writing_agent(40),
      })
      session:command_line('AgentDoc run')
      wait_for_question(session)
      session:wait_for_message(
        'fake asks for your permission: edit: Write new.txt change of new.txt:     + line 1 '
      )
      session:lua([[
        vim.ui.select = function(options, settings, choose)
          _G.asked = vim.tbl_map(settings.format_item, options)
          choose(options[#options])
        end
        vim.cmd('AgentDoc answer')
      ]])
      local asked = session:lua('return _G.asked')
      editor.same(asked, { 'Allow', 'Reject', 'Show all of it' }, 'what was asked')
      local shown = {
        'fake wants to use edit (:AgentDoc answer, in its document)',
        '',
        'Write new.txt',
        'change of new.txt:',
      }
      for line = 1, 40 do
        table.insert(shown, '    + line ' .. line)
      end
      local lines = session:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
      editor.same(lines, shown, 'all of it')
      editor.same(
        session:lua([[return { vim.bo.modifiable, (pcall(vim.cmd, 'normal! itext')) }]]),
        { false, false },
        'whether it can be changed'
      )
      session:command_line('close')
      session:command_line('AgentDoc answer no')
      editor.same(session:wait_for_end().state, 'done', 'state')
      session:wait_for_text('Done.')
    end,
  },
  {
    name = 'permission: stop takes the question back',
    run = function()
      local session = editor.headless({ text = editor.document('What time is it?\n', 'tour') })
      session:command_line('AgentDoc run')
      wait_for_question(session)
      session:command_line('AgentDoc stop')
      editor.same(session:wait_for_end().state, 'cancelled', 'state')
    end,
  },
  {
    name = 'permission: the document is closed while the question is open',
    run = function()
      local session = editor.headless({ text = editor.document('What time is it?\n', 'tour') })
      session:command_line('AgentDoc run')
      wait_for_question(session)
      session:command_line('write')
      session:command_line('bwipeout!')
      editor.wait('the reply in the file', function()
        local text = editor.read_file(session.document)
        return text:find('## Assistant\n\n[^\n#].-\n\n## User\n')
      end)
    end,
  },
  {
    name = 'the session goes on after the editor was restarted',
    run = function()
      local first = editor.headless({ text = editor.document('My word is sesame.\n', 'tour') })
      first:command_line('AgentDoc run')
      local before = first:wait_for_end()
      first:command_line('write')
      first:close()
      local second = editor.headless({ home = first.home })
      ask(second, 'history')
      local after = second:wait_for_end()
      editor.same(after.sessionId, before.sessionId, 'the session')
      local _, reply = second:text():match('## Assistant\n(.-)## User.*## Assistant\n(.-)## User')
      assert(
        reply:find('My word is sesame.', 1, true),
        'the agent does not know what was said before'
      )
    end,
  },
  {
    name = 'fork opens the new document, and goes on in it',
    run = function()
      local session = editor.headless({ text = editor.document('My word is sesame.\n', 'tour') })
      session:command_line('AgentDoc run')
      local before = session:wait_for_end()
      session:command_line('AgentDoc fork')
      editor.wait(
        'the fork',
        function()
          return session:lua('return vim.api.nvim_buf_get_name(0)'):find('doc%-fork%.md$')
        end
      )
      ask(session, 'history')
      local after = editor.wait('the end of its turn', function()
        local turn = session:lua(
          'local turn = require("agent_doc").turn() return turn and vim.deepcopy(turn) or vim.NIL'
        )
        return turn ~= vim.NIL and turn.replyLanded and turn
      end)
      assert(after.sessionId ~= before.sessionId, 'the fork has no session of its own')
      local text =
        table.concat(session:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)'), '\n')
      assert(
        text:match('history.*## Assistant.*My word is sesame'),
        'the fork does not know what was said before'
      )
      session:command_line([[vertical AgentDoc fork other\ %way.md]])
      editor.wait('a window beside', function()
        local windows, name =
          unpack(session:lua('return { #vim.api.nvim_list_wins(), vim.api.nvim_buf_get_name(0) }'))
        return windows == 2 and name:find('other %%way%.md$')
      end)
      session:command_line('AgentDoc stop')
      -- Everything that the server had to ask was asked before this.
      session:wait_for_message('nothing runs in this document')
      editor.same(session:lua('return #vim.api.nvim_list_wins()'), 2, 'windows')
    end,
  },
  {
    name = 'what the agent has not seen is marked, shown and left out',
    run = function()
      local session =
        editor.headless({ text = editor.document('Hello?\n'), configuration = fake(36, 0) })
      local function hints()
        return table.concat(
          session:lua([[
            return vim.tbl_map(
              function(one) return one.lnum .. ' ' .. one.severity .. ' ' .. one.message end,
              vim.diagnostic.get(0)
            )
          ]]),
          '\n'
        )
      end
      session:command_line('AgentDoc run')
      session:wait_for_end()
      session:lua([[
        vim.fn.cursor(vim.fn.search('^Hello?'), 1)
        vim.api.nvim_set_current_line('Hello there?')
      ]])
      local row = session:lua('return vim.fn.line(".") - 1')
      editor.wait('the hint', function() return hints() ~= '' end)
      editor.same(hints(), row .. ' 4 Not yet seen by fake.', 'the hint')
      session:command_line('AgentDoc show')
      editor.wait(
        'what will be sent',
        function()
          return session:lua('return vim.api.nvim_buf_get_name(0)'):find('agent%-doc%-prompt')
        end
      )
      local shown = session:lua([[
        local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
        return { table.concat(lines, '\n'), vim.bo.readonly }
      ]])
      assert(shown[1]:find('\n-Hello?\n+Hello there?\n', 1, true), shown[1])
      editor.same(shown[2], true, 'readonly')
      session:command_line('buffer doc.md')
      session:command_line('AgentDoc leave-out')
      session:wait_for_message('1 change counts as seen: not sent with the next run')
      editor.wait('no hint', function() return hints() == '' end)
      session:command_line('AgentDoc leave-out all')
      session:wait_for_message('nothing that was changed since its agent saw it')
    end,
  },
  {
    name = 'retry replaces the last reply, as a step of its own',
    run = function()
      local session =
        editor.headless({ text = editor.document('Hello?\n'), configuration = fake(36, 0) })
      local function expected(turn)
        return editor.document(
          'Hello?\n\n## Assistant\n\n' .. editor.words(36, turn) .. '\n\n## User\n\n',
          'fake\nresume: SESSION'
        )
      end
      session:command_line('AgentDoc run')
      local before = session:wait_for_end()
      editor.same(editor.with_session(session:text()), expected(1), 'the first reply')
      session:command_line('AgentDoc retry')
      session:wait_for_end(before.turn)
      editor.same(editor.with_session(session:text()), expected(2), 'the second')
      session:command_line('undo')
      editor.same(editor.with_session(session:text()), expected(1), 'undone')
    end,
  },
  {
    name = 'a code action runs and stops',
    run = function()
      local session =
        editor.headless({ text = editor.document('Hello?\n'), configuration = fake() })
      editor.wait(
        'the server',
        function() return session:lua('return #require("agent_doc.server").open_buffers()') == 1 end
      )
      local function act(title)
        session:lua(
          [[
          local title = ...
          vim.lsp.buf.code_action({
            filter = function(action) return action.title == title end,
            apply = true,
          })
        ]],
          title
        )
      end
      act('agent-doc: Run')
      session:wait_for_text('w100 ')
      act('agent-doc: Stop')
      check_stopped(session, session:wait_for_end())
    end,
  },
  {
    name = 'a new session',
    run = function()
      local session = editor.headless({ text = editor.document('Hello?\n', 'tour') })
      session:command_line('AgentDoc run')
      session:wait_for_end()
      session:command_line('AgentDoc new')
      editor.wait('no session', function() return not session:text():find('resume:', 1, true) end)
    end,
  },
  {
    name = 'a file without front matter becomes a session document by a run',
    run = function()
      local session = editor.headless({ text = 'How do I stop you?\n' })
      editor.same(
        session:lua('return { vim.fn.maparg("\\\\ar", "n"), #vim.lsp.get_clients() }'),
        { '', 0 },
        'before'
      )
      session:command_line('AgentDoc run')
      session:wait_for_end()
      editor.same(
        session:lua('return vim.fn.maparg("\\\\ar", "n")'),
        '<Plug>(agent-doc-run)',
        'after'
      )
      assert(
        session:text():find('^%-%-%-\nagent_doc_session: %x[%x-]+\nagent: tour\nresume: '),
        'the front matter is missing'
      )
    end,
  },
  {
    name = 'a turn is shown while it runs, and not afterwards',
    run = function()
      local session =
        editor.terminal({ text = editor.document('Hello?\n'), configuration = fake(400, 2) })
      session:lua([[vim.o.statusline = "%f %{%v:lua.require'agent_doc'.statusline()%}"]])
      session:keys('\\ar')
      editor.wait(
        'the line at the head of the reply',
        function() return session:screen():find('## Assistant +fake · [^\n]* · %d+ s') end
      )
      editor.wait(
        'the status line',
        function() return session:screen():find('doc.md fake · [^\n]* · %d+ s') end
      )
      editor.wait(
        'the highlight of what was written',
        function()
          return session:lua([[
          local namespace = vim.api.nvim_create_namespace('agent_doc')
          local marks = vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
          return vim.iter(marks):any(function(mark) return mark[4].hl_group == 'AgentDocReply' end)
        ]])
        end
      )
      session:wait_for_end()
      editor.wait('nothing of it', function() return not session:screen():find('fake ·') end)
      local marks = session:lua([[
        local namespace = vim.api.nvim_create_namespace('agent_doc')
        return vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, {})
      ]])
      editor.same(marks, {}, 'marks')
      session:command_line('AgentDoc status')
      session:wait_for_message('agent-doc: fake · done · ')
    end,
  },
}
