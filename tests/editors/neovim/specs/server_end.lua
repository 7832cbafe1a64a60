-- The server is killed in the middle of a reply.
local editor = require('editor')

local function server_pid(session)
  local parent = tostring(session:lua('return vim.fn.getpid()'))
  local children = vim
    .system({ 'pgrep', '-P', parent, '-f', 'agent-doc serve' }, { text = true })
    :wait()
  return tonumber(children.stdout:match('%d+')) or error('no server runs')
end

return {
  {
    name = 'killed in the middle of a reply: it is said, the text stays, and a run starts it again',
    run = function()
      local session = editor.terminal({
        text = editor.document('Hello?\n'),
        configuration = editor.streaming_agent(1500, 2),
      })
      session:keys('\\ar')
      session:wait_for_text('w100 ')
      vim.uv.kill(server_pid(session), 'sigkill')
      editor.wait(
        'the message',
        function()
          return session:screen():find(
            'agent-doc: the server was ended by signal 9 in the middle of a reply',
            1,
            true
          )
        end
      )
      editor.same(
        session:lua('return vim.api.nvim_get_mode()'),
        { mode = 'n', blocking = false },
        'mode'
      )
      local text = session:text()
      local before = editor.document('Hello?\n\n## Assistant\n\n', 'fake\nresume: SESSION')
      editor.same(editor.with_session(text):sub(1, #before), before, 'what stands before the reply')
      editor.same(session:turn().state, 'interrupted', 'state')
      session:press('GoAgain!<Esc>')
      editor.same(session:text(), text .. 'Again!\n', 'the document')
      session:keys('\\ar')
      local turn = session:wait_for_end()
      editor.same(turn.state, 'done', 'state of the next turn')
      local after = session:text()
      editor.same(editor.with_session(after):sub(1, #before), before, 'what stood before')
      editor.same(
        after:match('\nAgain!\n\n## Assistant\n\n(.*)$'),
        editor.words(1500) .. '\n\n## User\n\n',
        'the second reply'
      )
    end,
  },
  {
    name = 'killed while nothing runs: the next run starts it again',
    run = function()
      local session = editor.headless({ text = editor.document('How do I stop you?\n', 'tour') })
      editor.wait(
        'the server',
        function() return session:lua('return #require("agent_doc.server").open_buffers()') == 1 end
      )
      vim.uv.kill(server_pid(session), 'sigkill')
      session:wait_for_message('the server was ended by signal 9. It was started again.')
      session:command_line('AgentDoc run')
      editor.same(session:wait_for_end().state, 'done', 'state')
    end,
  },
}
