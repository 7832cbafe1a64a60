// What it is: what a run means for a document as it stands: which agent and session, which prompt,
// and where the reply goes. Read from the document once, when the person runs it.
// What it is not: it starts nothing and changes nothing.
// Thread rule: pure functions.
#pragma once

#include "plugins/agent.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/sync/region.hpp"
#include "server/text/position.hpp"
#include "server/text/text_buffer.hpp"
#include "server/turn/prompt.hpp"
#include "server/turn/reply.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_doc::markdown {

struct InlineTurn;

}  // namespace agent_doc::markdown

namespace agent_doc::session {

struct RunRequest {
  std::optional<text::Position>
      position;  ///< kept for clients that send it; the open prompt is the last one
  /// Byte of the document: what stands from here on was typed after the person asked for the run,
  /// is not sent, and goes below the reply.
  std::optional<std::size_t> prompt_end;
  std::string prompt;  ///< sent instead of the document's open prompt, and written under it
  std::string agent;   ///< overrides the document
  std::string model;
};

/// Why a command was not carried out, in words for a person.
enum class RefusalKind { Busy, NothingToSend, UnknownAgent, NoSession, NotOpen, Invalid };
struct Refusal {
  RefusalKind kind = RefusalKind::Invalid;
  std::string message;
};
template <class T>
using Outcome = std::variant<T, Refusal>;

/// How the agent of a run is reached.
struct SessionPlan {
  std::string agent;  ///< a name for the AgentDirectory
  plugins::LaunchRequest launch;
  turn::SessionKnows knows = turn::SessionKnows::Nothing;
  std::string of_folder;  ///< for the person: why the agent works in another folder than the
                          ///< document's; empty when it does not
  std::string
      other_owner;  ///< the agent that a `resume` without a name belongs to, when it is not `agent`
};

/// Which agent a session id of a document belongs to, as far as this server has seen it: a `resume`
/// without a name does not say it.
class SessionOwners {
 public:
  void learn(const markdown::FrontMatter& front_matter);
  void learn(std::string_view session_id, std::string_view agent);
  /// Empty when it is not known.
  std::string owner_of(std::string_view session_id) const;

 private:
  std::map<std::string, std::string, std::less<>> owners_;
};
/// Of one document; what is learned beyond is forgotten.
inline constexpr std::size_t kMaxKnownSessions = 100;

/// What is sent, and where the reply goes.
struct TurnPlan {
  turn::PromptSource prompt;
  std::size_t frame_at = 0;  ///< byte of the document
  sync::Frame frame;         ///< with the document's line ends
  sync::TypedAtPlace typed = sync::TypedAtPlace::StaysAbove;
  turn::Rounds rounds = turn::Rounds::Last;
  turn::Thinking thinking = turn::Thinking::None;
  /// The document's; those that the reply itself is in are `around_reply`.
  std::vector<std::string> components;
  std::vector<std::string> around_reply;
  std::string warning;  ///< for the person; empty when all is well
  /// Nothing is asked, and why that is, for the person: then only changes above can be sent. Else
  /// empty.
  std::string nothing_asked;
};

/// `workspace`: the folder that the agent works in unless `agent_doc_cwd` names one inside it. That
/// is looked at by its name only: where links lead, the caller has to find out
/// (World::folder_inside).
Outcome<SessionPlan> plan_session(const markdown::FrontMatter& front_matter,
                                  const RunRequest& request, const std::string& default_agent,
                                  const std::string& workspace, const SessionOwners& owners);

/// What the agent cannot do with an earlier session becomes a new one.
void keep_within(plugins::SessionSupport support, plugins::LaunchRequest& launch);

TurnPlan plan_turn(const text::TextBuffer& document, const markdown::FrontMatter& front_matter,
                   const RunRequest& request);

/// A prompt that is said in the middle of a turn.
struct NextPrompt {
  std::string asked;         ///< as it is sent
  std::string seen;          ///< the same in the form of turn::as_seen()
  std::size_t frame_at = 0;  ///< byte of the document: its reply goes there
};

/// Returns the open prompt of `document`; nothing when nothing is asked.
std::optional<NextPrompt> next_prompt(std::string_view document,
                                      const markdown::FrontMatter& front_matter,
                                      const RunRequest& request);

/// Returns the end of what is above the open prompt, where `last` is the last turn of `document`:
/// of that a run sends what was changed.
std::size_t end_above_prompt(std::string_view document, std::size_t body_begin,
                             const markdown::InlineTurn& last);

/// The session id that `front_matter` keeps for `agent`; empty when there is none.
std::string session_id_of(const markdown::FrontMatter& front_matter, std::string_view agent);

}  // namespace agent_doc::session
