#include "server/session/conversation.hpp"
#include "server/session/fork.hpp"
#include "server/text/line_ends.hpp"

#include <utility>

namespace agent_doc::session {

namespace {

constexpr const char* kDocumentId = "agent_doc_session";

/// The document's id that `turn` proposed and that was given up with the reply; empty when there is
/// none.
std::string lost_id(const CurrentTurn* turn) {
  if (turn == nullptr || !turn->front_matter().is_lost) return {};
  const std::vector<FrontMatterValue>& identity = turn->front_matter().identity;
  return !identity.empty() && identity.front().key == kDocumentId ? identity.front().value
                                                                  : std::string();
}

}  // namespace

Conversation::Identity Conversation::identify(const markdown::FrontMatter& front_matter,
                                              const std::string& agent) {
  Identity identity{known_id(front_matter), {}};
  if (identity.document.empty()) identity.document = world_.make_uuid();
  if (front_matter.value_of(kDocumentId).empty())
    identity.missing.push_back({kDocumentId, identity.document});
  if (front_matter.value_of("agent").empty()) identity.missing.push_back({"agent", agent});
  return identity;
}

std::string Conversation::known_id(const markdown::FrontMatter& front_matter) const {
  std::string id = front_matter.value_of(kDocumentId);
  return id.empty() ? lost_id(turn_.get()) : id;
}

void Conversation::propose_front_matter(std::vector<FrontMatterValue> values,
                                        const std::string& agent) {
  if (values.empty()) return;
  manuscript_.propose([values = std::move(values), agent](const text::TextBuffer& now) {
    return add_front_matter(now.text(), values, agent);
  });
}

void Conversation::propose_lost_front_matter() {
  if (!std::exchange(turn_->front_matter().is_lost, false)) return;
  propose_front_matter(turn_->front_matter().identity, turn_->agent());
  if (!agent_.session().empty()) note_session_as(agent_.session());
  note_session();
}

void Conversation::note_session_as(const std::string& id) {
  const std::string noted =
      session_id_of(markdown::read_front_matter(manuscript_.text()), turn_->agent());
  turn_->front_matter().session_to_note = id;
  turn_->front_matter().note_when_answered =
      !noted.empty() && noted != id && turn_->terms().other_owner.empty();
}

void Conversation::note_session() {
  TurnFrontMatter& front_matter = turn_->front_matter();
  if (front_matter.session_to_note.empty()) return;
  const bool answered = turn_->has_text() || turn_->progress().state() == turn::TurnState::Done;
  if (front_matter.note_when_answered && !answered) return;
  // Once: what somebody types into the value when it stands there is theirs.
  manuscript_.propose(
      [agent = turn_->agent(), session = std::exchange(front_matter.session_to_note, {}),
       other = turn_->terms().other_owner](const text::TextBuffer& document) {
        return set_session(document.text(), agent, session, other);
      },
      sync::ProposalEnd::Landed);
}

Outcome<std::string> Conversation::new_session() {
  if (turn_running())
    return Refusal{RefusalKind::Busy,
                   "a turn is running in " + name() + ": stop it or wait for its end"};
  if (!manuscript_.is_open())
    return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor: open it again"};
  agent_.retire(process::StopUrgency::Normal);
  for (const char* key : {"resume", "forked_from"}) {
    manuscript_.propose([key](const text::TextBuffer& document) {
      return markdown::remove_key(document.text(), key);
    });
  }
  settle();
  return std::string();
}

Outcome<ForkedDocument> Conversation::fork(std::string_view path_of_fork,
                                           std::optional<std::size_t> turn) const {
  if (turn_running())
    return Refusal{RefusalKind::Busy,
                   "a turn is running in " + name() + ": fork it when the turn has ended"};
  const std::string& text = manuscript_.text();
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
  const std::vector<std::size_t> replies = ends_of_replies(text, front_matter);
  const std::string named = front_matter.value_of("agent");
  ForkLink link;
  link.file = relative_name(name_.path, path_of_fork);
  link.turn = turn.value_or(replies.size());
  if (link.turn == replies.size())
    link.session =
        session_id_of(front_matter, named.empty() ? world_.agents().default_agent() : named);
  if (!turn) {
    if (!link.session.empty()) return ForkedDocument{fork_document(text, link, world_.make_uuid())};
    return Refusal{RefusalKind::NoSession,
                   name() + " has no session to fork yet: run it once, or copy the file"};
  }
  if (*turn == 0 || *turn > replies.size()) {
    const std::string count =
        replies.size() == 1 ? "1 reply" : std::to_string(replies.size()) + " replies";
    return Refusal{RefusalKind::Invalid, name() + " has " + count + ": there is no turn " +
                                             std::to_string(*turn) + " to fork it at"};
  }
  const std::string kept = text_up_to(text, replies[*turn - 1], text::most_frequent_line_end(text));
  return ForkedDocument{fork_document(kept, link, world_.make_uuid())};
}

}  // namespace agent_doc::session
