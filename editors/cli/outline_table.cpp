#include "editors/cli/outline_table.hpp"

#include "editors/cli/terminal.hpp"
#include "editors/cli/turn_report.hpp"
#include "protocol/agent_doc.hpp"
#include "server/file/local_time.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/markdown/numbered_turns.hpp"
#include "server/session/undo_plan.hpp"
#include "server/text/columns.hpp"
#include "server/turn/prompt.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <map>
#include <utility>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t kFigureColumns = 5;
constexpr std::size_t kModelColumns = 14;
constexpr std::size_t kFewestQuestionColumns = 12;
constexpr std::size_t kDateBytes = 10;  // "2026-11-21"
constexpr std::size_t kMaxShownWords = 400;

using Cells = std::array<std::string, kFigureColumns>;

/// The turns of the store by what they ask; a turn is taken out when it has found its place.
class RecordedTurns {
 public:
  explicit RecordedTurns(std::vector<store::StoredTurn> turns) {
    for (store::StoredTurn& turn : turns) {
      std::vector<store::StoredTurn>& same = by_question_[turn.prompt];
      same.push_back(std::move(turn));
    }
  }

  void take_for(OutlineRow& row, std::string_view reply) {
    const auto found = by_question_.find(row.question);
    if (found == by_question_.end() || found->second.empty()) return;
    std::vector<store::StoredTurn>& same = found->second;
    auto turn = std::find_if(same.begin(), same.end(), [reply](const store::StoredTurn& one) {
      return session::is_as_recorded(reply, one.reply);
    });
    row.is_as_recorded = turn != same.end();
    if (!row.is_as_recorded) turn = same.begin();
    row.recorded = std::move(*turn);
    same.erase(turn);
  }

 private:
  std::map<std::string, std::vector<store::StoredTurn>> by_question_;
};

std::string tokens_of(const OutlineRow& row) {
  const std::int64_t counted =
      row.recorded ? row.recorded->totals.input_tokens + row.recorded->totals.output_tokens : 0;
  return counted > 0 ? std::to_string(counted) : "~" + std::to_string(row.estimated_tokens);
}

std::string cost_in_table(const OutlineRow& row) {
  const std::string cost = row.recorded ? shown_cost(row.recorded->totals.cost_micros) : "";
  return cost.empty() ? "-" : cost;
}

std::string date_of(const OutlineRow& row) {
  if (!row.recorded) return "-";
  const auto began = static_cast<std::time_t>(row.recorded->began_ms / 1000);
  return file::local_time(began, file::TimeForm::List).substr(0, kDateBytes);
}

std::string model_of(const OutlineRow& row) {
  if (!row.recorded) return "-";
  const std::string& model = row.recorded->totals.model;
  return fitted(model.empty() ? row.recorded->agent : model, kModelColumns);
}

std::string question_of(const OutlineRow& row) {
  std::string words = turn::one_line(row.question, kMaxShownWords);
  if (words.empty()) words = "(nothing asked)";
  return row.has_reply ? words : "(open) " + words;
}

/// Figures to the right, words to the left.
std::string padded(const std::string& cell, std::size_t width, bool is_figure) {
  const std::string space(width - std::min(width, text::width_of(cell)), ' ');
  return is_figure ? space + cell : cell + space;
}

}  // namespace

std::vector<OutlineRow> outline_rows(std::string_view document,
                                     std::vector<store::StoredTurn> recorded) {
  RecordedTurns turns(std::move(recorded));
  std::vector<OutlineRow> rows;
  for (const markdown::NumberedTurn& turn :
       markdown::numbered_turns(document, markdown::read_front_matter(document))) {
    const std::string_view text = document.substr(turn.begin, turn.end - turn.begin);
    OutlineRow row;
    row.number = rows.size() + 1;
    row.question =
        turn::asked_in(document.substr(turn.prompt_begin, turn.prompt_end - turn.prompt_begin));
    row.bytes = text.size();
    row.estimated_tokens = protocol::estimated_tokens(text);
    row.has_reply = turn.has_reply;
    if (turn.has_reply)
      turns.take_for(row, document.substr(turn.reply_begin, turn.end - turn.reply_begin));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string outline_table(const std::vector<OutlineRow>& rows, std::size_t columns) {
  std::vector<Cells> cells{{"#", "BYTES", "TOKENS", "COST", "DATE"}};
  std::vector<std::pair<std::string, std::string>> words{{"MODEL", "QUESTION"}};
  for (const OutlineRow& row : rows) {
    cells.push_back({std::to_string(row.number), std::to_string(row.bytes), tokens_of(row),
                     cost_in_table(row), date_of(row)});
    words.emplace_back(model_of(row), question_of(row));
  }
  std::array<std::size_t, kFigureColumns> widths{};
  std::size_t model_width = 0;
  for (std::size_t line = 0; line < cells.size(); ++line) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], text::width_of(cells[line][i]));
    model_width = std::max(model_width, text::width_of(words[line].first));
  }
  std::size_t used = model_width + 2;
  for (const std::size_t width : widths) used += width + 2;
  const std::size_t left = std::max(columns, used + kFewestQuestionColumns) - used;
  std::string table;
  for (std::size_t line = 0; line < cells.size(); ++line) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      table += padded(cells[line][i], widths[i], true) + "  ";
    table += padded(words[line].first, model_width, false) + "  " +
             fitted(words[line].second, left) + "\n";
  }
  return table;
}

json::array outline_json(const std::vector<OutlineRow>& rows) {
  json::array list;
  for (const OutlineRow& row : rows) {
    json::object one{{"number", row.number},
                     {"question", row.question},
                     {"bytes", row.bytes},
                     {"estimatedTokens", row.estimated_tokens},
                     {"replied", row.has_reply}};
    if (row.recorded) {
      const store::TurnTotals& totals = row.recorded->totals;
      one["recorded"] = json::object{{"number", row.recorded->number},
                                     {"agent", row.recorded->agent},
                                     {"model", totals.model},
                                     {"beganMs", row.recorded->began_ms},
                                     {"inputTokens", totals.input_tokens},
                                     {"outputTokens", totals.output_tokens},
                                     {"costMicros", totals.cost_micros},
                                     {"asWritten", row.is_as_recorded}};
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace agent_doc::cli
