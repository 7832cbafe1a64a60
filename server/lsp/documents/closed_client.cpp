#include "server/lsp/documents/closed_client.hpp"

#include <utility>

namespace agent_doc::lsp {

ClosedClient::ClosedClient(Environment& environment, const session::Conversation& session,
                           std::unique_ptr<ClosedFile> file, Visit visit, Done done)
    : environment_(environment),
      session_(session),
      file_(std::move(file)),
      visit_(std::move(visit)),
      done_(std::move(done)) {}

void ClosedClient::start() {
  visit_([this](session::Conversation& session) {
    session.did_open(version_, file_->text(), session::OpenedBy::File);
  });
}

void ClosedClient::send(const sync::OutgoingEdit& edit) {
  edit_ = edit.edit;
  retries_ = 0;
  next_ = environment_.schedule(environment_.now(), [this] { write(); });
}

void ClosedClient::write() {
  // The place of the reply is not in the file: the user closed the document without saving it, and
  // the file stays as they left it.
  if (session_.can_continue_reply()) return finish({});
  file_->apply(edit_);
  save();
}

void ClosedClient::save() {
  ClosedFile::SaveResult result = file_->save(environment_.now());
  if (result.saved == ClosedFile::Saved::NotYet && ++retries_ <= kMaxClosedFileRetries) {
    next_ = environment_.schedule(environment_.now() + kClosedFileRetry, [this] { save(); });
    return;
  }
  if (result.saved != ClosedFile::Saved::Yes) return finish(result.problem);
  next_.reset();
  std::vector<sync::ContentChange> changes{edit_};
  for (auto& change : result.foreign) changes.push_back(std::move(change));
  visit_([&](session::Conversation& session) {
    session.did_change(++version_, changes);
    session.edit_answered(sync::Answer::Applied);
  });
}

void ClosedClient::look() {
  const bool settled = !session_.engine().in_flight() && !session_.engine().wants_to_write();
  if (next_ || !(settled || session_.can_continue_reply())) return;
  next_ = environment_.schedule(environment_.now(), [this] { finish({}); });
}

void ClosedClient::finish(const std::string& problem) {
  const Done done = done_;
  done(problem);
}

}  // namespace agent_doc::lsp
