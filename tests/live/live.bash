# What it is: what the tests with real agents share: installing an agent from npm, the mock model
# server, a clean environment, single checks and their table. Sourced by tests/live/AGENT.
# What it is not: a test; it knows no agent.
#
# Every document of a test lies in $project, whose folder is new. Agents get nothing of the caller's
# environment but PATH: no key, no proxy, no home.

live_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
live_cache=${AGENT_DOC_LIVE:-${XDG_CACHE_HOME:-$HOME/.cache}/agent-doc-live}
MOCK_PID=
passed=0
failed=0

live_usage() {
  echo "usage: tests/live/$1 AGENT_DOC" >&2
  echo "  AGENT_DOC         the program to test, for example build/release/agent-doc" >&2
  echo "  \$AGENT_DOC_LIVE   where the agents are installed (default: $live_cache)" >&2
  exit 2
}

# live_begin AGENT_DOC: a new home and project, and the mock. Sets agent_doc, home, project,
# mock_url, mock_log.
live_begin() {
  agent_doc=$(realpath "$1")
  [ -x "$agent_doc" ] || { echo "tests/live: there is no program '$1'" >&2; exit 2; }
  live_work=$(mktemp -d)
  home=$live_work/home
  project=$live_work/project
  mock_log=$live_work/mock.log
  mkdir -p "$home" "$project" "$live_work/run"
  coproc MOCK { exec node "$live_folder/mock/server.mjs" --log "$mock_log"; }
  trap live_end EXIT
  local line
  read -r line <&"${MOCK[0]}" || { echo "tests/live: the mock does not start" >&2; exit 1; }
  mock_url=${line##* }
}

live_end() {
  local left
  left=$(programs)
  [ -z "$left$MOCK_PID" ] || kill $left $MOCK_PID
  rm -rf "$live_work"
}

# live_install PACKAGE@VERSION…: into a folder of that name, unless it is there. Sets agent_bin.
live_install() {
  local folder=$live_cache/${1//[@\/]/_}
  if [ ! -e "$folder/installed" ]; then
    mkdir -p "$folder"
    echo "installing $* into $folder" >&2
    (cd "$folder" && npm install --silent --no-fund --no-audit --prefix . "$@" >&2) || exit 1
    touch "$folder/installed"
  fi
  agent_bin=$folder/node_modules/.bin
}

# live_install_python PACKAGE==VERSION: into a virtual environment of $LIVE_PYTHON (default:
# python3). Sets agent_bin.
live_install_python() {
  local folder=$live_cache/${1//[@=\/]/_}
  if [ ! -e "$folder/installed" ]; then
    echo "installing $* into $folder" >&2
    "${LIVE_PYTHON:-python3}" -m venv "$folder" && "$folder/bin/pip" install -q "$@" >&2 || exit 1
    touch "$folder/installed"
  fi
  agent_bin=$folder/bin
}

# live_tap COMMAND: from now on what agent-doc says to this program of agent_bin goes through
# acp_tap, which holds it against the schema of ACP.
live_tap() {
  local tap
  tap=$(dirname "$agent_doc")/tests/acp_tap
  [ -x "$tap" ] || { echo "tests/live: there is no '$tap': build the target acp_tap" >&2; exit 2; }
  mkdir -p "$live_work/tapped"
  printf '#!/bin/sh\nexec "%s" "%s" "%s" "$@"\n' "$tap" "$live_work/tap.log" "$agent_bin/$1" \
    > "$live_work/tapped/$1"
  chmod +x "$live_work/tapped/$1"
}

# clean_env COMMAND…: with the environment of the test. $live_env: more variables for the agent.
live_env=()
clean_env() {
  env -i HOME="$home" PATH="$live_work/tapped:$agent_bin:$PATH" LANG=C.UTF-8 TERM=xterm \
    XDG_RUNTIME_DIR="$live_work/run" LIVE_RUN="$live_work" "${live_env[@]}" "$@"
}

# run_as_json NAME: prints the process id, then the events.
run_as_json() {
  clean_env bash -c 'echo $$; exec "$@"' bash "$agent_doc" run --json "$project/$1.md" \
    2> "$project/$1.err" < /dev/null
}

# run_new NAME AGENT PROMPT: a new document NAME.md and its first turn. Sets exit_code; what was
# printed is in NAME.out.
run_new() {
  clean_env "$agent_doc" new --agent "$2" "$project/$1.md" "$3" > /dev/null
  run_again "$1"
}

# The turn that is open in NAME.md.
run_again() {
  clean_env "$agent_doc" run --json "$project/$1.md" \
    > "$project/$1.out" 2> "$project/$1.err" < /dev/null
  exit_code=$?
}

# ask NAME PROMPT: writes another question at the end.
ask() {
  printf '%s\n' "$2" >> "$project/$1.md"
}

# run_on_terminal NAME AGENT PROMPT ANSWER [COMMAND…]: the agent's question is answered with ANSWER.
# COMMAND runs meanwhile; what it prints is typed into the terminal.
run_on_terminal() {
  clean_env "$agent_doc" new --agent "$2" "$project/$1.md" "$3" > /dev/null
  local seen= text= c meanwhile=
  # The mock is a coprocess, too: bash warns of a second one.
  {
    coproc TERMINAL { clean_env script -qefc "'$agent_doc' run '$project/$1.md'" /dev/null 2>&1; }
  } 2> /dev/null
  local pid=$TERMINAL_PID in=${TERMINAL[1]} out=${TERMINAL[0]}
  exec {terminal_out}<&"$out" {terminal_in}>&"$in"
  if [ $# -gt 4 ]; then
    "${@:5}" >&"$terminal_in" &
    meanwhile=$!
  fi
  while IFS= read -r -n1 -d '' c <&"$terminal_out"; do
    seen+=$c
    text+=$c
    if [[ $c == " " && $text == *"Allow? "*": " ]]; then # the end of "Allow? y, N (no): "
      printf '%s\n' "$4" >&"$terminal_in"
      seen+="(answered) "
      text=
    fi
  done
  printf '%s' "$seen" > "$project/$1.out"
  wait "$pid"
  exit_code=$?
  exec {terminal_out}<&- {terminal_in}>&-
  [ -z "$meanwhile" ] || { kill "$meanwhile" 2> /dev/null; wait "$meanwhile"; }
}

# run_and_stop NAME AGENT PROMPT EVENT [SIGNAL]: sends agent-doc the signal (INT stops the turn) at
# the first event with the text EVENT.
run_and_stop() {
  clean_env "$agent_doc" new --agent "$2" "$project/$1.md" "$3" > /dev/null
  local line running=yes
  exec {stopped_out}< <(run_as_json "$1"
    echo "exit $?")
  local pid
  read -r pid <&"$stopped_out"
  : > "$project/$1.out"
  while read -r line <&"$stopped_out"; do
    printf '%s\n' "$line" >> "$project/$1.out"
    if [[ $running && $line == *"$4"* ]]; then
      kill -s "${5:-INT}" "$pid"
      running=
    fi
  done
  exec {stopped_out}<&-
  exit_code=${line:-$(tail -1 "$project/$1.out")}
  exit_code=${exit_code#exit }
}

# The reply of the last turn that has one.
reply_of() {
  awk '/^## Assistant$/ { text = ""; on = 1; next } /^## User$/ { if (on) last = text; on = 0; next } on { text = text $0 "\n" }
       END { if (on) last = text; gsub(/^\n+|\n+$/, "", last); print last }' "$project/$1.md"
}

scenario_text() {
  node --input-type=module -e "import { finalTextOf } from '$live_folder/mock/scenarios.mjs'; process.stdout.write(finalTextOf('$1').trimEnd())"
}

# What `run --json` said at the end: done, failed, cancelled.
state_of() {
  grep -o '"event":"turn".*"state":"[a-z]*"' "$project/$1.out" | tail -1 \
    | grep -o '"state":"[a-z]*"' | cut -d'"' -f4
}

# service_error FILE…: the first message of the mock's HTTP 400 in the files.
service_error() {
  grep -ho "mock: invalid request. Check the model" "$@" | head -1
}

# What the person is told of a turn that failed.
failure_of() {
  grep -o '"failure":"[^"]*"' "$project/$1.out" | tail -1 | cut -d'"' -f4
}

resume_of() {
  sed -n 's/^resume: *"\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$project/$1.md" | head -1
}

# Programs of this test: the ids of processes.
programs() {
  grep -lzsx "LIVE_RUN=$live_work" /proc/[0-9]*/environ | cut -d/ -f3 | tr '\n' ' '
}

# Is `tail -f /dev/null` among them?
command_runs() {
  local pid words
  for pid in $(programs); do
    words=$(tr '\0' ' ' 2> /dev/null < "/proc/$pid/cmdline")
    [ "$words" != "tail -f /dev/null " ] || return 0
  done
  return 1
}

# Those that still run, though they should be gone; they get two seconds.
survivors() {
  local left try
  for try in 1 2 3 4 5 6 7 8 9 10; do
    left=$(programs)
    [ -z "$left" ] && return
    read -r -t 0.2 <> <(:)
  done
  echo "$left"
}

# check AGENT WHAT SAID EXPECTED: one line of the table.
check() {
  local left
  left=$(survivors)
  if [ "$3" = "$4" ] && [ -z "$left" ]; then
    passed=$((passed + 1))
    printf '%-14s %-44s ok\n' "$1" "$2"
    return
  fi
  failed=$((failed + 1))
  printf '%-14s %-44s FAILED\n' "$1" "$2"
  diff <(printf '%s\n' "$4") <(printf '%s\n' "$3") | head -20 | sed 's/^/    /'
  [ -z "$left" ] || echo "    still running: $left"
}

# The last line, and the exit code.
live_summary() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
