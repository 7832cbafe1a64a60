# What it is: what every agent is checked for that keeps a session in a process of its own, in the
# terms of live.bash. Sourced by tests/live/AGENT.
# What it is not: a test; what is special about an agent is in its script.

# $1: the document's name. Exit code, state and reply.
outcome() {
  printf '%s\n' "exit $exit_code" "$(state_of "$1")" "$(reply_of "$1")"
}

# answers_as_expected AGENT [SCENARIO…]
answers_as_expected() {
  local agent=$1 scenario
  shift
  [ $# -gt 0 ] || set -- plain thinking tool long
  for scenario in "$@"; do
    run_new "$scenario" "$agent" "TURN=a SCENARIO=$scenario"
    check "$agent" "$scenario" "$(outcome "$scenario")" \
      "$(printf '%s\n' 'exit 0' 'done' "$(scenario_text "$scenario")")"
  done
}

# asks_for_permission AGENT REPLY_WHEN_DENIED
asks_for_permission() {
  local agent=$1
  run_on_terminal allowed "$agent" "TURN=a SCENARIO=toolwrite" y
  check "$agent" "toolwrite, allowed" \
    "$(echo "exit $exit_code"; reply_of allowed; cat "$project/out.txt")" \
    "$(printf '%s\n' 'exit 0' 'The tool answered.' 'written by the mock')"
  rm -f "$project/out.txt"
  run_on_terminal denied "$agent" "TURN=a SCENARIO=toolwrite" n
  check "$agent" "toolwrite, denied" \
    "$(echo "exit $exit_code"; reply_of denied; ls "$project/out.txt" 2>&1 | grep -c 'No such')" \
    "$(printf '%s\n' 'exit 0' "$2" '1')"
  run_new nobody "$agent" "TURN=a SCENARIO=toolwrite"
  check "$agent" "toolwrite, nobody to ask: not written" \
    "$(echo "exit $exit_code"; ls "$project/out.txt" 2>&1 | grep -c 'No such')" \
    "$(printf '%s\n' 'exit 0' '1')"
}

# obeys_policy AGENT WRITTEN: what `permissions` of the configuration does when nobody is there to
# ask. WRITTEN: how often the file is written with accept_edits.
obeys_policy() {
  local agent=$1 policy expected
  mkdir -p "$home/.config/agent-doc"
  for policy in accept_edits deny plan; do
    expected=0
    [ $policy != accept_edits ] || expected=$2
    rm -f "$project/out.txt"
    echo "permissions = \"$policy\"" > "$home/.config/agent-doc/config.toml"
    run_new "$policy" "$agent" "TURN=a SCENARIO=toolwrite"
    check "$agent" "toolwrite with permissions = $policy" "$(echo "exit $exit_code"; cat "$project"/out.txt 2> /dev/null | grep -c 'written by the mock')" \
      "$(printf '%s\n' 'exit 0' "$expected")"
  done
  rm "$home/.config/agent-doc/config.toml"
}

says_what_failed() {
  local agent=$1
  run_new err400 "$agent" "TURN=a SCENARIO=err400"
  check "$agent" "err400: failed, with what the service said" \
    "$(outcome err400; service_error "$project"/err400.{out,err})" \
    "$(printf '%s\n' 'exit 1' 'failed' '' 'mock: invalid request. Check the model')"
}

# joins_what_was_cut AGENT: the answer reaches the limit of its length, and the agent lets the model
# go on.
joins_what_was_cut() {
  run_new cut "$1" "TURN=a SCENARIO=cut"
  check "$1" "max_tokens: the continuation joins" "$(outcome cut)" \
    "$(printf '%s\n' 'exit 0' 'done' 'The first half of a sentence, and its end.')"
}

# says_that_it_was_cut AGENT: the agent leaves it at that.
says_that_it_was_cut() {
  run_new cut "$1" "TURN=a SCENARIO=cut"
  check "$1" "max_tokens: failed, and says that the reply is cut" \
    "$(outcome cut; failure_of cut | grep -o 'The reply is cut; ask it to go on')" \
    "$(printf '%s\n' 'exit 1' 'failed' 'The first half of a sen' \
      'The reply is cut; ask it to go on')"
}

# calls_the_half_complete AGENT [REPLY]: the agent leaves it at that, and says nothing of it. REPLY:
# what it makes of the answer.
calls_the_half_complete() {
  run_new cut "$1" "TURN=a SCENARIO=cut"
  check "$1" "max_tokens: nothing tells that it was cut" "$(outcome cut)" \
    "$(printf '%s\n' 'exit 0' 'done' "${2:-The first half of a sen}")"
}

# The number of the only turn of a document in the log.
number_of() {
  clean_env "$agent_doc" log "$project/$1.md" | grep -oE '^[0-9]+'
}

# says_more_after_its_turn AGENT: claude, which asks its model again when a command that ran on has
# ended. What it says is shown in one message, and is in the log.
says_more_after_its_turn() {
  mkdir -p "$home/.claude"
  echo '{"permissions": {"allow": ["Bash"]}}' > "$home/.claude/settings.json"
  mkfifo "$live_work/end"
  clean_env "$agent_doc" new --agent "$1" "$project/later.md" "TURN=a SCENARIO=later" > /dev/null
  check "$1" "said after the turn: shown at once, and in the log" \
    "$(clean_env timeout 120 node "$live_folder/late.mjs" "$agent_doc" "$project/later.md" \
      "$live_work/end" 2> "$project/later.err"
      clean_env "$agent_doc" log --turn "$(number_of later)" | grep -E '^It (runs|has ended)')" \
    "$(printf '%s\n' 'done' "$1 said after its turn in later.md: It has ended." 'server 0' \
      'It runs.' 'It has ended.')"
  rm "$home/.claude/settings.json"
}

