-- Measures times at a terminal: from a key to the character on the screen, in a long document, with
-- and without a stream; and from the run to the first character.
local editor = require('editor')

local kLines = 25000
local kKeys = editor.matrix and 400 or 120
local kPace = 40 -- ms a key

-- The goals are 5 ms and 50 ms on an idle machine; --matrix enforces them. Without it, a busy
-- machine must not fail the test.
local kMaxSlower = editor.matrix and 5 or 150 -- ms
local kMaxToFirst = editor.matrix and 50 or 500 -- ms, over what the agent needs

-- These characters occur nowhere else, so one on the screen must be the echo of its key.
local characters = vim.fn.split(
  'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ',
  '\\zs'
)

local function long_document()
  local lines = {}
  for number = 1, kLines do
    table.insert(lines, 'Line ' .. number .. ' of a long document.')
  end
  return editor.document(table.concat(lines, '\n') .. '\n\n## User\n\nHello?\n')
end

-- The terminal's output since the last query, and the time of its last piece.
local output = { text = '' }
local function on_output(bytes) output.text = output.text .. bytes end

local function ms_since(time) return (vim.uv.hrtime() - time) / 1e6 end

--- Waits for a text on the screen; reads the terminal as soon as it has output.
local function time_until_shown(text, began)
  editor.wait(text .. ' on the screen', function() return output.text:find(text, 1, true) end)
  return ms_since(began)
end

local function percentile(times, share)
  local sorted = vim.deepcopy(times)
  table.sort(sorted)
  return sorted[math.max(math.ceil(#sorted * share), 1)]
end

--- Returns the times of keys. Each key is sent when the one before is on the screen and the pace
--- allows it.
local function type_keys(session)
  local times = {}
  for index = 1, kKeys do
    local character = characters[(index - 1) % #characters + 1]
    if index % #characters == 0 then session:press('\r') end
    output.text = ''
    local began = vim.uv.hrtime()
    session:keys(character)
    table.insert(times, time_until_shown(character, began))
    vim.wait(math.max(kPace - math.floor(ms_since(began)), 0), function() return false end, 1)
  end
  return times
end

--- Returns the time that the agent itself needs to its first word.
local function agent_time()
  local times = {}
  for _ = 1, 5 do
    local came
    local began = vim.uv.hrtime()
    local agent = vim.fn.jobstart({ editor.replay_agent, '--deltas', '3' }, {
      on_stdout = function(_, data)
        came = came or (table.concat(data):find('w0', 1, true) and ms_since(began))
      end,
    })
    vim.fn.chansend(agent, '{"type":"user","message":{"role":"user","content":"Hello?"}}\n')
    table.insert(times, editor.wait('its first word', function() return came end))
    vim.fn.jobstop(agent)
  end
  return percentile(times, 0.5)
end

return {
  {
    name = 'typing in 25,000 lines, with and without a stream',
    run = function(note)
      local session = editor.raw_terminal(
        { text = long_document(), configuration = editor.streaming_agent(200000, 4) },
        on_output
      )
      session:press('gg/^Hello\rO')
      local quiet = type_keys(session)
      session:press('<Esc>')
      session:keys('\\ar')
      session:wait_for_text('w13 ')
      session:press('gg/^Hello\rO')
      local streaming = type_keys(session)
      assert(session:turn().state == 'running', 'the stream ended too early')
      session:press('<Esc>')
      session:command_line('AgentDoc stop')
      local slower = percentile(streaming, 0.95) - percentile(quiet, 0.95)
      note(
        'p50 %.1f ms and p95 %.1f ms without a stream',
        percentile(quiet, 0.5),
        percentile(quiet, 0.95)
      )
      note(
        'p50 %.1f ms and p95 %.1f ms with one: p95 %+.1f ms',
        percentile(streaming, 0.5),
        percentile(streaming, 0.95),
        slower
      )
      assert(slower < kMaxSlower, ('p95 is %.1f ms slower with a stream'):format(slower))
    end,
  },
  {
    name = 'from the run to the first character on the screen',
    run = function(note)
      local first, next_ones = {}, {}
      local agent = agent_time()
      for _ = 1, 5 do
        local session = editor.raw_terminal(
          { text = editor.document('Hello?\n'), configuration = editor.streaming_agent(3, 0) },
          on_output
        )
        editor.wait(
          'the server',
          function()
            return session:lua('return #require("agent_doc.server").open_buffers()') == 1
          end
        )
        for turn, times in ipairs({ first, next_ones }) do
          if turn == 2 then session:press('GAMore<Esc>') end
          local before = session:turn()
          output.text = ''
          local began = vim.uv.hrtime()
          session:keys('\\ar')
          table.insert(times, time_until_shown(turn == 1 and 'w0' or 't2w0', began))
          session:wait_for_end(before ~= vim.NIL and before.turn or nil)
        end
        session:close()
      end
      local over = percentile(first, 0.5) - agent
      note('%.1f ms, %.1f ms of it the agent', percentile(first, 0.5), agent)
      note('a second turn, with the agent warm: %.1f ms', percentile(next_ones, 0.5))
      assert(over < kMaxToFirst, ('%.1f ms over what the agent needs'):format(over))
    end,
  },
}
