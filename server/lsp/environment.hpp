// What the language server needs from the outside besides session::World. The connection to the
// client is protocol/endpoint.hpp. A callback is never called from inside the call that it was
// passed to.
#pragma once

#include "server/lsp/documents/closed_file.hpp"
#include "server/process/child.hpp"
#include "server/session/world.hpp"

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::lsp {

/// A pending callback. Destroying it cancels the callback.
class Pending {
 public:
  virtual ~Pending() = default;
};
using PendingHandle = std::unique_ptr<Pending>;

/// A text in a file that only the user can read; deleted with this object.
class ShownFile {
 public:
  virtual ~ShownFile() = default;
  virtual const std::string& path() const = 0;
};

enum class LogLevel { Debug, Info, Warning, Error };

inline constexpr std::size_t kMaxAgentFileBytes = 16 * 1024 * 1024;

/// A file inside an agent's working folder, or the reason why there is none, worded for the agent.
struct FilePlace {
  std::string path;  ///< empty when there is a problem
  std::string problem;
};

class Environment : public session::World {
 public:
  /// Calls back once, at `when` or as soon as possible afterwards.
  virtual PendingHandle schedule(session::TimePoint when, std::function<void()> callback) = 0;
  /// Calls back once when the process `pid` is gone, also when it never existed.
  virtual PendingHandle watch_process(int pid, std::function<void()> gone) = 0;

  /// Creates a file; fails with `file_exists` when anything has that name.
  virtual boost::system::error_code create_file(const std::string& path, std::string_view text) = 0;

  /// Returns where the file `path` (relative to `folder`, unless absolute) really is, with all
  /// links followed, if that is inside `folder`. The file need not exist, but its folder must.
  virtual FilePlace file_inside(const std::string& folder, const std::string& path) const = 0;
  /// Returns `path` with all links followed, which is the same for all names of a file. Neither the
  /// file nor its folder need exist.
  virtual std::string real_path(const std::string& path) const = 0;
  /// Returns false also for what cannot be looked at.
  virtual bool is_folder(const std::string& path) const = 0;
  /// Returns a complete text file. Fails with `file_too_large` above kMaxAgentFileBytes,
  /// `illegal_byte_sequence` for anything but UTF-8, and `invalid_argument` for anything but a
  /// file.
  virtual boost::system::result<std::string> read_text_file(const std::string& path) const = 0;
  /// Replaces a file atomically; its mode is kept.
  virtual boost::system::error_code replace_file(const std::string& path,
                                                 std::string_view text) = 0;

  /// Creates a file for an editor to show; `what` becomes a part of its name. Returns null when
  /// that fails.
  virtual std::unique_ptr<ShownFile> make_shown_file(std::string_view text,
                                                     std::string_view what) = 0;

  /// Opens the file of a document that no client has open. The error is a sentence for the user.
  virtual boost::system::result<std::unique_ptr<ClosedFile>, std::string> open_closed_file(
      const std::string& path) = 0;

  /// Returns the problems in the user's configuration, a sentence each.
  virtual const std::vector<std::string>& configuration_problems() const = 0;

  virtual void log(LogLevel level, std::string_view line) = 0;
  /// Reports that nothing is left to do and no agent process is left.
  virtual void request_exit(int code) = 0;
};

}  // namespace agent_doc::lsp
