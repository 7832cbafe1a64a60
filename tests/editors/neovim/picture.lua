-- Makes docs/neovim.svg, a picture of the plugin while a reply streams in and a person types:
-- `nvim -l picture.lua FILE`, with AGENT_DOC_PROGRAM set. The picture is what tmux shows, cell by
-- cell.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local editor = require('editor')

local kCellWidth, kCellHeight, kMargin, kFontSize = 8.4, 18, 14, 14
local kForeground, kBackground = '#d7dce5', '#14161b'

local function hex(red, green, blue) return ('#%02x%02x%02x'):format(red, green, blue) end

--- Returns the terminal's style after a sequence `ESC [ … m`.
local function apply_sgr(style, parameters)
  local numbers = {}
  for number in (parameters .. ';'):gmatch('(%d*)[;:]') do
    table.insert(numbers, tonumber(number) or 0)
  end
  local index = 1
  local simple = {
    [1] = { 'bold', true },
    [3] = { 'italic', true },
    [4] = { 'underline', true },
    [7] = { 'reverse', true },
  }
  while index <= #numbers do
    local number = numbers[index]
    if number == 0 then
      for name in pairs(style) do
        style[name] = nil
      end
    elseif (number == 38 or number == 48) and numbers[index + 1] == 2 then
      style[number == 38 and 'foreground' or 'background'] =
        hex(numbers[index + 2], numbers[index + 3], numbers[index + 4])
      index = index + 4
    elseif simple[number] then
      style[simple[number][1]] = simple[number][2]
    elseif number == 22 then
      style.bold = nil
    elseif number == 39 then
      style.foreground = nil
    elseif number == 49 then
      style.background = nil
    end
    index = index + 1
  end
end

--- Returns the runs of equal style in a line: {text, column, cells, style}.
local function runs_of(line, style)
  local runs, column = {}, 0
  local at = 1
  while at <= #line do
    local _, last, parameters = line:find('^\27%[([%d;:]*)m', at)
    if last then
      apply_sgr(style, parameters)
    else
      last = (line:find('\27', at + 1, true) or #line + 1) - 1
      local text = line:sub(at, last)
      local cells = vim.fn.strdisplaywidth(text)
      table.insert(
        runs,
        { text = text, column = column, cells = cells, style = vim.deepcopy(style) }
      )
      column = column + cells
    end
    at = last + 1
  end
  return runs
end

local function escaped(text)
  return (text:gsub('[&<>]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' }))
end

local function draw_run(run, row)
  local style = run.style
  local foreground, background = style.foreground or kForeground, style.background or kBackground
  if style.reverse then
    foreground, background = background, foreground
  end
  local x, y = kMargin + run.column * kCellWidth, kMargin + row * kCellHeight
  local parts = {}
  if background ~= kBackground then
    local width, height = run.cells * kCellWidth, kCellHeight + 0.4
    table.insert(
      parts,
      ('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>'):format(
        x,
        y,
        width,
        height,
        background
      )
    )
  end
  if run.text:find('%S') then
    local extra = (style.bold and ' font-weight="bold"' or '')
      .. (style.italic and ' font-style="italic"' or '')
    table.insert(
      parts,
      ('<text x="%.1f" y="%.1f" fill="%s"%s textLength="%.1f"'
        .. ' xml:space="preserve">%s</text>'):format(
        x,
        y + kCellHeight * 0.75,
        foreground,
        extra,
        run.cells * kCellWidth,
        escaped(run.text)
      )
    )
  end
  return table.concat(parts)
end

local function svg(screen, cursor)
  local lines = vim.split(vim.trim(screen), '\n')
  local style, drawn, columns = {}, {}, 0
  for row, line in ipairs(lines) do
    for _, run in ipairs(runs_of(line, style)) do
      columns = math.max(columns, run.column + run.cells)
      table.insert(drawn, draw_run(run, row - 1))
    end
  end
  local width, height = columns * kCellWidth + 2 * kMargin, #lines * kCellHeight + 2 * kMargin
  table.insert(
    drawn,
    ('<rect x="%.1f" y="%.1f" width="2" height="%d" fill="#ffffff"/>'):format(
      kMargin + (cursor.column - 1) * kCellWidth,
      kMargin + (cursor.row - 1) * kCellHeight,
      kCellHeight
    )
  )
  return table.concat({
    ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-size="%d"'):format(
      width,
      height,
      kFontSize
    ),
    ' font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">',
    '<title>Neovim: the reply streams in under ## Assistant, highlighted, while a person types into it.</title>',
    ('<rect width="%.0f" height="%.0f" rx="8" fill="%s"/>'):format(width, height, kBackground),
    table.concat(drawn, '\n'),
    '</svg>\n',
  }, '\n')
end

local function take_picture(file)
  local session = editor.terminal({
    text = editor.document('How do I stop you?\n', 'tour'),
    tour_pace = 100,
    arguments = { '--cmd', 'set termguicolors laststatus=2 nohlsearch linebreak' },
  })
  session:lua([[
    vim.fn.chdir(vim.fs.dirname(vim.api.nvim_buf_get_name(0)))
    vim.o.statusline = " %f %m %= %{%v:lua.require'agent_doc'.statusline()%} "
  ]])
  session:keys('\\ar')
  session:wait_for_text('where you are')
  session:press('gg/### Stopping\rA')
  session:type(' (and I type into it, while it grows', 30)
  session:wait_for_text('Type above, below')
  local screen = session:screen_with_colours()
  local cursor = session:lua('return { row = vim.fn.winline(), column = vim.fn.wincol() }')
  editor.write_file(file, svg(screen, cursor))
  session:wait_for_end()
  editor.close_all()
end

local ok, problem = pcall(take_picture, assert(_G.arg[1], 'usage: nvim -l picture.lua FILE'))
if not ok then
  local trace = editor.describe_all()
  editor.close_all()
  error(problem .. '\n' .. trace)
end
