-- Our handler of workspace/applyEdit: which edits it accepts, and how they change the buffer.
local editor = require('editor')

-- Runs in the editor. Applies random edits to random texts, as LSP defines them and in a buffer.
local random_edits = [[
  local seed, times = ...
  local text = require('agent_doc.text')
  math.randomseed(seed)
  local alphabet = { 'a', 'b ', 'Å', '👍', '\n', '\n', '\n\n', '## x' }
  local function random_text(most)
    local parts = {}
    for _ = 1, math.random(0, most) do table.insert(parts, alphabet[math.random(#alphabet)]) end
    return table.concat(parts)
  end
  local function starts(whole) -- where characters start, and the end
    local list = {}
    for at in whole:gmatch('()[%z\1-\127\194-\244]') do table.insert(list, at - 1) end
    table.insert(list, #whole)
    return list
  end
  local function position(whole, offset)
    local before = whole:sub(1, offset)
    return { line = select(2, before:gsub('\n', '')), character = #before:match('[^\n]*$') }
  end
  for time = 1, times do
    local whole = random_text(12) .. '\n'
    local places = starts(whole)
    local first, last = places[math.random(#places)], places[math.random(#places)]
    if first > last then first, last = last, first end
    local new = random_text(5)
    local wanted = whole:sub(1, first) .. new .. whole:sub(last + 1)
    if wanted:sub(-1) == '\n' then -- a buffer ends with a newline
      local buffer = vim.api.nvim_create_buf(false, true)
      vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(whole:sub(1, -2), '\n'))
      local changes = 0
      vim.api.nvim_buf_attach(buffer, false, { on_lines = function() changes = changes + 1 end })
      local range = { start = position(whole, first), ['end'] = position(whole, last) }
      local edit = { range = range, newText = new }
      local change = text.change_of(buffer, edit)
      text.write(buffer, change)
      local got = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n'
      local case = vim.inspect({ seed = seed, time = time, text = whole, edit = edit })
      if got ~= wanted then
        return case .. '\ngot ' .. vim.inspect(got) .. '\nwanted ' .. vim.inspect(wanted)
      end
      if changes > 1 then return case .. '\nin ' .. changes .. ' changes' end
      for _, offset in ipairs(places) do
        local place = position(whole, offset)
        local is_first = place.line == change.first.row and place.character == change.first.column
        if (offset < first or offset > last) and not is_first and offset < #whole then
          local row, column = text.moved(change, place.line, place.character)
          local now = position(wanted, offset < first and offset or offset + #new - (last - first))
          if row ~= now.line or column ~= now.character then
            return case .. '\nmoved ' .. offset .. ' to ' .. row .. ':' .. column
          end
        end
      end
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end
  return ''
]]

-- Runs in the editor. Returns the answer of our handler to one edit at line 0.
local ask_handler = [[
  local change = ...
  local open = { buffer = vim.api.nvim_get_current_buf(), version = 7 }
  local server = { documents = { ['file:///doc.md'] = open } }
  local start = { line = 0, character = 0 }
  local edit = { range = { start = start, ['end'] = start }, newText = 'new ' }
  local document = { textDocument = { uri = 'file:///doc.md', version = 7 }, edits = { edit } }
  local params = { edit = { documentChanges = { document } } }
  if change == 'stale' then document.textDocument.version = 6 end
  if change == 'future' then document.textDocument.version = 8 end
  if change == 'unversioned' then document.textDocument.version = vim.NIL end
  if change == 'other' then document.textDocument.uri = 'file:///other.md' end
  if change == 'two' then table.insert(document.edits, edit) end
  if change == 'changes' then params.edit = { changes = { ['file:///doc.md'] = { edit } } } end
  if change == 'locked' then vim.bo.modifiable = false end
  local answer = require('agent_doc.edits').on_apply_edit(params, server)
  vim.bo.modifiable = true
  return { answer.applied, answer.failureReason or '', vim.api.nvim_get_current_line() }
]]

--- Runs the tour in a file with these bytes. Returns the file without the reply.
local function run_in_file(bytes)
  local session = editor.headless({ text = bytes })
  session:command_line('AgentDoc run')
  session:wait_for_end()
  session:command_line('write')
  local text = editor.read_file(session.document)
  return (editor
    .with_session(text)
    :gsub('(## Assistant\r?\n\r?\n).-(\r?\n\r?\n## User)', '%1REPLY%2')),
    text
end

return {
  {
    name = 'random edits do in a buffer what they do in a text, in one change',
    run = function()
      local session = editor.headless({})
      for seed = 1, 20 do
        local problem = session:lua(random_edits, seed, 200)
        assert(problem == '', problem)
      end
    end,
  },
  {
    name = 'what cannot be applied exactly is refused, with a reason',
    run = function()
      local session = editor.headless({ text = 'old\n' })
      local wanted = {
        stale = 'the edit is for version 6, the buffer is at 7',
        future = 'the edit is for version 8, the buffer is at 7',
        unversioned = 'the edit is for version vim.NIL, the buffer is at 7',
        other = 'the document is not open',
        two = 'expected one edit of one document',
        changes = 'expected one edit of one document',
        locked = "the buffer is not 'modifiable'",
      }
      for change, reason in pairs(wanted) do
        editor.same(session:lua(ask_handler, change), { false, reason, 'old' }, change)
      end
      editor.same(session:lua(ask_handler, 'none'), { true, '', 'new old' }, 'a right one')
    end,
  },
  {
    name = 'a document with CR LF keeps it',
    run = function()
      local text, whole =
        run_in_file((editor.document('How do I stop you?\n', 'tour'):gsub('\n', '\r\n')))
      editor.same(
        text:gsub('\nresume: [^\r]*', '\nresume: SESSION'),
        (
          editor
            .document(
              'How do I stop you?\n\n## Assistant\n\nREPLY\n\n## User\n\n',
              'tour\nresume: SESSION'
            )
            :gsub('\n', '\r\n')
        ),
        'the file'
      )
      editor.same(select(2, whole:gsub('[^\r]\n', '')), 0, 'lines that end with LF alone')
    end,
  },
  {
    name = 'positions count in UTF-8',
    run = function()
      local text = run_in_file(
        editor.document('Ångström 👩‍💻 你好: how do I stop you? ⏰\n', 'tour')
      )
      local body =
        'Ångström 👩‍💻 你好: how do I stop you? ⏰\n\n## Assistant\n\nREPLY\n\n## User\n\n'
      editor.same(text, editor.document(body, 'tour\nresume: SESSION'), 'the file')
    end,
  },
  {
    name = 'a document without a newline at its end',
    run = function()
      local text = run_in_file(editor.document('How do I stop you?', 'tour'))
      editor.same(
        text,
        editor.document(
          'How do I stop you?\n\n## Assistant\n\nREPLY\n\n## User\n\n',
          'tour\nresume: SESSION'
        ),
        'the file'
      )
    end,
  },
  {
    name = 'a turn in a hidden buffer',
    run = function()
      local session = editor.headless({
        text = editor.document('Hello?\n'),
        configuration = editor.streaming_agent(300, 2),
      })
      session:command_line('AgentDoc run')
      session:wait_for_text('w1 ')
      session:command_line('enew')
      session:wait_for_end()
      editor.same(
        editor.with_session(session:text()),
        editor.document(
          'Hello?\n\n## Assistant\n\n' .. editor.words(300) .. '\n\n## User\n\n',
          'fake\nresume: SESSION'
        ),
        'the document'
      )
    end,
  },
}
