// What it is: what the language server needs of the world besides its conversations
// (session::World).
// What it is not: the connection to the client (protocol/endpoint.hpp).
// Thread rule: the server's thread only. A callback is never called from inside the call that it
// was given to.
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

/// Something that will call back. Destroying it takes the call back.
class Pending {
 public:
  virtual ~Pending() = default;
};
using PendingHandle = std::unique_ptr<Pending>;

/// A text in a file that only the person can read; it goes with this.
class ShownFile {
 public:
  virtual ~ShownFile() = default;
  virtual const std::string& path() const = 0;
};

enum class LogLevel { Debug, Info, Warning, Error };

inline constexpr std::size_t kMaxAgentFileBytes = 16 * 1024 * 1024;

/// A file inside an agent's working folder, or why there is none, for the agent.
struct FilePlace {
  std::string path;  ///< empty when there is a problem
  std::string problem;
};

class Environment : public session::World {
 public:
  /// Calls back once, at `when` or as soon as possible after it.
  virtual PendingHandle schedule(session::TimePoint when, std::function<void()> callback) = 0;
  /// Calls back once when the process `pid` is gone, also when it never was there.
  virtual PendingHandle watch_process(int pid, std::function<void()> gone) = 0;

  /// Writes a file that was not there: `file_exists` when anything has that name.
  virtual boost::system::error_code create_file(const std::string& path, std::string_view text) = 0;

  /// Where the file `path` (from `folder` on, unless it is absolute) really is, all links followed,
  /// when that is inside `folder`. The file itself need not be there, its folder must.
  virtual FilePlace file_inside(const std::string& folder, const std::string& path) const = 0;
  /// The file `path`, all links followed: the same for all its names. Neither it nor its folder
  /// need be there.
  virtual std::string real_path(const std::string& path) const = 0;
  /// False also for what cannot be looked at.
  virtual bool is_folder(const std::string& path) const = 0;
  /// A whole text file: `file_too_large` above kMaxAgentFileBytes, `illegal_byte_sequence` for what
  /// is no UTF-8, `invalid_argument` for what is no file.
  virtual boost::system::result<std::string> read_text_file(const std::string& path) const = 0;
  /// At once or not at all; the file keeps its mode.
  virtual boost::system::error_code replace_file(const std::string& path,
                                                 std::string_view text) = 0;

  /// For an editor to show. Null when the file cannot be made.
  virtual std::unique_ptr<ShownFile> make_shown_file(std::string_view text) = 0;

  /// The file of a document that nobody has open; or why it cannot be used, for a person.
  virtual boost::system::result<std::unique_ptr<ClosedFile>, std::string> open_closed_file(
      const std::string& path) = 0;

  /// What is wrong with the person's configuration, each in a sentence.
  virtual const std::vector<std::string>& configuration_problems() const = 0;

  virtual void log(LogLevel level, std::string_view line) = 0;
  /// Nothing is left to do, and no agent process is left.
  virtual void request_exit(int code) = 0;
};

}  // namespace agent_doc::lsp
