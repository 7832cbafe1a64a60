-- The view stays in place: cursor, view, folds, marks and other windows, measured while the reply
-- grows.
local editor = require('editor')

local kDeltas = 900

-- A long document with a turn, so that there is something to look at above.
local function long_document()
  local lines = { '# A long document', '' }
  for number = 1, 60 do
    table.insert(lines, 'Line ' .. number .. ' of what stands above.')
  end
  return editor.document(table.concat(lines, '\n') .. '\n\n## User\n\nHello?\n')
end

local function start(interval_ms, lines)
  local session = editor.terminal({
    text = lines or long_document(),
    configuration = editor.streaming_agent(kDeltas, interval_ms or 2),
  })
  session:lua([[
    -- For each window: its first line, the cursor's line and column, and the row of the cursor on
    -- the screen.
    function _G.look()
      local views = {}
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        vim.api.nvim_win_call(window, function()
          local cursor = vim.api.nvim_win_get_cursor(window)
          table.insert(views, {
            top = vim.fn.getline('w0'),
            line = vim.fn.getline('.'),
            column = cursor[2],
            row = vim.fn.winline(),
          })
        end)
      end
      return views
    end
  ]])
  return session
end

--- Compares the views again and again until the reply is there; they must never change.
local function watch(session, what)
  local first
  local looks = 0
  editor.wait('the end of the turn', function()
    local views = session:lua('return _G.look()')
    for index, view in ipairs(what and what(views) or views) do
      first = first or {}
      first[index] = first[index] or view
      editor.same(view, first[index], 'window ' .. index .. ' at look ' .. looks)
    end
    looks = looks + 1
    local turn = session:turn()
    return turn.state == 'done' and turn.replyLanded
  end)
  return looks
end