# is_well AGENT: what doctor says of it. The first check of an agent, so this is its first start.
is_well() {
  clean_env "$agent_doc" doctor "$1" > "$project/doctor.out" 2> "$project/doctor.err"
  check "$1" "doctor: it begins a session" \
    "$(echo "exit $?"; grep -c "^✔ $1.*: it began a session in" "$project/doctor.out")" \
    "$(printf '%s\n' 'exit 0' '1')"
}

# doctor_waits AGENT PROGRAM: for one that starts slowly, and says what for.
doctor_waits() {
  local words="it was started, and has begun no session yet; a first start takes longer"
  mkdir -p "$live_work/slow"
  printf '#!/bin/sh\nPATH="%s:$PATH"\nsleep 5\nexec %s "$@"\n' "$live_work/tapped:$agent_bin" "$2" \
    > "$live_work/slow/$2"
  chmod +x "$live_work/slow/$2"
  clean_env env PATH="$live_work/slow:$PATH" "$agent_doc" doctor "$1" \
    > "$project/doctor.out" 2> "$project/doctor.err"
  check "$1" "doctor: waits for a slow start, and says so" \
    "$(echo "exit $?"; grep -o "$words" "$project/doctor.err")" "$(printf '%s\n' 'exit 0' "$words")"
}

stops() {
  local agent=$1
  run_and_stop slow "$agent" "TURN=a SCENARIO=slow" 'tick 4'
  check "$agent" "slow, stopped: the text stays" "$(echo "exit $exit_code"; state_of slow; reply_of slow | grep -c '^tick 0 tick 1 ')" \
    "$(printf '%s\n' 'exit 130' 'cancelled' '1')"
  run_on_terminal toolslow "$agent" "TURN=a SCENARIO=toolslow" y types_stop
  check "$agent" "stopped while a command runs" \
    "$(echo "exit $exit_code"; cat "$live_work/ran" 2>&1; recorded_state_of toolslow)" \
    "$(printf '%s\n' 'exit 130' 'the command runs' 'cancelled')"
}

# Prints Ctrl-C when the command runs.
types_stop() {
  awaits_the_command
  printf '\003'
}

# Many agents ask first, and a run without a terminal denies that at once: only the process proves
# that there is something to stop.
awaits_the_command() {
  rm -f "$live_work/ran"
  until command_runs; do read -r -t 0.1 <> <(:); done
  echo "the command runs" > "$live_work/ran"
}

# What the log says of the only turn of a document: done, failed, cancelled.
recorded_state_of() {
  clean_env "$agent_doc" log --json "$project/$1.md" | grep -o '"state":"[a-z]*"' | cut -d'"' -f4
}

# run_and_kill NAME AGENT PROMPT EVENT: kills agent-doc at the first event with the text EVENT.
run_and_kill() {
  clean_env "$agent_doc" new --agent "$2" "$project/$1.md" "$3" > /dev/null
  local line pid
  exec {killed_out}< <(run_as_json "$1")
  read -r pid <&"$killed_out"
  while read -r line <&"$killed_out"; do
    [[ $line != *"$4"* ]] || kill -KILL "$pid"
  done
  exec {killed_out}<&-
}

