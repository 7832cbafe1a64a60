#include "editors/cli/commands.hpp"
#include "editors/cli/document_lock.hpp"
#include "editors/cli/file_exchange.hpp"
#include "editors/cli/standard_streams.hpp"
#include "protocol/json_text.hpp"
#include "server/app/person_store.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/session/run_plan.hpp"
#include "server/session/undo_plan.hpp"
#include "server/store/history.hpp"
#include "server/turn/prompt.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

/// The reply is looked for in so many of the document's newest turns.
constexpr std::int64_t kMaxTurnsLookedAt = 10000;
constexpr std::size_t kMaxShownQuestion = 60;

/// Why nothing was taken out.
struct NotUndone {
  ExitCode code = kChanged;
  std::string why;
};

NotUndone why_not(const file::FileError& error, ExitCode code) {
  return {code, error.message};
}

std::string text_after(std::string_view document, const session::LastReply& last) {
  std::string text(document.substr(0, last.taking_out.begin));
  text.append(last.taking_out.replacement);
  return text.append(document.substr(last.taking_out.end));
}

/// Returns the turn that wrote `reply`, if the store has it just so.
std::variant<store::StoredTurn, NotUndone> turn_of(const std::string& file, const std::string& id,
                                                   std::string_view reply) {
  if (id.empty()) {
    return NotUndone{kChanged, "no run of " + file +
                                   " is recorded, so nobody can tell whether its last reply was "
                                   "changed: it stays."};
  }
  auto history = store::History::open(app::path_of_store());
  if (history.has_error()) {
    return NotUndone{kChanged, "nobody can tell whether the last reply in " + file +
                                   " was changed: " + history.error().message};
  }
  auto turns = history->turns({id, {}, kMaxTurnsLookedAt});
  if (turns.has_error()) return NotUndone{kTurnFailed, turns.error().message};
  const auto found =
      std::find_if(turns->rbegin(), turns->rend(), [reply](const store::StoredTurn& turn) {
        return turn.ended_ms != 0 && session::is_as_recorded(reply, turn.reply);
      });
  if (found != turns->rend()) return std::move(*found);
  return NotUndone{kChanged, "the last reply in " + file +
                                 " is not as its agent wrote it, so it stays. What was written: "
                                 "agent-doc log " +
                                 file};
}

std::variant<session::LastReply, NotUndone> last_reply_of(
    const std::string& file, std::string_view text, const markdown::FrontMatter& front_matter) {
  auto found = session::find_last_reply(text, front_matter);
  if (auto* reply = std::get_if<session::LastReply>(&found)) return std::move(*reply);
  if (std::get<session::NoUndo>(found) == session::NoUndo::NoReply)
    return NotUndone{kNothingToSend, "there is no reply in " + file + " to take out."};
  if (std::get<session::NoUndo>(found) == session::NoUndo::InComponent)
    return NotUndone{kChanged, "the last reply in " + file +
                                   " is in a component, and its turn may have written into others: "
                                   "take it out by hand."};
  return NotUndone{kChanged, "something was written below the last reply in " + file +
                                 ", so it stays. Take that out first, then undo again."};
}

struct Undone {
  store::StoredTurn turn;
  std::string question;
  bool is_in_session = false;  ///< the agent's session goes on, and has the turn
};

std::variant<Undone, NotUndone> undo_in(file::DocumentFile& document) {
  const std::string& file = document.shown_as();
  const file::FileResult<std::string> text = document.read();
  if (text.has_error()) return why_not(text.error(), kUsage);
  const markdown::FrontMatter front_matter = markdown::read_front_matter(*text);
  auto last = last_reply_of(file, *text, front_matter);
  if (auto* problem = std::get_if<NotUndone>(&last)) return std::move(*problem);
  const session::LastReply& reply = std::get<session::LastReply>(last);
  auto turn = turn_of(file, front_matter.value_of("agent_doc_session"), reply.reply);
  if (auto* problem = std::get_if<NotUndone>(&turn)) return std::move(*problem);

  Undone undone{std::move(std::get<store::StoredTurn>(turn)), turn::asked_in(reply.prompt), false};
  undone.is_in_session = !session::session_id_of(front_matter, undone.turn.agent).empty();
  const auto done = exchange_text(document, *text, text_after(*text, reply));
  if (done.has_error()) return why_not(done.error(), kTurnFailed);
  if (*done == Exchanged::FoundOther) {
    return NotUndone{kChanged, file +
                                   " was changed by another program at this moment, so nothing was "
                                   "done. Look at it, then undo again."};
  }
  // The person took it out: nobody is to offer it as missing.
  app::make_journal()->reply_placed(undone.turn.turn, store::ReplyPlace::File);
  return undone;
}

std::string text_of(const Undone& undone, const std::string& file) {
  std::string text = "Took the last reply (" + undone.turn.agent + ") out of " + file + ".";
  text += undone.question.empty() ? " Nothing is asked now.\n"
                                  : " Its question is open again: " +
                                        turn::one_line(undone.question, kMaxShownQuestion) + "\n";
  if (undone.is_in_session) {
    text += undone.turn.agent +
            " still has this turn in its session; the next run tells it that it was deleted.\n";
  }
  return text + "The reply is kept: agent-doc log " + file + " --turn " +
         std::to_string(undone.turn.number) + "\n";
}

json::object json_of(const Undone& undone, const std::string& path) {
  return {{"file", path},
          {"number", undone.turn.number},
          {"turn", undone.turn.turn},
          {"agent", undone.turn.agent},
          {"openPrompt", undone.question},
          {"reply", undone.turn.reply},
          {"toldAsDeleted", undone.is_in_session}};
}

}  // namespace

int undo(const UndoOptions& options) {
  file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  const std::optional<HeldDocument> held = hold_document(document->path());
  if (!held)
    return complain(kBusy, options.file + " is busy: a turn runs in it. Wait until it is over.");
  const auto outcome = undo_in(*document);
  if (const auto* problem = std::get_if<NotUndone>(&outcome))
    return complain(problem->code, problem->why);
  const Undone& undone = std::get<Undone>(outcome);
  write_all(STDOUT_FILENO, options.format == Format::Json
                               ? protocol::serialise_json(json_of(undone, document->path())) + "\n"
                               : wrapped_for_terminal(text_of(undone, options.file), 0));
  return kDone;
}

}  // namespace agent_doc::cli
