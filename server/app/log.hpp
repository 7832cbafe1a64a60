// The server's own log, on standard error. Messages to the user are in server/lsp/messages.hpp.
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

/// Returns a log for a value of AGENT_DOC_LOG: "debug", "info", "warn", "error" or "off". Anything
/// else means "warn".
std::unique_ptr<Log> make_log(std::string_view level);

}  // namespace agent_doc::app
