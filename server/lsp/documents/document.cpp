#include "server/lsp/documents/document.hpp"
#include "server/lsp/documents/work_folder.hpp"
#include "server/lsp/uri.hpp"

namespace agent_doc::lsp {

namespace {

/// Nobody will answer an edit in flight any more; the text decides when the document is opened
/// again.
void expire_flight(session::Conversation& session) {
  if (session.engine().in_flight()) session.edit_answered(sync::Answer::TimedOut);
}

session::Pace pace_for(const protocol::ClientCapabilities& can) {
  session::Pace pace =
      can.strictEdits ? session::kPaceForOurPlugins : session::kPaceForOtherClients;
  if (can.slowEdits) pace.frame_patience = session::kFramePatience;
  return pace;
}

session::DocumentName name_of(const DocumentPlace& place) {
  return {place.uri, place.path, place.file};
}

}  // namespace

Document::Document(Client& client, Environment& environment, Messages& messages,
                   const Workspace& workspace, AgentFiles& files, DocumentPlace place,
                   DocumentListener listener)
    : environment_(environment),
      messages_(messages),
      workspace_(workspace),
      files_(files),
      place_(std::move(place)),
      listener_(std::move(listener)),
      change_order_(counting_of(client.name)),
      apply_edit_(
          client, environment, place_.uri,
          [this](sync::Answer answer) {
            with_session([&](session::Conversation& session) { session.edit_answered(answer); });
          }),
      updates_(client, environment, place_.uri),
      permissions_(client, environment, messages,
                   [this](const std::string& turn, const std::string& permission,
                          const std::string& option) {
                     with_session([&](session::Conversation& session) {
                       session.answer(turn, permission, option);
                     });
                   }),
      session_(name_of(place_), client.encoding, pace_for(client.can), environment, *this) {}

void Document::moved(DocumentPlace place) {
  new_uri_ = std::exchange(place.uri, place_.uri);
  place_ = std::move(place);
  if (!shown_) take_new_uri();
  with_session([this](session::Conversation& session) { session.moved(name_of(place_)); });
}

void Document::take_new_uri() {
  if (new_uri_.empty()) return;
  const std::string old_uri = std::exchange(place_.uri, std::exchange(new_uri_, {}));
  if (old_uri != place_.uri) listener_.name_gone(old_uri);
  apply_edit_.rename(place_.uri);
  updates_.rename(place_.uri);
}

bool Document::has_unfinished_reply() const {
  return session_.turn_running() || session_.engine().wants_to_write() ||
         session_.can_continue_reply();
}

void Document::did_open(sync::Version version, std::string text) {
  take_new_uri();
  if (closed_client_) leave_file();
  shown_ = true;
  change_order_.opened(version);
  closed_in_turn_ = false;
  with_session([&](session::Conversation& session) { session.did_open(version, std::move(text)); });
}

void Document::did_close() {
  shown_ = false;
  take_new_uri();
  closed_in_turn_ = session_.turn_running();
  with_session([](session::Conversation& session) { session.did_close(); });
}

bool Document::has_unsaved_reply() const {
  return closed_in_turn_ && !session_.turn_running() && place_.has_file &&
         session_.engine().wants_to_write();
}

void Document::write_to_file() {
  closed_in_turn_ = false;
  auto file = environment_.open_closed_file(place_.path);
  if (!file) return report_unwritten(file.error());
  apply_edit_.forget();
  with_session(expire_flight);
  const auto visit = [this](const std::function<void(session::Conversation&)>& call) {
    with_session(call);
  };
  closed_client_ = std::make_unique<ClosedClient>(
      environment_, session_, std::move(*file), visit, [this](const std::string& problem) {
        if (problem.empty())
          with_session([](session::Conversation& session) { session.did_save(); });
        leave_file();
        if (!problem.empty()) report_unwritten(problem);
      });
  closed_client_->start();
}

void Document::yield_file_to(const Document& other) {
  closed_in_turn_ = false;
  report_unwritten(place_.path + " is open as " + name_of_document(other.place().uri) +
                   ", so agent-doc does not write into it.");
}

void Document::leave_file() {
  closed_client_.reset();
  with_session([](session::Conversation& session) {
    session.did_close();
    expire_flight(session);
  });
}

void Document::report_unwritten(const std::string& problem) {
  messages_.show(session::MessageKind::Error, problem +
                                                  " The end of the reply is not in the file: open "
                                                  "the document again, and it is written there.");
}

void Document::send_edit(const sync::OutgoingEdit& edit) {
  if (closed_client_) return closed_client_->send(edit);
  apply_edit_.send(edit, session_.engine().shadow());
}

void Document::turn_changed(const session::TurnView& view) {
  if (updates_.turn_changed(view)) listener_.turn_milestone(*this);
}

void Document::reply_changed(const std::string& turn, std::size_t offset, std::string_view text) {
  updates_.reply_changed(turn, offset, text);
}

void Document::ask_permission(const std::string& turn, const turn::Permission& permission) {
  permissions_.ask(turn, permission);
}

void Document::withdraw_permission(const std::string& turn, const std::string& permission) {
  permissions_.withdraw(turn, permission);
}

plugins::FileAnswer Document::read_file(const plugins::FileRead& request,
                                        const std::string& folder) {
  return files_.read(*this, request, folder);
}

session::WorkFolder Document::work_folder() {
  return lsp::work_folder(place_, workspace_, environment_);
}

plugins::FileAnswer Document::write_file(const plugins::FileWrite& request,
                                         const std::string& folder) {
  return files_.write(*this, request, folder);
}

void Document::show_message(session::MessageKind kind, std::string_view message) {
  messages_.show(kind, message);
}

void Document::log(std::string_view line) {
  messages_.log(line);
}

void Document::wakeup_changed() {
  after_visit();
}

void Document::after_visit() {
  set_alarm();
  if (closed_client_) closed_client_->look();
  listener_.changed(*this);
}

void Document::set_alarm() {
  const auto wanted = session_.next_wakeup();
  if (!wanted) return alarm_.reset();
  if (alarm_ && alarm_at_ <= *wanted)
    return;  // the earlier alarm checks again, which is cheaper than a new one for every line of
             // the agent
  alarm_at_ = *wanted;
  alarm_ = environment_.schedule(*wanted, [this] { on_alarm(); });
}

void Document::on_alarm() {
  alarm_.reset();
  const auto wanted = session_.next_wakeup();
  if (wanted && *wanted <= environment_.now()) {
    with_session([](session::Conversation& session) { session.wake(); });
  } else {
    set_alarm();
  }
}

}  // namespace agent_doc::lsp
