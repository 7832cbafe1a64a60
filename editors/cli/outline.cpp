#include "editors/cli/commands.hpp"
#include "editors/cli/outline_table.hpp"
#include "editors/cli/standard_streams.hpp"
#include "editors/cli/turn_report.hpp"
#include "protocol/agent_doc.hpp"
#include "protocol/json_text.hpp"
#include "server/app/person_store.hpp"
#include "server/file/document_file.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/store/history.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

/// The figures of so many turns of a document are looked for, of the newest ones.
constexpr std::int64_t kMaxOutlinedTurns = 10000;

/// Returns what the store knows of the document. Without a store all figures are estimates; another
/// problem is told.
std::vector<store::StoredTurn> recorded_turns(const std::string& document) {
  if (document.empty()) return {};
  auto history = store::History::open(app::path_of_store());
  if (history.has_error()) {
    if (history.error().kind != store::StoreErrorKind::Missing)
      complain(kDone, history.error().message + "; the figures are estimates");
    return {};
  }
  auto turns = history->turns({document, {}, kMaxOutlinedTurns});
  if (turns.has_error()) {
    complain(kDone, turns.error().message + "; the figures are estimates");
    return {};
  }
  return std::move(*turns);
}

std::string sum_of(const std::vector<OutlineRow>& rows, std::string_view text) {
  std::int64_t micros = 0;
  for (const OutlineRow& row : rows) micros += row.recorded ? row.recorded->totals.cost_micros : 0;
  std::string sum = std::to_string(rows.size()) + (rows.size() == 1 ? " turn, " : " turns, ") +
                    std::to_string(text.size()) + " bytes, about " +
                    std::to_string(protocol::estimated_tokens(text)) +
                    " tokens (~: estimated by the length)";
  if (micros > 0) sum += ", " + shown_cost(micros);
  return sum + "\n";
}

}  // namespace

int show_outline(const OutlineOptions& options) {
  const file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  const file::FileResult<std::string> text = document->read();
  if (text.has_error()) return complain(kUsage, text.error().message);
  const std::string id = markdown::read_front_matter(*text).value_of("agent_doc_session");
  const std::vector<OutlineRow> rows = outline_rows(*text, recorded_turns(id));
  if (options.format == Format::Json) {
    const json::object object{{"file", document->path()},
                              {"document", id},
                              {"bytes", text->size()},
                              {"estimatedTokens", protocol::estimated_tokens(*text)},
                              {"turns", outline_json(rows)}};
    write_all(STDOUT_FILENO, protocol::serialise_json(object) + "\n");
    return kDone;
  }
  const auto columns = static_cast<std::size_t>(std::max(columns_of(STDOUT_FILENO), 1));
  write_all(STDOUT_FILENO,
            (rows.empty() ? "" : outline_table(rows, columns)) + sum_of(rows, *text));
  return kDone;
}

}  // namespace agent_doc::cli
