#include "server/app/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <string>

namespace agent_doc::app {

namespace {

struct NamedLevel {
  std::string_view name;
  spdlog::level::level_enum level;
};
constexpr std::array kLevels{
    NamedLevel{"debug", spdlog::level::debug}, NamedLevel{"info", spdlog::level::info},
    NamedLevel{"warn", spdlog::level::warn},   NamedLevel{"error", spdlog::level::err},
    NamedLevel{"off", spdlog::level::off},
};

spdlog::level::level_enum level_of(lsp::LogLevel level) {
  switch (level) {
    case lsp::LogLevel::Debug:
      return spdlog::level::debug;
    case lsp::LogLevel::Info:
      return spdlog::level::info;
    case lsp::LogLevel::Warning:
      return spdlog::level::warn;
    case lsp::LogLevel::Error:
      break;
  }
  return spdlog::level::err;
}

class StderrLog final : public Log {
 public:
  explicit StderrLog(std::string_view level) {
    logger_.set_level(spdlog::level::warn);
    logger_.set_pattern("%Y-%m-%d %H:%M:%S.%e agent-doc %l: %v");
    const auto* named = std::find_if(kLevels.begin(), kLevels.end(),
                                     [&](const NamedLevel& one) { return one.name == level; });
    if (named != kLevels.end()) {
      logger_.set_level(named->level);
    } else if (!level.empty()) {
      write(lsp::LogLevel::Warning, "AGENT_DOC_LOG is \"" + std::string(level) +
                                        "\"; it may be debug, info, warn, error or off");
    }
  }

  void write(lsp::LogLevel level, std::string_view line) override {
    logger_.log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
  }

 private:
  spdlog::logger logger_{"agent-doc", std::make_shared<spdlog::sinks::stderr_sink_st>()};
};

}  // namespace

std::unique_ptr<Log> make_log(std::string_view level) {
  return std::make_unique<StderrLog>(level);
}

}  // namespace agent_doc::app
