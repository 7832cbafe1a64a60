// The files that agents read and write through us (ACP `fs/*`). For an open document that is the
// client's text, for everything else the file on disk, always inside the folder that the agent
// works in. Calls block on the disk.
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

/// Number of reads of open documents that are remembered, to compare later writes with; the oldest
/// is dropped.
inline constexpr std::size_t kMaxRememberedReads = 16;

class AgentFiles {
 public:
  /// `documents` returns all documents.
  AgentFiles(Environment& environment, Messages& messages,
             std::function<std::vector<Document*>()> documents);

  /// Read and write a file for the agent of `asker`, which works in `folder`.
  plugins::FileAnswer read(const Document& asker, const plugins::FileRead& request,
                           const std::string& folder);
  plugins::FileAnswer write(const Document& asker, const plugins::FileWrite& request,
                            const std::string& folder);

 private:
  struct Read {
    std::string asker;  ///< URI; the document itself may be closed and gone
    std::string path;
    std::string text;
  };

  /// Returns the document that the client has open at `path`, or null. When the file is open under
  /// several names, the one that `asker` writes its reply into.
  Document* open_document_at(const Document& asker, const std::string& path,
                             const std::string& folder) const;
  plugins::FileAnswer write_open(const Document& asker, Document& document, const std::string& path,
                                 const std::string& text);
  void remember(const Document& asker, const std::string& path, std::string text);
  /// Returns what `asker` last read there, or null when it never did.
  const std::string* read_before(const Document& asker, const std::string& path) const;

  Environment& environment_;
  Messages& messages_;
  std::function<std::vector<Document*>()> documents_;
  std::deque<Read> reads_;  ///< newest last
};

/// Returns at most `limit` lines of `text` from `line`, which counts from 1.
std::string_view some_lines(std::string_view text, std::optional<std::uint32_t> line,
                            std::optional<std::uint32_t> limit);

}  // namespace agent_doc::lsp
