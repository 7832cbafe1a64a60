// What it is: what is wrong with a document, or waits for its person, with the place in the text:
// what editors underline.
// What it is not: it changes nothing and stops nothing; a document with problems works as far as it
// can.
// Thread rule: pure functions.
#pragma once

#include "server/markdown/front_matter.hpp"
#include "server/session/conversation.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

enum class ProblemKind {
  FrontMatter,       ///< a line that cannot be read
  Value,             ///< a value that a key does not take
  NotFromDocuments,  ///< a key that only the person's configuration may set
  UnknownAgent,
  AgentNotInstalled,
  SessionLost,  ///< the agent does not know the session that `resume` names
  OpenBlock,    ///< a code block or HTML that swallows what is below it
  PermissionWaiting,
  NotSeen,  ///< changed since the agent saw it; told with the next run
};
/// "front-matter", "value", …
std::string_view name_of(ProblemKind kind);

struct DocumentProblem {
  ProblemKind kind = ProblemKind::FrontMatter;
  std::size_t begin = 0;  ///< bytes of the document
  std::size_t end = 0;
  std::string message;
};

/// One of ours: its front matter says so, or a turn was run in it.
bool is_session_document(const Conversation& session);
bool is_session_document(const Conversation& session, const markdown::FrontMatter& front_matter);

/// Of a front matter; one more says how many are left out.
inline constexpr std::size_t kMaxFrontMatterProblems = 50;

/// Of places that the agent has not seen: the first ones.
inline constexpr std::size_t kMaxNotSeen = 100;

/// `parts`: of the text that the session has now. Nothing for a document that is none of ours.
std::vector<DocumentProblem> find_problems(const Conversation& session,
                                           const AgentDirectory& agents,
                                           const DocumentParts& parts);

}  // namespace agent_doc::session
