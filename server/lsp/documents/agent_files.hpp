// What it is: the files that agents read and write through us (ACP `fs/*`): an open document is
// what the client shows, everything else is on the disk, and all of it inside the folder that the
// agent works in.
// What it is not: what an agent does by its own tools.
// Thread rule: the server's thread only. Files are read and written in the call.
#pragma once

#include "plugins/agent.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::lsp {

class Document;

/// Texts of open documents that agents have read: what they write later is compared with them. The
/// oldest is forgotten.
inline constexpr std::size_t kMaxRememberedReads = 16;

class AgentFiles {
 public:
  /// `documents` gives all that there are.
  AgentFiles(Environment& environment, Messages& messages,
             std::function<std::vector<Document*>()> documents);

  /// `asker`: the document whose agent it is; it works in `folder`.
  plugins::FileAnswer read(const Document& asker, const plugins::FileRead& request,
                           const std::string& folder);
  plugins::FileAnswer write(const Document& asker, const plugins::FileWrite& request,
                            const std::string& folder);

 private:
  struct Read {
    std::string asker;  ///< URI; the document itself may be closed and gone by now
    std::string path;
    std::string text;
  };

  /// The document that the client has open at `path`, or null. Of several names of one file the one
  /// that `asker` answers in.
  Document* shown_at(const Document& asker, const std::string& path,
                     const std::string& folder) const;
  plugins::FileAnswer write_open(const Document& asker, Document& document, const std::string& path,
                                 const std::string& text);
  void remember(const Document& asker, const std::string& path, std::string text);
  /// What `asker` read there last; nothing when it never did.
  const std::string* read_before(const Document& asker, const std::string& path) const;

  Environment& environment_;
  Messages& messages_;
  std::function<std::vector<Document*>()> documents_;
  std::deque<Read> reads_;  ///< the newest last
};

/// The lines of `text` from `line` (counted from 1) on, at most `limit`.
std::string_view some_lines(std::string_view text, std::optional<std::uint32_t> line,
                            std::optional<std::uint32_t> limit);

}  // namespace agent_doc::lsp
