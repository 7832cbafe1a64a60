// What it is: the names of a document: the client's, the person's, the disk's.
// What it is not: its text.
// Thread rule: plain value.
#pragma once

#include <string>

namespace agent_doc::session {

struct DocumentName {
  std::string uri;   ///< as the client spells it
  std::string path;  ///< of its file, as the person knows it; without one, where it would be
  std::string file;  ///< the file itself, all links followed. Empty without a file

  /// Returns the name of its file, for a person.
  std::string last_part() const {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
  }
  /// Returns what the leases and the store call its place.
  const std::string& recorded() const { return file.empty() ? path : file; }
};

}  // namespace agent_doc::session
