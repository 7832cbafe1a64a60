// What it is: the text of a forked document: a copy that is linked to the session it came from.
// What it is not: it writes no file.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace agent_doc::session {

struct ForkLink {
  std::string file;     ///< how the fork names the document it came from
  std::string session;  ///< the agent's session id at that time
  std::size_t turns = 0;  ///< how many turns the document had
};

/// `document` as a new document: its own `agent_doc_session` (`uuid`), no `resume`, and `forked_from`. Every other byte stays.
std::string fork_document(std::string_view document, const ForkLink& link, std::string_view uuid);

/// How a document in the folder of `from` names the file `to`: relative when both are in one folder, else `to` itself. Absolute paths.
std::string relative_name(std::string_view to, std::string_view from);

}  // namespace agent_doc::session
