// What it is: a host for codex' app-server without a process, and the messages that its tests have
// in common.
// What it is not: what any agent does (protocol_host.hpp).
// Thread rule: one thread.
#pragma once

#include "plugins/codex/codex.hpp"
#include "tests/unit/protocol_host.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace agent_doc::plugins::codex_test {

using tests::ProtocolHost;
using tests::Told;

inline const AgentSpec kSpec{"codex", "codex", "codex", {}, {}};

inline LaunchRequest start(SessionStart start, std::string session = {}) {
  LaunchRequest request;
  request.start = start;
  request.session_id = std::move(session);
  request.cwd = "/srv/proj";
  return request;
}

inline constexpr std::string_view kInitialized =
    R"({"id":1,"result":{"userAgent":"agent-doc/0.169.0"}})";
inline constexpr std::string_view kThread =
    R"({"id":2,"result":{"thread":{"id":"T"},"model":"m"}})";
inline constexpr std::string_view kTurn =
    R"({"id":3,"result":{"turn":{"id":"t1","status":"inProgress"}}})";

/// app-server of one session.
class AppServer : public ProtocolHost {
 public:
  explicit AppServer(const LaunchRequest& request = start(SessionStart::New))
      : ProtocolHost(make_codex(kSpec)) {
    static_cast<void>(protocol->launch(request));
  }
  /// A turn whose id is known.
  void begin_answer() {
    begin();
    for (const std::string_view text : {kInitialized, kThread, kTurn})
      static_cast<void>(line(text));
    written();
  }
  Told notify(const std::string& method, const std::string& params) {
    return line(R"({"method":")" + method + R"(","params":{"threadId":"T","turnId":"t1",)" +
                params + "}}");
  }
  Told end(const std::string& status, const std::string& more = "") {
    return line(
        R"({"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t1","status":")" +
        status + "\"" + more + "}}}");
  }
  void cancel() { protocol->cancel(*this); }
  void answer(const std::string& question, const std::string& option) {
    protocol->answer(question, option, *this);
  }
};

inline std::string turn_start(const std::string& prompt, int id = 3) {
  return R"({"id":)" + std::to_string(id) +
         R"(,"method":"turn/start","params":{"threadId":"T","input":[{"type":"text","text":")" +
         prompt + R"(","text_elements":[]}]}})";
}

inline const std::string kInterrupt =
    R"({"id":4,"method":"turn/interrupt","params":{"threadId":"T","turnId":"t1"}})";

}  // namespace agent_doc::plugins::codex_test
