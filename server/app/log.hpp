// What it is: the server's own log, on standard error.
// What it is not: what the person is told (server/lsp/messages.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "server/lsp/environment.hpp"

#include <memory>
#include <string_view>

namespace agent_doc::app {

class Log {
 public:
  virtual ~Log() = default;
  virtual void write(lsp::LogLevel level, std::string_view line) = 0;
};

/// `level` is the value of AGENT_DOC_LOG: "debug", "info", "warn", "error" or "off"; "warn" when it
/// is empty or something else.
std::unique_ptr<Log> make_log(std::string_view level);

}  // namespace agent_doc::app
