#include "editors/cli/file_client.hpp"

#include "protocol/fields.hpp"
#include "protocol/lsp.hpp"
#include "server/lsp/uri.hpp"

#include <boost/asio/post.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

constexpr auto kEncoding = text::PositionEncoding::Utf8;

json::object refused(std::string reason) {
  return {{"applied", false}, {"failureReason", std::move(reason)}};
}

/// Returns the only edit of the only document in the params; our server sends no others
/// (ApplyWorkspaceEditParams of protocol/lsp.hpp).
protocol::ApplyWorkspaceEditParams decode(const json::value& value) {
  const protocol::Fields params(value, "params");
  const auto documents = params.object("edit").objects("documentChanges");
  if (documents.size() != 1) throw params.invalid("edit", "changes of one document");
  const protocol::Fields document = documents.front().object("textDocument");
  const auto edits = documents.front().objects("edits");
  if (edits.size() != 1) throw documents.front().invalid("edits", "one edit");
  return {document.string("uri"), document.integer("version"),
          protocol::decode_range(edits.front().object("range")), edits.front().string("newText")};
}

}  // namespace

FileClient::FileClient(boost::asio::io_context& io, std::shared_ptr<protocol::Endpoint> server,
                       file::FileBuffer buffer, std::function<void(std::string_view)> told,
                       std::string uri)
    : io_(io),
      server_(std::move(server)),
      buffer_(std::move(buffer)),
      told_(std::move(told)),
      uri_(uri.empty() ? lsp::uri_of(buffer_.file().path()) : std::move(uri)),
      watched_(io),
      timer_(io),
      next_write_(now()),
      pace_used_until_(next_write_) {}

FileClient::~FileClient() {
  if (watched_.is_open()) watched_.release();  // file_watch_ owns the descriptor
}

void FileClient::open() {
  server_->on_request("workspace/applyEdit",
                      [this](const json::value& params, protocol::Replier reply) {
                        take_edit(params, std::move(reply));
                      });
  const json::object document{{"uri", uri_},
                              {"languageId", "markdown"},
                              {"version", version_},
                              {"text", buffer_.text().text()}};
  server_->notify("textDocument/didOpen", json::object{{"textDocument", document}});
  // Without a watch (inotify exhausted), changes are noticed when the file is written.
  auto made = file::FileWatch::make(buffer_.file().path());
  if (made.has_error()) return;
  file_watch_.emplace(std::move(*made));
  watched_.assign(file_watch_->native_handle());
  watch();
}

void FileClient::watch() {
  watched_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [this](const boost::system::error_code& error) {
                        if (error) return;
                        if (file_watch_->drain()) schedule(now());
                        watch();
                      });
}

void FileClient::take_edit(const json::value& params, protocol::Replier reply) {
  const protocol::ApplyWorkspaceEditParams edit = decode(params);
  if (edit.uri != uri_ || done_) return reply.result(refused("this document is not open here"));
  if (edit.version != version_) {
    return reply.result(refused("the document is at version " + std::to_string(version_) +
                                ", the edit was made for version " + std::to_string(edit.version)));
  }
  const text::TextBuffer& text = buffer_.text();
  if (!text.contains(edit.range.start, kEncoding) || !text.contains(edit.range.end, kEncoding)) {
    return reply.result(refused("the edit is outside the document"));
  }
  buffer_.apply({text.offset_of(edit.range.start, kEncoding),
                 text.offset_of(edit.range.end, kEncoding), edit.newText});
  ++edits_;
  tell_change(edit.range, edit.newText);
  held_.push_back(std::move(reply));
  if (!paced_ || backoff_ != Clock::duration::zero()) answer_held();
  schedule(std::max(now(), next_write_));
}

void FileClient::tell_change(const text::Range& range, std::string_view replacement) {
  const json::object change{{"range", protocol::encode_range(range)}, {"text", replacement}};
  server_->notify(
      "textDocument/didChange",
      json::object{{"textDocument", json::object{{"uri", uri_}, {"version", ++version_}}},
                   {"contentChanges", json::array{change}}});
}

void FileClient::schedule(Clock::time_point at) {
  if (due_ && *due_ <= at) return;
  due_ = at;
  timer_.expires_after(at - now());
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    due_.reset();
    step();
  });
}

