// What it is: where a document is: what the client calls it, and what the disk does.
// What it is not: its text.
// Thread rule: plain data.
#pragma once

#include <string>

namespace agent_doc::lsp {

struct DocumentPlace {
  std::string uri;  ///< as the client spells it
  std::string
      path;  ///< of its file; for a document without one, where it would be, or only its name
  std::string file;  ///< where `path` really leads, all links followed: the same for all names of a
                     ///< file. Empty without one
  std::string workspace;  ///< the folder that its agent works in, as it was when the document was
                          ///< opened: it need not be there
  bool has_file = false;
};

}  // namespace agent_doc::lsp
