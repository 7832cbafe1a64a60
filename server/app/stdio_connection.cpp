#include "server/app/stdio_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>

namespace agent_doc::app {

namespace {

/// How many frames go into one system call.
constexpr std::size_t kMaxGathered = 64;

}  // namespace

StdioConnection::StdioConnection(boost::asio::io_context& io, int input, int output,
                                 Received received, Ended ended)
    : io_(io),
      flags_before_{{{input, ::fcntl(input, F_GETFL)}, {output, ::fcntl(output, F_GETFL)}}},
      input_(io, input),
      output_(io, output),
      received_(std::move(received)),
      ended_(std::move(ended)),
      self_(std::make_shared<StdioConnection*>(this)) {
  read();
}

StdioConnection::~StdioConnection() {
  self_.reset();
  input_.release();
  output_.release();
  for (const Flags& before : flags_before_) {
    if (before.flags >= 0) ::fcntl(before.descriptor, F_SETFL, before.flags);
  }
}

void StdioConnection::read() {
  const std::weak_ptr<StdioConnection*> weak = self_;
  input_.async_read_some(boost::asio::buffer(piece_),
                         [weak](const boost::system::error_code& error, std::size_t size) {
                           const auto self = weak.lock();
                           if (!self || !(*self)->open_) return;
                           if (!error) return (*self)->on_read(size);
                           const bool cut = (*self)->reader_.mid_frame();
                           const bool closed = error == boost::asio::error::eof && !cut;
                           (*self)->end(closed ? ConnectionEnd::Closed : ConnectionEnd::Broken,
                                        cut ? "the client's stream ended inside a message"
                                            : "the client's stream ended: " + error.message());
                         });
}

void StdioConnection::on_read(std::size_t size) {
  reader_.feed({piece_.data(), size});
  const std::weak_ptr<StdioConnection*> alive = self_;
  while (const std::optional<std::string_view> body = reader_.next()) {
    received_(*body);
    if (alive.expired() || !open_) return;
  }
  if (reader_.error() != protocol::FramingError::None) {
    return end(ConnectionEnd::Broken, "the client's stream cannot be read on: " +
                                          std::string(protocol::describe(reader_.error())));
  }
  read();
}

void StdioConnection::send(std::string_view body) {
  if (!open_) return;
  std::string frame = protocol::frame(body);
  queued_bytes_ += frame.size();
  queue_.push_back(std::move(frame));
  if (queued_bytes_ > kMaxQueuedBytes) {
    const std::string reason =
        "the client does not read: " + std::to_string(queued_bytes_) + " bytes wait for it";
    open_ = false;
    const std::weak_ptr<StdioConnection*> weak = self_;
    boost::asio::post(io_, [weak, reason] {
      const auto self = weak.lock();
      if (self) (*self)->end(ConnectionEnd::Refused, reason);
    });
    return;
  }
  if (writing_ == 0) write();
}

void StdioConnection::write() {
  writing_ = std::min(queue_.size(), kMaxGathered);
  std::vector<boost::asio::const_buffer> frames;
  for (std::size_t i = 0; i < writing_; ++i) frames.push_back(boost::asio::buffer(queue_[i]));
  const std::weak_ptr<StdioConnection*> weak = self_;
  boost::asio::async_write(
      output_, frames, [weak](const boost::system::error_code& error, std::size_t size) {
        const auto self = weak.lock();
        if (!self) return;
        StdioConnection& connection = **self;
        if (error)
          return connection.end(ConnectionEnd::Refused,
                                "the client does not take what is sent: " + error.message());
        connection.queued_bytes_ -= size;
        connection.queue_.erase(
            connection.queue_.begin(),
            connection.queue_.begin() + static_cast<std::ptrdiff_t>(connection.writing_));
        connection.writing_ = 0;
        if (!connection.queue_.empty()) return connection.write();
        connection.flushed();
      });
}

void StdioConnection::end(ConnectionEnd end, const std::string& reason) {
  open_ = false;
  if (Ended ended = std::exchange(ended_, nullptr)) ended(end, reason);
  // After an error of the output nothing can be flushed.
  if (end == ConnectionEnd::Refused) flushed();
}

void StdioConnection::flush(std::function<void()> done) {
  assert(!when_flushed_);
  open_ = false;
  ended_ = nullptr;
  when_flushed_ = std::move(done);
  input_.cancel();
  if (writing_ != 0) return;
  const std::weak_ptr<StdioConnection*> weak = self_;
  boost::asio::post(io_, [weak] {
    const auto self = weak.lock();
    if (self) (*self)->flushed();
  });
}

void StdioConnection::flushed() {
  if (const auto done = std::exchange(when_flushed_, nullptr)) done();
}

}  // namespace agent_doc::app
