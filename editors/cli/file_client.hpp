// An LSP client for a plain file: it answers the server's edits by writing the file, and reports to
// the server what other programs do to the file. To the server, it is one more editor. server/file
// merges and replaces files; run_session.hpp shows the turn. It belongs to the thread of the
// io_context, and blocks while the disk works.
//
// An edit is applied to the text at once if it was made for exactly this version, and is reported
// back (didChange) before anything else. The answer to the edit waits until the file has been
// written, kWritesPerSecond times a second. The server has one edit in flight, so it combines
// everything that arrives meanwhile into the next edit. After a pause, the first kWritesAtOnce
// writes do not wait: a short reply is in the file at once.
//
// What another program wrote is reported with the next didChange. server/file/file_buffer.hpp
// explains why no byte of anybody is lost on the way to the disk. The server does the rest: it
// regards an edit as written when it sees it in the text. A slow disk (a network file system) does
// no harm, because we conclude nothing from the time that our own calls take.
//
// If the file cannot be written (disk full, file deleted), edits are answered all the same. The
// text keeps them, the turn continues, and writing is retried until finish() gives up.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/file/file_buffer.hpp"
#include "server/file/file_watch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

inline constexpr int kWritesPerSecond = 4;
inline constexpr std::chrono::milliseconds kWriteInterval{1000 / kWritesPerSecond};
inline constexpr int kWritesAtOnce = 4;
/// The pause while another program is writing, or while the file is missing for a moment because an
/// editor saves it.
inline constexpr std::chrono::milliseconds kShortPause{10};
/// After this time, short pauses become a trouble: it is reported, and the server gets its answer.
inline constexpr std::chrono::milliseconds kPatience{1000};
/// How long finish() waits for a program that is writing.
inline constexpr std::chrono::milliseconds kFinishPatience{3000};
/// If another program changed the file within this time, it may do so again. finish() then stays
/// for kStay after the last write, to repair the file if somebody who had not seen the write
/// overwrites it. It stays no longer than kLongestStay in all.
inline constexpr std::chrono::milliseconds kForeignIsNear{2000};
inline constexpr std::chrono::milliseconds kStay{300};
inline constexpr std::chrono::milliseconds kLongestStay{2000};
/// The pause between two attempts to write. It doubles each time, up to the second value.
inline constexpr std::chrono::milliseconds kFirstBackoff{250};
inline constexpr std::chrono::milliseconds kLongestBackoff{8000};

class FileClient {
 public:
  /// Calls `told` with a sentence for the person when writing the file begins to fail, and when it
  /// works again. `uri` names the document for the server; by default it is the file's.
  FileClient(boost::asio::io_context& io, std::shared_ptr<protocol::Endpoint> server,
             file::FileBuffer buffer, std::function<void(std::string_view)> told,
             std::string uri = {});
  ~FileClient();
  FileClient(const FileClient&) = delete;
  FileClient& operator=(const FileClient&) = delete;

  const std::string& uri() const { return uri_; }
  const file::FileBuffer& buffer() const { return buffer_; }
  /// Returns the number of edits of the server so far.
  std::uint64_t edits() const { return edits_; }

  /// Sends `textDocument/didOpen`. From now on, the file is watched and edits are accepted.
  void open();

  enum class Ending {
    Written,     ///< the file has everything
    NotWritten,  ///< buffer().text() has more than the file; buffer().problem() says why
  };
  /// Called when the turn is over. From now on, edits do not wait for the disk, and finish() writes
  /// the file. The rest of the reply gets into the text at once, however slow the disk is.
  void stop_pacing();

  /// Writes the rest without waiting for the pace. Called once; later edits are refused.
  void finish(std::function<void(Ending)> done);

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point now() const { return buffer_.file().calls().now(); }
  void take_edit(const boost::json::value& params, protocol::Replier reply);
  void tell_change(const text::Range& range, std::string_view replacement);
  void watch();
  void schedule(Clock::time_point at);
  void step();
  void on_in_step(bool written, Clock::time_point began);
  Clock::time_point note_trouble(Clock::time_point began);
  void on_interrupted(Clock::time_point began);
  void on_failed(Clock::time_point began);
  void pace(Clock::time_point began, Clock::time_point ended);
  void answer_held();
  void tell_trouble();
  Clock::time_point stays_until() const;
  void finished(Ending ending);

  boost::asio::io_context& io_;
  std::shared_ptr<protocol::Endpoint> server_;
  file::FileBuffer buffer_;
  std::function<void(std::string_view)> told_;
  std::string uri_;
  std::int64_t version_ = 1;
  std::uint64_t edits_ = 0;
  std::vector<protocol::Replier> held_;  ///< answers waiting for the disk
  bool paced_ = true;                    ///< until stop_pacing()

  std::optional<file::FileWatch> file_watch_;
  boost::asio::posix::stream_descriptor watched_;
  boost::asio::steady_timer timer_;
  std::optional<Clock::time_point> due_;
  Clock::time_point next_write_;              ///< the earliest time that the pace allows
  Clock::time_point pace_used_until_;         ///< advances by kWriteInterval with every write
  Clock::time_point written_;                 ///< the time of our last write
  std::optional<Clock::time_point> foreign_;  ///< the time of the last foreign change
  Clock::time_point finishing_;               ///< since when
  std::optional<Clock::time_point> trouble_;  ///< since when
  std::string told_trouble_;
  Clock::duration backoff_{};
  std::function<void(Ending)> done_;
};

}  // namespace agent_doc::cli