return {
  {
    name = 'a cursor above, and the windows, stay',
    run = function(note)
      local session = start()
      session:press('gg/Line 20 \rztwl')
      session:lua([[
        vim.cmd('split')
        vim.cmd('normal! gg')
        vim.cmd('new')
        vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'another', 'buffer' })
        vim.cmd('wincmd b')
      ]])
      session:press('5j2l')
      session:keys('\\ar')
      session:wait_for_text('w1 ')
      note('%d looks', watch(session))
    end,
  },
  {
    name = 'a cursor below keeps its line at its row while the reply grows above it',
    run = function(note)
      local session = start()
      session:keys('\\ar')
      session:wait_for_text('w60 ')
      session:press('Gonext question')
      note(
        '%d looks',
        watch(session, function(views)
          for _, view in ipairs(views) do
            view.top = nil
          end
          return views
        end)
      )
      editor.same(session:lua('return vim.fn.getline(".")'), 'next question', 'the line')
    end,
  },
  {
    name = 'after a run the end of the reply is in view at every edit, wrapped lines too, until the person moves away',
    run = function(note)
      local session = start(2, editor.document('Hello?\n'))
      session:lua([[
        vim.o.columns = 60
        _G.edits, _G.unseen, _G.rows = 0, 0, {}
        require('agent_doc.edits').on_applied(function(buffer)
          local last = vim.fn.search('^## User', 'nbw') - 2 -- the last line of the reply
          local is_seen = vim.fn.line('w0') <= last and vim.fn.line('w$') == vim.fn.line('$')
          _G.edits, _G.unseen = _G.edits + 1, _G.unseen + (is_seen and 0 or 1)
          table.insert(_G.rows, vim.fn.winline())
        end)
      ]])
      session:press('G')
      session:keys('\\ar')
      session:wait_for_text('w500 ')
      local edits, unseen, rows, height = unpack(
        session:lua('return { _G.edits, _G.unseen, _G.rows, vim.api.nvim_win_get_height(0) }')
      )
      note(
        '%d edits, the end out of view after %d; the cursor went down to row %d of %d',
        edits,
        unseen,
        rows[#rows],
        height
      )
      assert(edits > 5, 'too few edits')
      editor.same(unseen, 0, 'edits after which the end was out of view')
      editor.same(rows[#rows], height, 'the row of the cursor')
      session:press('gg')
      local top = session:lua('return vim.fn.line("w0")')
      session:wait_for_text('w700 ')
      editor.same(
        session:lua('return vim.fn.line("w0")'),
        top,
        'the first line in view of a person who went up'
      )
      session:wait_for_end()
    end,
  },
  {
    name = 'the end of a reply is not followed with the setting off: the cursor keeps its row',
    run = function()
      local session = start(2, editor.document('Hello?\n'))
      session:lua('vim.g.agent_doc = { follow = false }')
      session:press('G')
      session:keys('\\ar')
      session:wait_for_text('w1 ')
      local row = session:lua('return _G.look()[1].row')
      session:wait_for_end()
      editor.same(session:lua('return _G.look()[1].row'), row, 'the row of the cursor')
    end,
  },
  {
    name = 'wrapped lines grow above a cursor in another window: its row moves by less than one wrapped line',
    run = function()
      local session = start(2, editor.document('Hello?\n'))
      session:lua('vim.o.columns = 60')
      session:keys('\\ar')
      session:wait_for_text('w60 ')
      session:lua([[
        vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'next question' })
        vim.cmd('normal! G')
        vim.cmd('split')
        vim.cmd('normal! gg')
      ]])
      local row = session:lua('return _G.look()[2].row')
      editor.wait('the end of the turn', function()
        local view = session:lua('return _G.look()[2]')
        assert(
          math.abs(view.row - row) <= 3,
          'the line moved from row ' .. row .. ' to ' .. view.row
        )
        return session:turn().replyLanded
      end)
    end,
  },
  {
    name = 'a cursor at the growing end is taken along',
    run = function()
      local session = start(4, editor.document('Hello?\n'))
      session:keys('\\ar')
      session:wait_for_text('w13 ')
      editor.wait('the cursor at the end', function()
        session:press('<Esc>')
        session:lua([[vim.fn.cursor(vim.fn.search('^## User', 'nw') - 2, 1)]])
        session:press('A')
        return session:lua([[
          return vim.fn.line('.') == vim.fn.search('^## User', 'nw') - 2
            and vim.fn.col('.') == vim.fn.col('$')
        ]])
      end)
      session:wait_for_text('w600 ')
      session:wait_for_end()
      assert(
        session:lua('return vim.fn.getline(".")'):find('w899', 1, true),
        'the cursor is not at the end of the reply'
      )
    end,
  },
  {
    name = 'folds and marks stay',
    run = function()
      local session = start()
      session:lua([[
        vim.wo.foldmethod = 'manual'
        vim.cmd('/^Line 5 /,/^Line 15 /fold')
        vim.cmd('/^Line 30 /,/^Line 40 /fold')
        vim.cmd('/^Hello/mark a')
        vim.cmd('/^Line 20 /mark b')
        vim.cmd('/^Hello/mark H')
      ]])
      session:press('gg')
      session:keys('\\ar')
      session:wait_for_end()
      local found = session:lua([[
        local function folded(pattern)
          local line = vim.fn.search(pattern, 'nw')
          local first, last = vim.fn.foldclosed(line), vim.fn.foldclosedend(line)
          return { vim.fn.getline(first), vim.fn.getline(last) }
        end
        local function marked(name) return vim.fn.getline(vim.fn.line("'" .. name)) end
        local between = vim.fn.foldclosed(vim.fn.search('^Line 20 ', 'nw'))
        return {
          folded('^Line 10 '),
          folded('^Line 35 '),
          marked('a'),
          marked('b'),
          marked('H'),
          between,
        }
      ]])
      editor.same(found, {
        { 'Line 5 of what stands above.', 'Line 15 of what stands above.' },
        { 'Line 30 of what stands above.', 'Line 40 of what stands above.' },
        'Hello?',
        'Line 20 of what stands above.',
        'Hello?',
        -1,
      }, 'folds and marks')
    end,
  },
  {
    name = 'a fold that is closed over the end of the prompt does not swallow the reply',
    run = function()
      local session = start()
      session:lua([[
        vim.wo.foldmethod = 'manual'
        vim.cmd('/^## User/,/^Hello/fold')
      ]])
      session:press('gg')
      session:keys('\\ar')
      session:wait_for_end()
      local ends =
        session:lua([[return vim.fn.getline(vim.fn.foldclosedend(vim.fn.search('^Hello', 'nw')))]])
      editor.same(ends, 'Hello?', 'the last line of the fold')
    end,
  },
  {
    name = 'an open command line and Visual mode stay, and the reply comes',
    run = function()
      local session = start(2, editor.document('Hello?\n'))
      session:keys('\\ar')
      session:wait_for_text('w13 ')
      session:keys(':echo "half a comm')
      editor.wait(
        'the command line',
        function() return session:lua('return vim.api.nvim_get_mode().mode') == 'c' end
      )
      session:wait_for_text('w300 ')
      editor.same(
        session:lua('return vim.fn.getcmdline()'),
        'echo "half a comm',
        'the command line'
      )
      session:keys('<Esc>')
      editor.wait(
        'Normal mode',
        function() return session:lua('return vim.api.nvim_get_mode().mode') == 'n' end
      )
      session:press('ggVj')
      session:wait_for_text('w600 ')
      editor.same(
        session:lua('return { vim.fn.mode(), vim.fn.line("v"), vim.fn.line(".") }'),
        { 'V', 1, 2 },
        'the selection'
      )
      session:wait_for_end()
    end,
  },
}
