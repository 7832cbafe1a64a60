// What it is: an agent for the latency benchmark: it speaks just enough of claude's protocol and
// writes into every delta the time at which it wrote the line.
// What it is not: a test double; tests/fakes has those.

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

void say(const std::string& line) {
  const std::string with_newline = line + "\n";
  std::size_t written = 0;
  while (written < with_newline.size()) {
    const ssize_t n = ::write(1, with_newline.data() + written, with_newline.size() - written);
    if (n <= 0) std::exit(0);
    written += static_cast<std::size_t>(n);
  }
}

/// Fixed width, so that it is recognised in an edit: "@" and 19 digits.
std::string now_mark() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const std::string digits =
      std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return "@" + std::string(19 - digits.size(), '0') + digits;
}

}  // namespace

int main(int argc, char** argv) {
  const int deltas = argc > 1 ? std::atoi(argv[1]) : 100;
  const int interval_ms = argc > 2 ? std::atoi(argv[2]) : 40;
  std::string line;
  if (!std::getline(std::cin, line)) return 0;
  say(R"({"type":"system","subtype":"init","cwd":"/","session_id":"00000000-0000-4000-8000-000000000000","tools":[],"model":"bench"})");
  say(R"({"type":"stream_event","event":{"type":"message_start","message":{"id":"m","role":"assistant","content":[]}},"parent_tool_use_id":null})");
  say(R"({"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},"parent_tool_use_id":null})");
  for (int i = 0; i < deltas; ++i) {
    ::poll(nullptr, 0, interval_ms);
    say(R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
        now_mark() + R"(."}},"parent_tool_use_id":null})");
  }
  say(R"({"type":"result","subtype":"success","is_error":false,"result":"","session_id":"00000000-0000-4000-8000-000000000000","terminal_reason":"completed"})");
  while (std::getline(std::cin, line)) {
  }
  return 0;
}
