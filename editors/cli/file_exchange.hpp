// Replaces the text of a document's file only if nobody has changed it since it was read; who
// merges instead uses server/file/file_buffer.hpp. Blocks while the disk works.
#pragma once

#include "server/file/document_file.hpp"

#include <string_view>

namespace agent_doc::cli {

enum class Exchanged {
  Yes,
  FoundOther,  ///< another program has changed the file: it has what that program wrote
};

/// Replaces `expected` by `text`. What another program puts into the file at that very moment is
/// put back; where that is impossible it is kept in a file that the error names.
file::FileResult<Exchanged> exchange_text(file::DocumentFile& document, std::string_view expected,
                                          std::string_view text);

}  // namespace agent_doc::cli
