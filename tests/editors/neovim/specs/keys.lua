-- Keys typed right after run belong to the next prompt: none is in the question that was sent, and
-- none is lost.
local editor = require('editor')

local kRun = '\27[13;5u' -- <C-CR>, as terminals send it that can
local kTyped = 'And the next one, at once.'
local kQuestion = 'Hello, who are you?\n\nWhat can you do?\n'

local function start(body, agent)
  local session = editor.terminal({
    text = editor.document(body, agent),
    configuration = editor.streaming_agent(60, 1),
  })
  editor.wait(
    'the server',
    function() return session:lua('return #require("agent_doc.server").open_buffers()') == 1 end
  )
  return session
end

local function answered(question, typed)
  return editor.document(
    question .. '\n## Assistant\n\n' .. editor.words(60) .. '\n\n## User\n\n' .. typed,
    'fake\nresume: SESSION'
  )
end

--- Ends the server, so that the next run has to start it.
local function end_server(session)
  session:lua([[
    local client = vim.lsp.get_clients({ name = 'agent-doc' })[1]
    if vim.fn.has('nvim-0.11') == 1 then client:stop() else client.stop() end
  ]])
  editor.wait(
    'no server',
    function() return session:lua('return #vim.lsp.get_clients({ name = "agent-doc" })') == 0 end
  )
end

-- The cases: the keys that place the cursor before the run, and the keys pressed and typed at once.
local ways = {
  { name = 'in Insert mode, at the end of the question', before = 'GA', keys = kRun .. kTyped },
  {
    name = 'in Insert mode, in the middle of the question',
    before = 'gg/who\ra',
    keys = kRun .. kTyped,
  },
  { name = 'in Normal mode, and opened a line', before = 'G', keys = '\\aro' .. kTyped },
  { name = 'in Normal mode, and inserted', before = 'gg/who\r', keys = '\\ari' .. kTyped },
}

local tests = {}
for _, way in ipairs(ways) do
  for _, is_cold in ipairs({ false, true }) do
    table.insert(tests, {
      name = ('right after run, %s%s'):format(
        way.name,
        is_cold and ', while the server is not up yet' or ''
      ),
      run = function()
        local session = start('## User\n\n' .. kQuestion)
        if is_cold then end_server(session) end
        session:press(way.before)
        session:keys(way.keys)
        editor.same(session:wait_for_end().state, 'done', 'state')
        session:press('<Esc>')
        editor.same(
          editor.with_session(session:text()),
          answered('## User\n\n' .. kQuestion, kTyped .. '\n'),
          'the document'
        )
      end,
    })
  end
end

return vim.list_extend(tests, {
  {
    name = 'nothing typed leaves nothing',
    run = function()
      local session = start('Hello?\n')
      session:press('GA')
      session:keys(kRun)
      session:wait_for_end()
      session:press('<Esc>')
      editor.same(editor.with_session(session:text()), answered('Hello?\n', ''), 'the document')
      editor.same(
        session:lua('return vim.fn.line(".") == vim.fn.line("$")'),
        true,
        'the cursor is where the next prompt is written'
      )
    end,
  },
  {
    name = 'a cursor in an earlier turn stays where it is',
    run = function()
      local earlier = '## User\n\nFirst?\n\n## Assistant\n\nHi.\n\n## User\n\nAgain?\n'
      local session = start(earlier)
      session:press('gg/Hi\rA')
      session:keys(kRun .. '!!')
      session:wait_for_end()
      session:press('<Esc>')
      editor.same(
        editor.with_session(session:text()),
        answered(earlier:gsub('Hi%.', 'Hi.!!'), ''),
        'the document'
      )
    end,
  },
  {
    name = 'a run that is refused takes no key, and the cursor stays',
    run = function()
      local session = start('## User\n\nFirst?\n\n## Assistant\n\nHi.\n\n## User\n\n')
      session:press('G')
      session:keys('\\aroNext.')
      session:wait_for_message('there is nothing to send')
      session:press('<Esc>')
      editor.same(
        session:text(),
        editor.document('## User\n\nFirst?\n\n## Assistant\n\nHi.\n\n## User\n\nNext.\n'),
        'the document'
      )
    end,
  },
  {
    name = 'an agent that is missing: what was typed after its question stays, below it',
    run = function()
      local session = editor.terminal({
        text = editor.document('Hello?\n', 'absent'),
        configuration = '[agents.absent]\ndialect = "claude"\ncommand = "/no/such/agent"\n',
      })
      editor.wait(
        'the server',
        function() return session:lua('return #require("agent_doc.server").open_buffers()') == 1 end
      )
      session:press('GA')
      session:keys(kRun .. kTyped)
      session:wait_for_message('/no/such/agent')
      session:press('<Esc>')
      editor.same(
        session:text(),
        editor.document('Hello?' .. kTyped .. '\n', 'absent'),
        'the document'
      )
    end,
  },
})