# What is looked at is that nothing still runs: `check` does it.
leaves_nothing_when_killed() {
  local agent=$1
  run_and_kill killed "$agent" "TURN=a SCENARIO=slow" 'tick 4'
  check "$agent" "agent-doc killed while text comes" "" ""
  run_on_terminal killed-tool "$agent" "TURN=a SCENARIO=toolslow" y kills_agent_doc
  check "$agent" "agent-doc killed while a command runs" \
    "$(echo "exit $exit_code"; cat "$live_work/ran" 2>&1)" \
    "$(printf '%s\n' 'exit 137' 'the command runs')"
}

# Kills agent-doc when the command runs, and prints nothing.
kills_agent_doc() {
  local pid words
  awaits_the_command
  for pid in $(programs); do
    words=$(tr '\0' ' ' 2> /dev/null < "/proc/$pid/cmdline")
    [[ $words != "$agent_doc run "* ]] || kill -KILL "$pid"
  done
}

# run_and_leave NAME AGENT PROMPT TEXT: an editor that goes away when TEXT has come. What it says of
# the server's end goes to standard output.
run_and_leave() {
  clean_env "$agent_doc" new --agent "$2" "$project/$1.md" "$3" > /dev/null
  clean_env node "$live_folder/leave.mjs" "$agent_doc" "$project/$1.md" "$4" 2> "$project/$1.err"
}

leaves_nothing_when_the_editor_goes() {
  local agent=$1
  check "$agent" "the editor goes while text comes" \
    "$(run_and_leave left "$agent" "TURN=a SCENARIO=slow" 'tick 0')" "gone, server 1"
  check "$agent" "the editor goes while a command runs" \
    "$(run_and_leave left-tool "$agent" "TURN=a SCENARIO=toolslow" "${2:-tail -f /dev/null}")" \
    "gone, server 1"
}

# resumes AGENT [COMMAND…]: COMMAND runs between the two turns. Each turn is a process of its own:
# the second resumes the session of the first.
resumes() {
  local agent=$1 first
  shift
  run_new hist "$agent" "TURN=a SCENARIO=hist"
  first=$(resume_of hist)
  "$@"
  ask hist "TURN=b SCENARIO=hist"
  run_again hist
  check "$agent" "resume in a new process" "$(outcome hist; resume_of hist)" \
    "$(printf '%s\n' 'exit 0' 'done' 'history: 2 prompt(s): TURN=a, TURN=b' "$first")"
}

# The lines of the mock's log in which the person's changes `$1` arrived as a diff: a turn that was
# taken out, an answer that was corrected, a note below it. A private comment does not arrive.
arrived() {
  grep -oE -- "(-TURN=$2 SCENARIO=short|\\+(The person wrote|A note below) $1|private words)" \
    "$mock_log" | LC_ALL=C sort -u
}

# hears_changes AGENT [COMMAND…]: what the person changed above the question reaches the model, in
# a session that is warm and in one that a new process resumes. COMMAND runs between the two.
hears_changes() {
  local agent=$1
  shift
  clean_env "$agent_doc" new --agent "$agent" "$project/changed.md" "TURN=a SCENARIO=short" \
    > /dev/null
  check "$agent" "changes above the question, warm session" \
    "$(clean_env node "$live_folder/warm.mjs" "$agent_doc" "$project/changed.md" TURN=a one \
      "TURN=b SCENARIO=long" "TURN=c SCENARIO=short" 2> "$project/changed.err"
      arrived one a)" \
    "$(printf '%s\n' done done 'done' 'server 0' '+A note below one' '+The person wrote one' \
      '-TURN=a SCENARIO=short')"
  "$@"
  node "$live_folder/person.mjs" "$project/changed.md" TURN=c two
  ask changed "TURN=d SCENARIO=plain"
  run_again changed
  check "$agent" "changes above the question, resumed session" \
    "$(outcome changed; arrived two c)" \
    "$(printf '%s\n' 'exit 0' 'done' "$(scenario_text plain)" '+A note below two' \
      '+The person wrote two' '-TURN=c SCENARIO=short')"
}

