-- A person types above, below and inside a reply while it streams in; the text is exactly right at
-- the end.
local editor = require('editor')

local kDeltas = 1200
local kTyped = 'The quick brown fox – naïve, 你好 👩‍💻 – jumps over\nthe lazy dog; '

local function typed_text(keys)
  local characters = vim.fn.split(kTyped, '\\zs')
  local text = {}
  for index = 0, keys - 1 do
    table.insert(text, characters[index % #characters + 1])
  end
  return table.concat(text)
end

-- The keys that move the cursor to the place, ready to type, and the document with the typed text.
local places = {
  above = {
    keys = 'gg/What is\r$a',
    expected = function(reply, typed)
      return 'What is this?' .. typed .. '\n\n## Assistant\n\n' .. reply .. '\n\n## User\n\n'
    end,
  },
  inside = {
    keys = 'gg/w11$\rA',
    expected = function(reply, typed)
      local at = select(2, reply:find('w11', 1, true))
      return 'What is this?\n\n## Assistant\n\n'
        .. reply:sub(1, at)
        .. typed
        .. reply:sub(at + 1)
        .. '\n\n## User\n\n'
    end,
  },
  below = {
    keys = 'Go',
    expected = function(reply, typed)
      return 'What is this?\n\n## Assistant\n\n' .. reply .. '\n\n## User\n\n' .. typed .. '\n'
    end,
  },
}

--- One run; how many edits were applied and refused.
local function run(place, pace_ms, stream_ms)
  local interval = math.max(math.floor(stream_ms / kDeltas), 1)
  local session = editor.terminal({
    text = editor.document('What is this?\n'),
    configuration = editor.streaming_agent(kDeltas, interval),
  })
  session:keys('\\ar')
  session:wait_for_text('w13')
  session:press(places[place].keys)
  local typed = typed_text(math.floor(stream_ms * 0.8 / pace_ms))
  session:type(typed, pace_ms)
  local turn = session:wait_for_end()
  editor.same(turn.state, 'done', 'state')
  session:press('<Esc>')
  session:press(':write<CR>')
  local expected =
    editor.document(places[place].expected(editor.words(kDeltas), typed), 'fake\nresume: SESSION')
  editor.same(editor.with_session(editor.read_file(session.document)), expected, 'the document')
  local counts = session:counts()
  session:close()
  return counts
end

--- Returns the tour's reply to a question on the command line, without typing.
local function reply_of_tour(text)
  local quiet = editor.headless({ text = text })
  quiet:close()
  local done = vim
    .system({ editor.program, 'run', quiet.document }, { env = quiet.environment, text = true })
    :wait()
  assert(done.code == 0, done.stderr)
  return editor.with_session(editor.read_file(quiet.document))
end

-- The places for typing in the tour's reply: keys as in `places`, and the text right before the
-- typed text.
local tour_places = {
  above = { keys = 'gg/How do I\r$a', behind = 'How do I stop you?' },
  inside = { keys = 'gg/You wrote\r$a', behind = 'You wrote:' },
  below = { keys = 'Go' },
}

--- One run; how many edits were applied and refused.
local function run_tour(place, pace_ms, keys)
  local text = editor.document('How do I stop you?\n', 'tour')
  local expected = reply_of_tour(text)
  local session = editor.terminal({ text = text, tour_pace = 100 })
  session:keys('\\ar')
  session:wait_for_text('### Stopping')
  session:press(tour_places[place].keys)
  local typed = typed_text(keys)
  session:type(typed, pace_ms)
  editor.same(session:wait_for_end().state, 'done', 'state')
  session:press('<Esc>')
  session:press(':write<CR>')
  local behind = tour_places[place].behind
  local at = behind and select(2, expected:find(behind, 1, true)) or #expected
  local with_typed = expected:sub(1, at) .. typed .. (behind and expected:sub(at + 1) or '\n')
  editor.same(editor.with_session(editor.read_file(session.document)), with_typed, 'the document')
  local counts = session:counts()
  session:close()
  return counts
end

local tests = {
  {
    name = "the tour's reply, typing inside at 60 ms a key",
    run = function(note)
      local counts = run_tour('inside', 60, 60)
      note('edits applied %d, refused %d', counts.applied, counts.refused)
    end,
  },
}

--- `run_once` returns the counts of one run.
local function add(name, times, run_once)
  table.insert(tests, {
    name = name,
    run = function(note)
      local refused = {}
      local applied = {}
      for _ = 1, times do
        local counts = run_once()
        table.insert(refused, counts.refused)
        table.insert(applied, counts.applied)
      end
      note(
        '%d of %d runs right; edits applied %s, refused %s',
        times,
        times,
        table.concat(applied, ' '),
        table.concat(refused, ' ')
      )
    end,
  })
end

local function add_words(place, pace_ms, times, stream_ms)
  add(
    ('1,200 words, typing %s at %d ms a key'):format(place, pace_ms),
    times,
    function() return run(place, pace_ms, stream_ms) end
  )
end

local function add_tour(place, pace_ms, times)
  local keys = math.floor(3600 / pace_ms)
  add(
    ("the tour's reply, typing %s at %d ms a key"):format(place, pace_ms),
    times,
    function() return run_tour(place, pace_ms, keys) end
  )
end

if editor.matrix then
  for _, pace in ipairs({ 25, 60, 150 }) do
    for _, place in ipairs({ 'above', 'inside', 'below' }) do
      add_words(place, pace, 5, 6000)
      add_tour(place, pace, 5)
    end
  end
else
  add_words('above', 60, 1, 3600)
  add_words('inside', 25, 1, 3600)
  add_words('below', 25, 1, 3600)
end

return tests
