#include "editors/cli/turn_report.hpp"

#include "editors/cli/terminal.hpp"
#include "server/file/local_time.hpp"
#include "server/turn/sanitiser.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string_view>

namespace agent_doc::cli {

namespace {

constexpr std::size_t kPromptBytes = 60;
constexpr std::size_t kNameColumns = 24;

std::string cleaned(std::string_view text) {
  turn::Sanitiser sanitiser;
  std::string clean;
  sanitiser.feed(text, clean);
  return clean;
}

/// Returns the figures of a turn: "12 s, 340 tokens, $0.0100".
std::string facts_of(const store::StoredTurn& turn) {
  std::string facts;
  const auto add = [&facts](const std::string& fact) {
    if (!fact.empty()) facts += (facts.empty() ? "" : ", ") + fact;
  };
  if (turn.ended_ms != 0) add(duration(std::chrono::milliseconds(turn.ended_ms - turn.began_ms)));
  if (turn.totals.output_tokens != 0) add(std::to_string(turn.totals.output_tokens) + " tokens");
  add(shown_cost(turn.totals.cost_micros));
  return facts;
}

std::string section(std::string_view title, std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  std::string result = "\n--- " + std::string(title) + " ---\n" + cleaned(text);
  if (result.back() != '\n') result += '\n';
  return result;
}

}  // namespace

std::string shown_cost(std::int64_t micros) {
  if (micros == 0) return {};
  std::array<char, 32> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "$%.4f", static_cast<double>(micros) / 1e6);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string line_of(const store::StoredTurn& turn, Naming naming) {
  const std::string facts = facts_of(turn);
  const auto began = static_cast<std::time_t>(turn.began_ms / 1000);
  std::string line = std::to_string(turn.number) + "  " +
                     file::local_time(began, file::TimeForm::List) + "  " + turn.agent + "  " +
                     turn.totals.state;
  if (!facts.empty()) line += " (" + facts + ")";
  if (naming == Naming::WithFile) line += "  " + turn::one_line(turn.path, turn.path.size());
  if (naming == Naming::WithName)
    line += "  " + fitted(turn.path.substr(turn.path.rfind('/') + 1), kNameColumns);
  return line + "  " + turn::one_line(turn.prompt, kPromptBytes) + "\n";
}

std::string report_of(const store::StoredTurn& turn,
                      const std::vector<store::StoredPiece>& pieces) {
  std::string report = line_of(turn, Naming::WithFile);
  if (!turn.totals.session_id.empty())
    report +=
        "session " + turn::one_line(turn.totals.session_id, turn.totals.session_id.size()) + "\n";
  if (!turn.totals.failure.empty()) report += cleaned(turn.totals.failure) + "\n";
  report += section("prompt", turn.prompt);
  for (const store::StoredPiece& piece : pieces) {
    if (piece.kind == store::StoredPiece::Kind::EarlierRound)
      report += section("before the reply", piece.text);
    if (piece.kind == store::StoredPiece::Kind::Thought) report += section("thought", piece.text);
  }
  if (!turn.reply.empty()) report += section("reply", turn.reply);
  for (const store::StoredPiece& piece : pieces) {
    if (piece.kind == store::StoredPiece::Kind::AfterTurn)
      report += section("after the turn", piece.text);
    if (piece.kind == store::StoredPiece::Kind::Printed) report += section("printed", piece.text);
  }
  return report;
}

}  // namespace agent_doc::cli