# is_steered AGENT: what is said while a command runs reaches the model in the same turn, and has
# its own reply in the document; the next question goes alone.
is_steered() {
  local agent=$1 line
  mkfifo "$project/said"
  clean_env "$agent_doc" new --agent "$agent" "$project/steered.md" "TURN=a SCENARIO=waits" \
    > /dev/null
  check "$agent" "steered: both turns, and what stands in the document" \
    "$(clean_env timeout 60 node "$live_folder/steer.mjs" "$agent_doc" "$project/steered.md" \
      "$project/said" "TURN=b SCENARIO=waits" 2> "$project/steered.err"
      sed -n '/^## User/,$p' "$project/steered.md")" \
    "$(printf '%s\n' steered 'done done' 'server 0' '## User' '' 'TURN=a SCENARIO=waits' '' \
      '## Assistant' '' 'I will wait.' '' '## User' '' 'TURN=b SCENARIO=waits' '' \
      '## Assistant' '' 'I have waited.' '' '## User')"
  check "$agent" "steered: the model has read it" \
    "$(grep -q 'TURN=b SCENARIO=waits' "$mock_log" && echo read)" read
  ask steered "TURN=c SCENARIO=plain"
  check "$agent" "steered: nothing of it counts as changed" \
    "$(clean_env "$agent_doc" run --dry-run "$project/steered.md" 2> /dev/null | head -n 1)" \
    'TURN=c SCENARIO=plain'
}

# After resumes(): the fork knows what was said, the forked session does not know what is said in
# the fork.
forks() {
  local agent=$1 first forked
  first=$(resume_of hist)
  clean_env "$agent_doc" fork "$project/hist.md" "$project/fork.md" > /dev/null
  ask fork "TURN=c SCENARIO=hist"
  run_again fork
  forked=$(resume_of fork)
  check "$agent" "fork: the history, and a session of its own" \
    "$(outcome fork; [ "$forked" != "$first" ] && echo another)" \
    "$(printf '%s\n' 'exit 0' 'done' 'history: 3 prompt(s): TURN=a, TURN=b, TURN=c' 'another')"
  ask hist "TURN=d SCENARIO=hist"
  run_again hist
  check "$agent" "the forked session is as it was" "$(outcome hist)" "$(printf '%s\n' 'exit 0' 'done' 'history: 3 prompt(s): TURN=a, TURN=b, TURN=d')"
}

# A session that the agent does not know: the turn comes out all the same, in a new session, and
# that is said.
begins_anew() {
  local agent=$1
  run_new unknown "$agent" "TURN=a SCENARIO=hist"
  sed -i "s/^resume: .*/resume: $2/" "$project/unknown.md"
  ask unknown "TURN=b SCENARIO=short"
  run_again unknown
  check "$agent" "a session that is not there" \
    "$(outcome unknown; [ "$(resume_of unknown)" != "$2" ] && echo another)" \
    "$(printf '%s\n' 'exit 0' 'done' 'Hello from the mock.' 'another')"
}

# sessions AGENT: which sessions it keeps for the project. Sets exit_code; what was printed is in
# sessions.out and sessions.err.
sessions() {
  (cd "$project" && clean_env "$agent_doc" sessions "$1" --json) \
    > "$project/sessions.out" 2> "$project/sessions.err" < /dev/null
  exit_code=$?
}

# lists_sessions AGENT [DOCUMENT]. After forks(): the session of the document is in the list, and
# another document goes on with it.
lists_sessions() {
  local agent=$1 id
  id=$(resume_of "${2:-hist}")
  sessions "$agent"
  check "$agent" "sessions: that of a document is listed" \
    "$(echo "exit $exit_code"; grep -c "\"sessionId\":\"$id\"" "$project/sessions.out")" \
    "$(printf '%s\n' 'exit 0' '1')"
  clean_env "$agent_doc" new "$project/listed.md" "TURN=e SCENARIO=hist" \
    --agent "$agent" --resume "$id" > /dev/null
  run_again listed
  check "$agent" "new --resume: goes on with it" "$(outcome listed; resume_of listed)" \
    "$(printf '%s\n' 'exit 0' 'done' 'history: 4 prompt(s): TURN=a, TURN=b, TURN=d, TURN=e' "$id")"
}

# lists_its_session AGENT [DOCUMENT]. After resumes(): the session of the document is in the list of
# an agent that forks no sessions.
lists_its_session() {
  local id
  id=$(resume_of "${2:-hist}")
  sessions "$1"
  check "$1" "sessions: that of a document is listed" \
    "$(echo "exit $exit_code"; grep -c "\"sessionId\":\"$id\"" "$project/sessions.out")" \
    "$(printf '%s\n' 'exit 0' '1')"
}

