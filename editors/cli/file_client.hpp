// What it is: the client that owns the text of a plain file: it answers the server's edits by
// writing the file, and tells the server what other programs do to the file. To the server it is
// one more editor.
// What it is not: the merging and the exchange of files, which are server/file; nor what a person
// sees of the turn (run_session.hpp).
// Thread rule: the thread that runs the io_context. It blocks for as long as the disk takes.
//
// An edit of the server becomes part of the text at once, if it was made for exactly this version,
// and is told back (didChange) before anything else. Its answer waits until the file has been
// written, kWritesPerSecond times a second: so the server, which has one edit in flight, puts what
// comes meanwhile into one edit. After a pause the first kWritesAtOnce do not wait, so a short
// reply is in the file at once. What another program wrote is told as the next didChange. Why no
// byte of anybody is lost on the way to the disk stands in server/file/file_buffer.hpp; the rest is
// the server's part: it takes an edit for written when it sees it in the text. A slow disk (a
// network file system) is no trouble: nothing is concluded from the time that our own calls take.
// When the file cannot be written (disk full, file gone) the edits are answered all the same: the
// text holds them, the turn goes on, and writing is tried again until finish() gives up.
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
/// While another program is in the middle of writing, or the file is away for the blink of an eye
/// as when an editor saves.
inline constexpr std::chrono::milliseconds kShortPause{10};
/// After this a short pause has become a trouble that is told, and the server gets its answer.
inline constexpr std::chrono::milliseconds kPatience{1000};
/// What finish() waits for a program that is in the middle of writing.
inline constexpr std::chrono::milliseconds kFinishPatience{3000};
/// Another program changed the file so lately that it may be at it again: then finish() stays this
/// long after the last write, to mend the file should that write be overwritten by somebody who had
/// not seen it, and no longer than kLongestStay in all.
inline constexpr std::chrono::milliseconds kForeignIsNear{2000};
inline constexpr std::chrono::milliseconds kStay{300};
inline constexpr std::chrono::milliseconds kLongestStay{2000};
/// Between two attempts to write, doubled each time up to the second.
inline constexpr std::chrono::milliseconds kFirstBackoff{250};
inline constexpr std::chrono::milliseconds kLongestBackoff{8000};

class FileClient {
 public:
  /// `told` gets a sentence for the person when the file is in trouble, and when it is out of it.
  /// `uri` is what the server knows the document by; without it, the file's.
  FileClient(boost::asio::io_context& io, std::shared_ptr<protocol::Endpoint> server,
             file::FileBuffer buffer, std::function<void(std::string_view)> told,
             std::string uri = {});
  ~FileClient();
  FileClient(const FileClient&) = delete;
  FileClient& operator=(const FileClient&) = delete;

  const std::string& uri() const { return uri_; }
  const file::FileBuffer& buffer() const { return buffer_; }
  /// Edits of the server so far.
  std::uint64_t edits() const { return edits_; }

  /// `textDocument/didOpen`; from now on the file is watched and edits are taken.
  void open();

  enum class Ending {
    Written,     ///< the file has everything
    NotWritten,  ///< buffer().text() has more than the file; buffer().problem() says why
  };
  /// The turn is over: from now on edits do not wait for the disk, and the file is written by
  /// finish(). So what is still missing of the reply gets into the text at once, however slow the
  /// disk is.
  void stop_pacing();

  /// Writes what is left without waiting for the pace. Called once; edits that come later are
  /// refused.
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
  std::vector<protocol::Replier> held_;  ///< answers that wait for the disk
  bool paced_ = true;                    ///< until stop_pacing()

  std::optional<file::FileWatch> file_watch_;
  boost::asio::posix::stream_descriptor watched_;
  boost::asio::steady_timer timer_;
  std::optional<Clock::time_point> due_;
  Clock::time_point next_write_;              ///< by the pace
  Clock::time_point pace_used_until_;         ///< one kWriteInterval later with every write
  Clock::time_point written_;                 ///< when the disk got our text last
  std::optional<Clock::time_point> foreign_;  ///< when a foreign change was seen last
  Clock::time_point finishing_;               ///< since when
  std::optional<Clock::time_point> trouble_;  ///< since when
  std::string told_trouble_;
  Clock::duration backoff_{};
  std::function<void(Ending)> done_;
};

}  // namespace agent_doc::cli
