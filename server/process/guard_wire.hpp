// What it is: what a server and the guards of one agent say to each other, over one socket: the
// request, then signals in one direction and what became of the agent in the other.
// What it is not: for different versions of the program: a request of another one is refused.
// Thread rule: functions without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::process {

/// More than any kernel takes as arguments and environment of one program.
inline constexpr std::size_t kMaxGuardRequestBytes = 64 * 1024 * 1024;

/// The agent to start.
struct GuardRequest {
  std::string program;  ///< absolute path
  std::string cwd;      ///< empty: the guard's own
  std::string prompt_file;
  std::vector<std::string> args;  ///< without the program's own name
  std::vector<std::string> env;   ///< all of it, NAME=VALUE
};

/// Begins with its length.
std::string encode(const GuardRequest& request);
/// Without the length; nothing for what another version sent.
std::optional<GuardRequest> decode_guard_request(std::string_view body);

/// From the server, one byte each.
enum class GuardOrder : char {
  Interrupt = 'i',
  Terminate = 't',
  Kill = 'k',  ///< the agent and all that it started
};

/// To the server, as the bytes in memory.
struct GuardMessage {
  enum class Kind : std::int32_t {
    Started,  ///< `agent` and `inner` are processes
    Failed,   ///< it could not be started: `value` is errno
    Ended,    ///< it has ended and all that it started is gone: `value` is what waitpid(2) said
  };
  Kind kind = Kind::Failed;
  std::int32_t value = 0;
  std::int32_t agent = 0;
  std::int32_t inner = 0;
};

}  // namespace agent_doc::process
