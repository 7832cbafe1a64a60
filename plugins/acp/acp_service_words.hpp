// Detects what an ACP program says about its own service in chunks of the reply, in a turn that
// ends normally: an error that ended it, or that the service is asked again. For each of these
// programs there is a way to distinguish its own words from its model's. acp_failure.hpp classifies
// the errors. Use one for each agent process.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace agent_doc::plugins {

/// A longer text is an answer, however it begins.
inline constexpr std::size_t kMaxServiceWords = 4000;

class AcpServiceWords {
 public:
  /// How to distinguish the program's words from the model's.
  enum class Telling {
    None,  ///< its errors are protocol errors
    /// codex-acp: text after `_meta.codex.threadStatus` is `systemError`; retries are in
    /// `_meta.codex.error`.
    ThreadStatus,
    /// copilot: "Error: …" in one chunk, and an answer without token usage, or a known error right
    /// after a tool (the usage may be that of earlier messages); retries are "Info: …".
    NoUsage,
    /// goose: "Ran into this error: …" without the `_meta.goose.messageId` that the model's text
    /// has.
    NoMessageId,
  };
  /// The classification of an update.
  struct Heard {
    enum class Is {
      Content,    ///< normal content
      Held,       ///< possibly the error that ends the turn: held back until that is known
      Retry,      ///< the service is asked again, as `text` says
      RetryAnew,  ///< like Retry, and the text of this message is sent anew
      Status,     ///< `text` is for the status line
    } is = Is::Content;
    std::string text = {};
  };

  explicit AcpServiceWords(Telling telling) : telling_(telling) {}

  void begin_turn();
  /// Classifies an update in a turn. Only Content belongs to the reply.
  Heard hear(const boost::json::object& update);
  /// Returns what was held back when `update`, or the end of the turn, shows that it was a part of
  /// the reply.
  std::optional<boost::json::object> release_before(const boost::json::object& update);
  std::optional<boost::json::object> release();
  /// Returns the error that ended a turn whose prompt was answered with `result`, and stops holding
  /// it; empty when there was none.
  std::string take_error(const boost::json::object& result);

 private:
  bool is_error(const boost::json::object& update, std::string_view text) const;
  Heard heard_status(const boost::json::object& update);

  Telling telling_;
  bool after_tool_ = false;  ///< the last update was about a tool
  bool held_after_tool_ = false;
  bool service_failed_ = false;              ///< reported by codex-acp
  std::optional<boost::json::object> held_;  ///< the chunk held back
};

}  // namespace agent_doc::plugins
