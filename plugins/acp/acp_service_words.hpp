// What it is: what an ACP program says itself about its service, in chunks of the reply and with a
// turn that ends well: an error that ended it, and that it asks the service again. Each of these
// programs can be told from its model in its own way.
// What it is not: it does not judge what a model says; what kind of failure an error is, is known
// in acp_failure.hpp.
// Thread rule: not thread-safe; one per agent process.
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
  /// How the program's words are told from the model's.
  enum class Telling {
    None,          ///< its errors are errors of the protocol
    ThreadStatus,  ///< codex-acp: what is said after `_meta.codex.threadStatus` is `systemError`;
                   ///< retries in `_meta.codex.error`
    NoUsage,  ///< copilot: "Error: …" in one chunk, and an answer that tells of no tokens, or a
              ///< known error right after a tool, for the tokens may be those of what came before;
              ///< retries are "Info: …"
    NoMessageId,  ///< goose: "Ran into this error: …" without the `_meta.goose.messageId` that all
                  ///< words of the model have
  };
  /// What an update is.
  struct Heard {
    enum class Is {
      Content,    ///< as ever
      Held,       ///< perhaps the error that ends the turn: it is kept until that is known
      Retry,      ///< the service is asked again, as `text` says
      RetryAnew,  ///< … and what was said in this message comes anew
      Status,     ///< `text` is worth a line of status
    } is = Is::Content;
    std::string text = {};
  };

  explicit AcpServiceWords(Telling telling) : telling_(telling) {}

  void begin_turn();
  /// An update in a turn. What is not content is not for the reply.
  Heard hear(const boost::json::object& update);
  /// Returns what was held when `update`, or the end of the turn, shows that it was a part of the
  /// reply.
  std::optional<boost::json::object> release_before(const boost::json::object& update);
  std::optional<boost::json::object> release();
  /// Returns the error that ended a turn whose prompt was answered with `result`; empty when none
  /// did. It is held no more.
  std::string take_error(const boost::json::object& result);

 private:
  bool is_error(const boost::json::object& update, std::string_view text) const;
  Heard heard_status(const boost::json::object& update);

  Telling telling_;
  bool after_tool_ = false;  ///< the last that came was news of a tool
  bool held_after_tool_ = false;
  bool service_failed_ = false;              ///< as codex-acp says
  std::optional<boost::json::object> held_;  ///< the chunk
};

}  // namespace agent_doc::plugins
