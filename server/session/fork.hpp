// What it is: the text of a forked document: a copy that is linked to the session it came from.
// What it is not: it writes no file.
// Thread rule: pure functions.
#pragma once

#include "server/markdown/front_matter.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

struct ForkLink {
  std::string file;      ///< how the fork names the document it came from
  std::string session;   ///< the agent's session id at that time; empty: the fork's session begins
                         ///< with the document
  std::size_t turn = 0;  ///< how many replies the fork has
};

/// `document` as a new document: its own `agent_doc_session` (`uuid`), no `resume`, and
/// `forked_from`. Every other byte stays.
std::string fork_document(std::string_view document, const ForkLink& link, std::string_view uuid);

/// Behind each reply that stands under a question, in order. Bytes of the document, without the
/// blank lines below.
std::vector<std::size_t> ends_of_replies(std::string_view document,
                                         const markdown::FrontMatter& front_matter);

/// The first `end` bytes of `document`, and the place for a new question. Where that is in a
/// component, its end and all that is below it stay.
std::string text_up_to(std::string_view document, std::size_t end, std::string_view line_end);

/// How a document in the folder of `from` names the file `to`: relative when both are in one
/// folder, else `to` itself. Absolute paths.
std::string relative_name(std::string_view to, std::string_view from);

}  // namespace agent_doc::session
