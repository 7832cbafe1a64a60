#include "plugins/failure.hpp"

#include "plugins/failure_words.hpp"
#include "server/text/utf8.hpp"

#include <vector>

namespace agent_doc::plugins {
namespace {

constexpr std::size_t kStderrLines = 5;
constexpr std::size_t kMaxStderr = 1000;

std::string how_to_log_in(const AgentSpec& spec) {
  const Dialect* dialect = find_dialect(spec.dialect);
  const std::string how(dialect != nullptr ? dialect->how_to_log_in : std::string_view());
  const std::string start = "Start `" + spec.command + "` in a terminal and log in";
  return (how.empty() ? start : how) + ", or mend its API key; then run again.";
}

std::string advice_for(FailureKind kind, std::string_view text, const AgentSpec& spec) {
  switch (kind) {
    case FailureKind::Auth:
      return how_to_log_in(spec);
    case FailureKind::RateLimit:
      return "Wait a while, then run again.";
    case FailureKind::Invalid:
      return "Check the model and the prompt, then run again.";
    case FailureKind::NoCredit:
      return "Look at the plan and the credit of its account, then run again.";
    case FailureKind::Network:
      if (is_about_certificates(text)) {
        return "Check the connection: a proxy in between shows a certificate that the agent does "
               "not trust. Programs of Node.js read "
               "NODE_EXTRA_CA_CERTS; set it in `env` of [agents." +
               spec.name + "], then run again.";
      }
      return "Check the connection, then run again.";
    case FailureKind::Refused:
      return "Change the prompt, or go on in a new session.";
    case FailureKind::MaxTokens:
      return "The reply is cut; ask it to go on, or for a shorter answer.";
    case FailureKind::ContextFull:
      return "What was said in this session no longer fits: use *New session*, which is given the "
             "document to read, or fork the document "
             "at an "
             "earlier turn and go on there.";
    case FailureKind::SessionUnknown:
    case FailureKind::ForkUnsupported:
      return {};  // the turn continues in a new session
    case FailureKind::Crashed:
      return "`agent-doc doctor` shows whether it starts.";
    case FailureKind::Unknown:
      return "Run again; `agent-doc doctor` shows whether the agent works.";
  }
  return {};
}

}  // namespace

AgentFailure describe_failure(FailureKind kind, std::string_view text, const AgentSpec& spec) {
  std::string message = spec.name + ": ";
  message.append(text);
  if (!text.empty() && std::string_view(".!?…").find(text.back()) == std::string_view::npos)
    message.push_back('.');
  const std::string advice = advice_for(kind, text, spec);
  return {kind, advice.empty() ? message : message + " " + advice};
}

AgentFailure describe_exit(FailureKind kind, const ExitStatus& status, std::string_view said,
                           const AgentSpec& spec) {
  std::string text = "The agent ended before the turn did (";
  text += status.signal != 0 ? "signal " + std::to_string(status.signal)
                             : "exit code " + std::to_string(status.code);
  text += ")";
  if (!said.empty()) text.append(": ").append(said);
  return describe_failure(kind, text, spec);
}

AgentFailure describe_denied_end(const AgentSpec& spec) {
  return {FailureKind::Refused, spec.name +
                                    ": The agent ended its turn, for what it asked was denied. "
                                    "Allow it, or say in the prompt how to do without."};
}

AgentFailure describe_silence(std::uint64_t not_understood, const std::string& agent) {
  std::string text = "The agent ended its turn without a word";
  if (not_understood > 0)
    text += " that was understood; `agent-doc log` shows what it printed instead";
  AgentSpec spec;
  spec.name = agent;
  return describe_failure(FailureKind::Unknown, text, spec);
}

std::string last_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kStderrLines) {
    const std::size_t newline = text.find_last_of('\n');
    const std::string_view line =
        newline == std::string_view::npos ? text : text.substr(newline + 1);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(line);
    text = newline == std::string_view::npos ? std::string_view() : text.substr(0, newline);
  }
  std::string joined;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!joined.empty()) joined.push_back('\n');
    joined.append(*line);
  }
  if (joined.size() > kMaxStderr) {
    joined = "…" + joined.substr(text::ceil_boundary(joined, joined.size() - kMaxStderr));
  }
  return joined;
}

}  // namespace agent_doc::plugins
