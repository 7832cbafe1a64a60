-- Agents, sessions and turns: chosen with vim.ui.select, and completed after :AgentDoc.
local editor = require('editor')

local kRecording = vim.fs.dirname(editor.plugin)
  .. '/../tests/transcripts/acp/opencode-session-list.ndjson'

--- Configures an agent that keeps sessions, from a recording of a real one.
local function keeper()
  local program = vim.fs.dirname(editor.program) .. '/tests/rpc_replay_agent'
  return ('[agents.keeper]\ndialect = "opencode"\ncommand = "%s"\nargs = ["%s"]\n'):format(
    program,
    vim.uv.fs_realpath(kRecording)
  )
end

local function start(text)
  local session =
    editor.headless({ text = text, configuration = keeper() .. editor.streaming_agent(36, 0) })
  session:lua([[
    vim.ui.select = function(items, options, chosen)
      local lines = vim.tbl_map(options.format_item, items)
      _G.asked = { prompt = options.prompt, kind = options.kind, lines = lines }
      _G.choose = function(index) chosen(items[index], index) end
    end
  ]])
  editor.wait(
    'the server',
    function() return session:lua('return #require("agent_doc.server").open_buffers()') == 1 end
  )
  return session
end

local function asked(session)
  return editor.wait('the choice', function()
    local now = session:lua('return _G.asked or vim.NIL')
    return now ~= vim.NIL and now
  end)
end

local function complete(session, line)
  return session:lua('return vim.fn.getcompletion(..., "cmdline")', line)
end

return {
  {
    name = 'a session is chosen, and the next run goes on with it',
    run = function()
      local session = start('---\nagent: keeper\n---\n\nHello?\n')
      session:command_line('AgentDoc resume')
      local choice = asked(session)
      editor.same(
        { choice.prompt, choice.kind },
        { 'Continue a session of keeper:', 'agent_doc_session' },
        'what is asked'
      )
      local ids = complete(session, 'AgentDoc resume ')
      editor.same(table.remove(ids, 1), 'agent=', 'the first completion')
      editor.same(#choice.lines, #ids, 'sessions to choose from, and completed')
      session:lua('_G.choose(1)')
      editor.same(
        session:text(),
        ('---\nagent: keeper\nresume: %s\n---\n\nHello?\n'):format(ids[1]),
        'the document'
      )
      session:command_line('AgentDoc resume')
      session:wait_for_message('this document already has a session')
    end,
  },
  {
    name = 'a session by its name, in a file without front matter',
    run = function()
      local session = start('---\nagent: keeper\n---\n')
      session:command_line('edit plain.md')
      session:lua('vim.api.nvim_buf_set_lines(0, 0, -1, false, { "Hello?" })')
      session:command_line('AgentDoc resume agent=keeper ses_1')
      editor.wait('the front matter', function()
        local lines = session:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
        return vim.deep_equal(
          lines,
          { '---', 'agent: keeper', 'resume: ses_1', '---', '', 'Hello?' }
        )
      end)
    end,
  },
  {
    name = 'an agent that lists no sessions is told',
    run = function()
      local session = start('---\nagent: tour\n---\n\nHello?\n')
      session:command_line('AgentDoc resume')
      session:wait_for_message('tour tells no other program which sessions it keeps')
    end,
  },
  {
    name = 'an agent is chosen, and replies',
    run = function()
      local session = start(editor.document('Hello?\n', 'tour'))
      session:command_line('AgentDoc agents')
      local choice = asked(session)
      editor.same(
        { choice.prompt, choice.kind },
        { 'Which agent should reply?', 'agent_doc_agent' },
        'what is asked'
      )
      local fake
      for index, line in ipairs(choice.lines) do
        fake = line == 'fake' and index or fake
      end
      assert(
        choice.lines[#choice.lines]:find('(not installed)', 1, true),
        'those that are missing come last'
      )
      session:lua('_G.choose(...)', assert(fake, 'the agent is not listed'))
      session:wait_for_end()
      assert(
        session:text():find('## Assistant\n\n' .. editor.words(36) .. '\n', 1, true),
        session:text()
      )
    end,
  },
  {
    name = 'turns are completed, and a fork ends with one',
    run = function()
      local session = start(
        editor.document(
          '## User\n\nOne?\n\n## Assistant\n\nYes.\n\n## User\n\nTwo?\n\n## Assistant\n\nNo.\n',
          'fake\nresume: s-1'
        )
      )
      editor.same(complete(session, 'AgentDoc fork turn='), { 'turn=1', 'turn=2' }, 'completion')
      editor.same(
        complete(session, 'AgentDoc fork '),
        { 'turn=1', 'turn=2', 'doc.md' },
        'completion'
      )
      session:command_line('AgentDoc fork turn=1')
      editor.wait(
        'the fork',
        function()
          return session:lua('return vim.api.nvim_buf_get_name(0)'):find('doc%-fork%.md$')
        end
      )
      local text =
        table.concat(session:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)'), '\n')
      assert(text:find('Yes.', 1, true) and not text:find('Two?', 1, true), text)
    end,
  },
}
