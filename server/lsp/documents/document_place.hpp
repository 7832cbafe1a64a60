// The names of a document: the client's and the disk's.
#pragma once

#include <string>

namespace agent_doc::lsp {

struct DocumentPlace {
  std::string uri;  ///< as the client spells it
  /// Path of the file. For a document without one, where it would be, or only its name.
  std::string path;
  /// `path` with all links followed, which is the same for all names of a file. Empty without a
  /// file.
  std::string file;
  /// The folder that the agent works in, as of when the document was opened; it may not exist.
  std::string workspace;
  bool has_file = false;
};

}  // namespace agent_doc::lsp
