// What it is: the transport of `agent-doc serve`: Content-Length frames on two descriptors of this
// process, both ways, without waiting for either.
// What it is not: it does not look into a message, and it does not decide what an end of the
// connection means.
// Thread rule: the thread that runs the io_context. Callbacks are never called from inside send()
// or the constructor.
#pragma once

#include "protocol/framing.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace agent_doc::app {

/// A client that lets more than this pile up does not read any more: the connection is closed.
inline constexpr std::size_t kMaxQueuedBytes = 64 * 1024 * 1024;

enum class ConnectionEnd {
  Closed,   ///< the client ended the stream between two messages
  Broken,   ///< the stream cannot be read on: bad framing, or it ended inside a message
  Refused,  ///< the client does not take what we send
};

class StdioConnection {
 public:
  using Received = std::function<void(std::string_view body)>;
  /// Called once; nothing is received or sent after it. `reason` is for a log.
  using Ended = std::function<void(ConnectionEnd end, const std::string& reason)>;

  /// Both descriptors stay open and get their file status flags back when this object goes: others
  /// may share them, and O_NONBLOCK would surprise them.
  StdioConnection(boost::asio::io_context& io, int input, int output, Received received,
                  Ended ended);
  ~StdioConnection();
  StdioConnection(const StdioConnection&) = delete;
  StdioConnection& operator=(const StdioConnection&) = delete;

  void send(std::string_view body);
  /// Reads no more; calls `done` from the io_context when all that was sent is written, or cannot
  /// be.
  void flush(std::function<void()> done);

 private:
  struct Flags {
    int descriptor = -1;
    int flags = -1;
  };

  void read();
  void on_read(std::size_t size);
  void write();
  void end(ConnectionEnd end, const std::string& reason);
  void flushed();

  boost::asio::io_context& io_;
  std::array<Flags, 2> flags_before_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::posix::stream_descriptor output_;
  Received received_;
  Ended ended_;
  protocol::FrameReader reader_;
  std::array<char, 64 * 1024> piece_{};
  std::deque<std::string>
      queue_;  ///< whole frames; the ones at the front, as many as writing_ says, are being written
  std::size_t queued_bytes_ = 0;
  std::size_t writing_ = 0;
  bool open_ = true;
  std::function<void()> when_flushed_;
  std::shared_ptr<StdioConnection*> self_;  ///< what handlers hold weakly
};

}  // namespace agent_doc::app
