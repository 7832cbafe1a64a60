#include "editors/cli/commands.hpp"
#include "editors/cli/foreground_program.hpp"
#include "editors/cli/standard_streams.hpp"
#include "editors/cli/terminal.hpp"
#include "editors/cli/turn_report.hpp"
#include "protocol/json_text.hpp"
#include "server/app/person_store.hpp"
#include "server/file/document_file.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/store/history.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

json::object json_of(const store::StoredTurn& turn) {
  return {{"number", turn.number},
          {"turn", turn.turn},
          {"document", turn.document},
          {"file", turn.path},
          {"agent", turn.agent},
          {"model", turn.totals.model},
          {"sessionId", turn.totals.session_id},
          {"state", turn.totals.state},
          {"failure", turn.totals.failure},
          {"beganMs", turn.began_ms},
          {"endedMs", turn.ended_ms},
          {"usage", json::object{{"input", turn.totals.input_tokens},
                                 {"output", turn.totals.output_tokens},
                                 {"costMicros", turn.totals.cost_micros}}},
          {"prompt", turn.prompt},
          {"reply", turn.reply}};
}

json::object json_of(const store::StoredTurn& turn, const std::vector<store::StoredPiece>& pieces) {
  json::object object = json_of(turn);
  using Kind = store::StoredPiece::Kind;
  json::array rounds;
  json::array after;
  json::array thoughts;
  json::array printed;
  for (const store::StoredPiece& piece : pieces) {
    json::array& same = piece.kind == Kind::EarlierRound ? rounds
                        : piece.kind == Kind::Thought    ? thoughts
                        : piece.kind == Kind::Printed    ? printed
                                                         : after;
    same.emplace_back(piece.text);
  }
  object["earlierRounds"] = std::move(rounds);
  object["thoughts"] = std::move(thoughts);
  object["printed"] = std::move(printed);
  object["afterTurn"] = std::move(after);
  return object;
}

int show_one(store::History& history, const LogOptions& options) {
  const auto turn = history.turn(options.turn);
  if (turn.has_error()) return complain(kTurnFailed, turn.error().message);
  if (!*turn)
    return complain(kUsage, "there is no turn " + std::to_string(options.turn) +
                                "; `agent-doc log` lists them");
  const auto pieces = history.pieces(options.turn);
  if (pieces.has_error()) return complain(kTurnFailed, pieces.error().message);
  if (options.format == Format::Json) {
    write_all(STDOUT_FILENO, protocol::serialise_json(json_of(**turn, *pieces)) + "\n");
    return kDone;
  }
  const std::string report = report_of(**turn, *pieces);
  const bool is_paged = options.pager == Pager::OnTerminal && facts_of(STDOUT_FILENO).cursor &&
                        facts_of(STDIN_FILENO).live;
  if (!is_paged || !show_in_pager(report)) write_all(STDOUT_FILENO, report);
  return kDone;
}

int show_list(store::History& history, const LogOptions& options, const std::string& document) {
  const auto turns =
      history.turns({document, options.words, static_cast<std::int64_t>(options.limit)});
  if (turns.has_error()) return complain(kTurnFailed, turns.error().message);
  if (options.format == Format::Json) {
    for (const store::StoredTurn& turn : *turns)
      write_all(STDOUT_FILENO, protocol::serialise_json(json_of(turn)) + "\n");
    return kDone;
  }
  if (turns->empty()) {
    const std::string where = options.file.empty() ? "" : " of " + options.file;
    return complain(kNothingToSend, options.words.empty()
                                        ? "no turn" + where + " was recorded yet"
                                        : "no turn" + where + " has these words: " + options.words);
  }
  const bool is_live = facts_of(STDOUT_FILENO).live;
  const auto columns = static_cast<std::size_t>(columns_of(STDOUT_FILENO));
  const Naming naming = !document.empty() ? Naming::WithoutFile
                        : is_live         ? Naming::WithName
                                          : Naming::WithFile;
  for (const store::StoredTurn& turn : *turns) {
    const std::string line = line_of(turn, naming);
    write_all(STDOUT_FILENO, is_live ? fitted(line, columns - 1) + "\n" : line);
  }
  return kDone;
}

}  // namespace

int show_log(const LogOptions& options) {
  std::string document;
  if (!options.file.empty()) {
    const file::FileResult<file::DocumentFile> file = file::DocumentFile::open(options.file);
    if (file.has_error()) return complain(kUsage, file.error().message);
    const file::FileResult<std::string> text = file->read();
    if (text.has_error()) return complain(kUsage, text.error().message);
    document = markdown::read_front_matter(*text).value_of("agent_doc_session");
    if (document.empty())
      return complain(
          kNothingToSend,
          options.file + " was not run yet: it has no agent_doc_session in its front matter");
  }
  store::StoreResult<store::History> history = store::History::open(app::path_of_store());
  if (history.has_error()) {
    return complain(
        history.error().kind == store::StoreErrorKind::Missing ? kNothingToSend : kTurnFailed,
        history.error().message);
  }
  if (options.turn != 0) return show_one(*history, options);
  return show_list(*history, options, document);
}

}  // namespace agent_doc::cli
