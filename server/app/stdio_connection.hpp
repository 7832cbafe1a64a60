// The transport of `agent-doc serve`: Content-Length frames on two descriptors of this process,
// without blocking on either. Messages are not looked into, and the owner decides what the end of
// the connection means. Callbacks are never called from inside send() or the constructor.
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

/// A client that lets more than this pile up has stopped reading: the connection is closed.
inline constexpr std::size_t kMaxQueuedBytes = 64 * 1024 * 1024;

enum class ConnectionEnd {
  Closed,   ///< the client ended the stream between two messages
  Broken,   ///< bad framing, or an end inside a message
  Refused,  ///< the client does not accept what we send
};

class StdioConnection {
 public:
  using Received = std::function<void(std::string_view body)>;
  /// Called once; nothing is received or sent afterwards. `reason` is for the log.
  using Ended = std::function<void(ConnectionEnd end, const std::string& reason)>;

  /// Both descriptors stay open and get their file status flags back on destruction: other
  /// processes may share them and would be surprised by O_NONBLOCK.
  StdioConnection(boost::asio::io_context& io, int input, int output, Received received,
                  Ended ended);
  ~StdioConnection();
  StdioConnection(const StdioConnection&) = delete;
  StdioConnection& operator=(const StdioConnection&) = delete;

  void send(std::string_view body);
  /// Stops reading, and calls `done` from the io_context when everything sent was written or cannot
  /// be written.
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
  /// Complete frames; the first `writing_` ones are being written.
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  std::size_t writing_ = 0;
  bool open_ = true;
  std::function<void()> when_flushed_;
  std::shared_ptr<StdioConnection*> self_;  ///< held weakly by the handlers
};

}  // namespace agent_doc::app