# titled_by_the_question AGENT [DOCUMENT]. After the list: the agent titles the session with the
# person's words, not with ours.
titled_by_the_question() {
  local id
  id=$(resume_of "${2:-hist}")
  check "$1" "the session's title begins with the question" \
    "$(grep -oE "\"sessionId\":\"$id\",\"title\":\"TURN=a SCENARIO=hist" "$project/sessions.out" \
      | grep -o 'TURN=.*')" "TURN=a SCENARIO=hist"
}

says_that_it_cannot_list() {
  local agent=$1
  sessions "$agent"
  local message="agent-doc: $agent tells no other program which sessions it keeps"
  check "$agent" "sessions: says that it cannot" \
    "$(echo "exit $exit_code"; grep -c "^$message" "$project/sessions.err")" \
    "$(printf '%s\n' 'exit 1' '1')"
}

# writes_nothing AGENT POLICY…: nothing is written under any of these `permissions` when nobody is
# there to ask, however the turn ends.
writes_nothing() {
  local agent=$1 policy
  shift
  mkdir -p "$home/.config/agent-doc"
  for policy in "$@"; do
    echo "permissions = \"$policy\"" > "$home/.config/agent-doc/config.toml"
    run_new "$policy" "$agent" "TURN=a SCENARIO=toolwrite"
    check "$agent" "toolwrite with permissions = $policy: not written" \
      "$(ls "$project/out.txt" 2>&1 | grep -c 'No such')" 1
  done
  rm "$home/.config/agent-doc/config.toml"
}

# fails_with AGENT SCENARIO WORDS: the turn fails without a reply, and what the person is told has
# WORDS.
fails_with() {
  local name=$1-$2
  run_new "$name" "$1" "TURN=a SCENARIO=$2"
  check "$1" "$2: failed, and says what to do" \
    "$(outcome "$name"; failure_of "$name" | grep -oF -- "$3" | head -1)" \
    "$(printf '%s\n' 'exit 1' 'failed' '' "$3")"
}

# fails_after_a_tool AGENT: the service refuses what follows a tool.
fails_after_a_tool() {
  run_on_terminal after-tool "$1" "TURN=a SCENARIO=toolerr" y
  check "$1" "err400 after a tool: failed, what came stays" \
    "$(echo "exit $exit_code"; reply_of after-tool; service_error "$project/after-tool.out")" \
    "$(printf '%s\n' 'exit 1' 'I will run a command.' 'mock: invalid request. Check the model')"
}

# is_stopped_while_it_retries AGENT SCENARIO: it asks its service again and again and says nothing:
# the model is waited for, until the person stops it.
is_stopped_while_it_retries() {
  run_and_stop "$2" "$1" "TURN=a SCENARIO=$2" '"phase":"waiting for the model"'
  check "$1" "$2: waits for the model, and is stopped" "$(outcome "$2")" "$(printf '%s\n' 'exit 130' 'cancelled' '')"
}

# forks_by_document AGENT: it cannot fork: the fork is a new session that is given the document,
# which says TURN=a twice.
forks_by_document() {
  local agent=$1
  run_new tip "$agent" "TURN=a SCENARIO=hist"
  clean_env "$agent_doc" fork "$project/tip.md" "$project/fork.md" > /dev/null
  ask fork "TURN=c SCENARIO=hist"
  run_again fork
  check "$agent" "fork: a new session that knows the document" \
    "$(outcome fork; [ "$(resume_of fork)" != "$(resume_of tip)" ] && echo another)" \
    "$(printf '%s\n' 'exit 0' 'done' 'history: 1 prompt(s): TURN=a+TURN=a+TURN=c' 'another')"
}

# speaks_valid_acp AGENT: after live_tap: every line that agent-doc sent was valid by the schema of
# the protocol.
speaks_valid_acp() {
  local lines prompts
  lines=$(grep -c '^valid ' "$live_work/tap.log")
  prompts=$(grep -c '^valid session/prompt$' "$live_work/tap.log")
  check "$1" "$lines lines to it, $prompts prompts: valid ACP" \
    "$(grep -a -v '^valid ' "$live_work/tap.log" | head -5; [ "$prompts" -gt 5 ] && echo enough)" \
    enough
}
