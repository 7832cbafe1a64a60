-- Undo, with keys in a terminal: Neovim groups changes by the keys that it reads, so this cannot be
-- tested headless.
local editor = require('editor')

local kDeltas = 600
local kFront = 'fake\nresume: SESSION'

local function start(interval_ms, text)
  local configuration = editor.streaming_agent(kDeltas, interval_ms or 1)
  local session =
    editor.terminal({ text = text or editor.document('Hello?\n'), configuration = configuration })
  session:press('gg')
  return session
end

--- Returns the states of the document during undo, and during redo on the way back.
local function walk(session)
  local function steps(key)
    local texts = {}
    while true do
      local before = session:text()
      session:press(key)
      local after = session:text()
      if after == before then return texts end
      table.insert(texts, editor.with_session(after))
    end
  end
  return steps('u'), steps('<C-r>')
end

local function reversed(texts, last)
  local list = {}
  for index = #texts - 1, 1, -1 do
    table.insert(list, texts[index])
  end
  table.insert(list, last)
  return list
end

return {
  {
    name = 'one step takes back one reply, and redo brings it again',
    run = function()
      local text = editor.document('Hello?\n')
      local session = start()
      session:press('GA Well?<Esc>')
      session:keys('\\ar')
      session:wait_for_end()
      local complete = editor.with_session(session:text())
      local body = 'Hello? Well?\n\n## Assistant\n\n' .. editor.words(kDeltas) .. '\n\n## User\n\n'
      editor.same(complete, editor.document(body, kFront), 'the document')
      local undone, redone = walk(session)
      editor.same(undone, { (text:gsub('Hello%?', 'Hello? Well?')), text }, 'undone')
      editor.same(redone, { undone[1], complete }, 'redone')
    end,
  },
  {
    name = 'two replies are two steps',
    run = function()
      local session = start()
      session:keys('\\ar')
      local first = session:wait_for_end()
      local one = editor.with_session(session:text())
      session:press('GA')
      session:press('More<Esc>')
      session:keys('\\ar')
      session:wait_for_end(first.turn)
      local undone = walk(session)
      editor.same(undone, { one .. 'More\n', one, editor.document('Hello?\n') }, 'undone')
    end,
  },
  {
    name = 'typing in Insert mode since before the run is one step, the reply another',
    run = function()
      local function turns(question)
        return '## User\n\n' .. question .. '\n\n## Assistant\n\nHi.\n\n## User\n\nHello?\n'
      end
      -- In an earlier turn: a run leaves the cursor there.
      local session = start(4, editor.document(turns('First?')))
      session:press('gg/First\rA Well')
      session:lua([[vim.cmd('AgentDoc run')]])
      session:wait_for_text('w13 ')
      session:type(' then, what do you say to this?', 30)
      session:wait_for_end()
      session:press('<Esc>')
      local reply = '\n## Assistant\n\n' .. editor.words(kDeltas) .. '\n\n## User\n\n'
      local typed = turns('First? Well then, what do you say to this?')
      editor.same(
        editor.with_session(session:text()),
        editor.document(typed .. reply, kFront),
        'the document'
      )
      local undone, redone = walk(session)
      editor.same(undone, { editor.document(typed), editor.document(turns('First?')) }, 'undone')
      editor.same(redone, reversed(undone, editor.document(typed .. reply, kFront)), 'redone')
    end,
  },
  {
    name = 'what is typed right after a run in Insert mode: undo leads to the beginning, redo to the end',
    run = function(note)
      local session = start(4)
      session:press('GA')
      session:keys('\27[13;5uAnd the next one, at once.')
      session:wait_for_end()
      session:press('<Esc>')
      local complete = editor.with_session(session:text())
      local undone, redone = walk(session)
      note('%d steps', #undone)
      editor.same(undone[#undone], editor.document('Hello?\n'), 'the beginning')
      editor.same(redone[#redone], complete, 'the end')
      for _, text in ipairs(undone) do
        assert(text:find('\nHello?\n', 1, true), text)
      end
    end,
  },
  {
    name = 'what is typed in the middle of a running reply is a step of its own between two of the reply',
    run = function()
      local session = start(4)
      session:keys('\\ar')
      session:wait_for_text('w13 ')
      session:press('gg/w11$\rA')
      session:type(' – here I have a question', 30)
      session:press('<Esc>')
      session:wait_for_end()
      local complete = editor.with_session(session:text())
      local undone, redone = walk(session)
      editor.same(#undone, 3, 'steps')
      assert(
        undone[1]:find('w11 – here I have a question', 1, true),
        'the first step took the typed text, too'
      )
      editor.same((undone[1]:gsub(' – here I have a question', '')), undone[2], 'the second step')
      editor.same(undone[3], editor.document('Hello?\n'), 'the third step')
      editor.same(redone, reversed(undone, complete), 'redone')
    end,
  },
  {
    name = 'several lines, and corrections of them, typed below a running reply: undo leads to the beginning, redo to the end',
    run = function()
      local session = start(4)
      session:keys('\\ar')
      session:wait_for_text('w13 ')
      session:press('Go')
      local typed = {}
      for line = 1, 4 do
        table.insert(typed, 'This is line ' .. line)
        session:type('This is lion\127\127ne ' .. line .. '\n', 30)
      end
      session:type('\127', 30) -- over the end of the line
      session:press('<Esc>')
      session:wait_for_end()
      local complete = editor.with_session(session:text())
      local reply = '\n\n## Assistant\n\n' .. editor.words(kDeltas) .. '\n\n## User\n\n'
      editor.same(
        complete,
        editor.document('Hello?' .. reply .. table.concat(typed, '\n') .. '\n', kFront),
        'the document'
      )
      local undone, redone = walk(session)
      editor.same(undone[#undone], editor.document('Hello?\n'), 'undone')
      editor.same(redone, reversed(undone, complete), 'redone')
    end,
  },
  {
    name = 'what is pasted while the reply runs is no part of a step of the reply',
    run = function()
      local session = start(4)
      session:keys('\\ar')
      session:wait_for_text('w13 ')
      session:press('Go')
      session:type('This is pasted: ', 30)
      session:wait_for_text('w100 ')
      session:keys('\27[200~one\ntwo\27[201~')
      session:wait_for_text('This is pasted: one\ntwo')
      session:wait_for_end()
      session:press('<Esc>')
      local undone = walk(session)
      local with_paste = vim
        .iter(undone)
        :filter(function(text) return text:find('one\ntwo', 1, true) end)
        :totable()
      editor.same(#with_paste, 1, 'states with the paste')
      assert(
        not with_paste[1]:find('w599', 1, true),
        'the paste was undone before the last of the reply'
      )
    end,
  },
  {
    name = 'undo while the reply runs pauses it; continue writes the rest and nothing twice',
    run = function()
      local session = start(4)
      session:keys('\\ar')
      session:wait_for_text('w50 ')
      session:keys('u')
      editor.wait('the pause', function() return session:turn().canContinue end)
      local paused = session:text()
      assert(not paused:find('w50', 1, true), 'undo did not take the reply back')
      editor.wait('the end of the agent', function() return session:turn().state == 'done' end)
      editor.same(session:text(), paused, 'the paused document')
      session:keys('\\ac')
      session:wait_for_end()
      local words = {}
      for word in session:text():gmatch('w%d+') do
        table.insert(words, word)
      end
      for index = 2, #words do
        editor.same(
          tonumber(words[index]:sub(2)),
          tonumber(words[index - 1]:sub(2)) + 1,
          'the next word'
        )
      end
      editor.same(words[#words], 'w' .. kDeltas - 1, 'the last word')
    end,
  },
  {
    name = "the change list and the last change stay the person's own",
    run = function()
      local session = start()
      session:press('GA Well?<Esc>')
      local before = session:lua([[return vim.api.nvim_buf_get_mark(0, '.')]])
      session:keys('\\ar')
      session:wait_for_end()
      local added = 1 -- the line `resume`, above
      editor.same(
        session:lua([[return vim.api.nvim_buf_get_mark(0, '.')]]),
        { before[1] + added, before[2] },
        "the mark '."
      )
      session:press('ggg;')
      editor.same(
        session:lua('return vim.api.nvim_get_current_line()'),
        'Hello? Well?',
        'the place of the last change'
      )
    end,
  },
}