void FileClient::step() {
  const Clock::time_point began = now();
  const bool writes = buffer_.dirty() && (done_ || (paced_ && began >= next_write_));
  const file::FileBuffer::Step outcome = writes ? buffer_.write(began) : buffer_.look(began);
  for (const file::FileBuffer::ForeignEdit& edit : buffer_.take_foreign_edits()) {
    tell_change(edit.range, edit.replacement);
    foreign_ = now();
    if (!done_) trouble_.reset();  // a program that holds the file open ends its write each time
  }
  switch (outcome) {
    case file::FileBuffer::Step::InStep:
      return on_in_step(writes, began);
    case file::FileBuffer::Step::Ahead:
      if (!paced_ && !done_) return;  // finish() writes
      return schedule(done_ ? now() : std::max(now(), next_write_));
    case file::FileBuffer::Step::Undone:
      next_write_ = now();
      return schedule(next_write_);
    case file::FileBuffer::Step::BeingWritten:
      return on_interrupted(began);
    case file::FileBuffer::Step::Failed:
      return on_failed(began);
  }
}

void FileClient::on_in_step(bool written, Clock::time_point began) {
  const Clock::time_point ended = now();
  if (written) pace(began, ended);
  if (!told_trouble_.empty())
    told_(buffer_.file().shown_as() + " is written again; nothing is missing in it.");
  told_trouble_.clear();
  trouble_.reset();
  backoff_ = {};
  answer_held();
  if (!done_) return;
  if (ended < stays_until()) return schedule(stays_until());
  finished(Ending::Written);
}

void FileClient::pace(Clock::time_point began, Clock::time_point ended) {
  written_ = ended;
  pace_used_until_ = std::max(pace_used_until_, began) + kWriteInterval;
  // A large file on a slow disk must take at most a quarter of our time.
  next_write_ = std::max(pace_used_until_ - (kWritesAtOnce - 1) * kWriteInterval,
                         began + 4 * (ended - began));
}

FileClient::Clock::time_point FileClient::stays_until() const {
  if (!foreign_ || *foreign_ + kForeignIsNear < finishing_) return finishing_;
  return std::min<Clock::time_point>(written_ + kStay, finishing_ + kLongestStay);
}

/// Does not count the duration of our own attempt as trouble.
FileClient::Clock::time_point FileClient::note_trouble(Clock::time_point began) {
  const Clock::time_point ended = now();
  trouble_ = trouble_ ? *trouble_ + (ended - began) : ended;
  return ended;
}

void FileClient::on_interrupted(Clock::time_point began) {
  const Clock::time_point interrupted = note_trouble(began);
  const Clock::duration lasts = interrupted - *trouble_;
  if (lasts >= kPatience) {
    answer_held();
    tell_trouble();
  }
  if (done_ && (lasts >= kFinishPatience || !buffer_.dirty()))
    return finished(buffer_.dirty() ? Ending::NotWritten : Ending::Written);
  schedule(interrupted + kShortPause);
}

void FileClient::on_failed(Clock::time_point began) {
  const Clock::time_point failed = note_trouble(began);
  // Many editors save by moving the old file away first.
  const bool away =
      buffer_.problem().kind == file::FileErrorKind::NotFound && failed - *trouble_ < kPatience;
  if (away) return schedule(failed + kShortPause);
  answer_held();
  tell_trouble();
  if (done_) return finished(buffer_.dirty() ? Ending::NotWritten : Ending::Written);
  backoff_ = std::clamp<Clock::duration>(backoff_ * 2, kFirstBackoff, kLongestBackoff);
  next_write_ = failed + backoff_;
  if (buffer_.dirty()) schedule(next_write_);
}

void FileClient::answer_held() {
  for (protocol::Replier& reply : held_) reply.result(json::object{{"applied", true}});
  held_.clear();
}

void FileClient::tell_trouble() {
  if (!buffer_.dirty() || told_trouble_ == buffer_.problem().message) return;
  told_trouble_ = buffer_.problem().message;
  told_(told_trouble_ + " The reply goes on here, and writing is tried again.");
}

void FileClient::stop_pacing() {
  paced_ = false;
  answer_held();
}

void FileClient::finish(std::function<void(Ending)> done) {
  done_ = std::move(done);
  finishing_ = now();
  trouble_.reset();
  schedule(finishing_);
}

void FileClient::finished(Ending ending) {
  boost::asio::post(io_, [done = std::exchange(done_, [](Ending) {}), ending] { done(ending); });
  timer_.cancel();
  if (watched_.is_open()) watched_.cancel();
}

}  // namespace agent_doc::cli
