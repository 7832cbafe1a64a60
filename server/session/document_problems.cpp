#include "server/session/document_problems.hpp"

#include "server/markdown/front_matter_keys.hpp"
#include "server/markdown/outline.hpp"
#include "server/session/document_parts.hpp"
#include "server/session/unseen_by_agent.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace agent_doc::session {

namespace {

constexpr std::array<std::string_view, 3> kNotFromDocuments{"agent_args", "env", "hooks"};

using Problems = std::vector<DocumentProblem>;

DocumentProblem at_value(ProblemKind kind, const markdown::FrontMatterEntry& entry,
                         std::string message) {
  const bool has_value = entry.value_begin < entry.value_end;
  const std::size_t begin = has_value ? entry.value_begin : entry.line_begin;
  return {kind, begin, has_value ? entry.value_end : entry.line_begin + entry.key.size(),
          std::move(message)};
}

std::string choices(const std::vector<std::string_view>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i + 1 == values.size() ? " or " : ", ";
    text.append("`").append(values[i]).append("`");
  }
  return text;
}

void add_front_matter_problems(const markdown::FrontMatter& front_matter, Problems& problems) {
  for (const markdown::Problem& problem : front_matter.problems) {
    if (problems.size() == kMaxFrontMatterProblems) {
      const std::size_t more = front_matter.problems.size() - problems.size();
      problems.push_back({ProblemKind::FrontMatter, problem.begin, problem.end,
                          "From here on " + std::to_string(more) +
                              " more lines of the front matter have such a problem."});
      return;
    }
    problems.push_back({ProblemKind::FrontMatter, problem.begin, problem.end, problem.message});
  }
}

void add_value_problems(const markdown::FrontMatter& front_matter, Problems& problems) {
  for (const markdown::FrontMatterEntry& entry : front_matter.entries) {
    if (std::find(kNotFromDocuments.begin(), kNotFromDocuments.end(), entry.key) !=
        kNotFromDocuments.end()) {
      problems.push_back({ProblemKind::NotFromDocuments, entry.line_begin,
                          entry.line_begin + entry.key.size(),
                          "agent-doc does not take `" + entry.key +
                              "` from a document, which may come from anybody: set it in "
                              "[agents.NAME] of agent-doc's config.toml."});
      continue;
    }
    const markdown::FrontMatterKey* help = markdown::find_front_matter_key(entry.key);
    if (help == nullptr || help->source != markdown::ValueSource::Fixed || entry.is_map ||
        entry.value.empty())
      continue;
    if (std::find(help->values.begin(), help->values.end(), entry.value) != help->values.end())
      continue;
    problems.push_back(at_value(ProblemKind::Value, entry,
                                "`" + entry.key + "` is " + choices(help->values) +
                                    ", so this counts as `" + std::string(help->values.front()) +
                                    "`."));
  }
}

void add_agent_problem(const markdown::FrontMatter& front_matter, const AgentDirectory& agents,
                       Problems& problems) {
  const markdown::FrontMatterEntry* entry = front_matter.find("agent");
  if (entry == nullptr || entry->value.empty()) return;
  if (!agents.find(entry->value)) {
    problems.push_back(at_value(
        ProblemKind::UnknownAgent, *entry,
        "There is no agent called " + entry->value + ": " + agents.how_to_get(entry->value) + "."));
  } else if (!agents.is_installed(entry->value)) {
    problems.push_back(at_value(ProblemKind::AgentNotInstalled, *entry,
                                "The program of the agent " + entry->value + " was not found. " +
                                    agents.how_to_get(entry->value)));
  }
}

void add_session_problem(const markdown::FrontMatter& front_matter, const TurnView& turn,
                         Problems& problems) {
  if (turn.state != turn::TurnState::Failed ||
      turn.failure_kind != plugins::FailureKind::SessionUnknown)
    return;
  const markdown::FrontMatterEntry* entry = front_matter.find("resume");
  if (entry == nullptr) entry = front_matter.find("forked_from");
  if (entry == nullptr) return;
  problems.push_back(at_value(ProblemKind::SessionLost, *entry,
                              turn.agent +
                                  " did not know this session at the last run. The command “New "
                                  "session” begins a new one, with the document as "
                                  "what was said before."));
}

/// Of what the agent wants to do.
constexpr std::size_t kMaxProblemDetail = 800;

/// What is open in the reply that is just being written will be closed at its end.
bool is_in_growing_reply(const Conversation& session, std::size_t at) {
  if (!session.turn_running()) return false;
  const auto reply = session.reply_extent();
  return reply && reply->begin <= at && at < reply->end;
}

void add_permission_problem(const Conversation& session, const markdown::FrontMatter& front_matter,
                            const turn::Permission& permission, Problems& problems) {
  const std::string& text = session.engine().shadow().text();
  DocumentProblem problem{ProblemKind::PermissionWaiting, front_matter.body_begin,
                          front_matter.body_begin, "The agent wants to use " + permission.tool};
  if (!permission.detail.empty())
    problem.message += ": " + turn::without_middle(permission.detail, kMaxProblemDetail);
  problem.message += ". Answer by a code action.";
  const auto reply = session.reply_extent();
  for (const markdown::OutlineEntry& entry : markdown::outline(text, front_matter)) {
    if (!reply || entry.body_begin > reply->begin || reply->begin > entry.end) continue;
    problem.begin = entry.heading_begin;
    problem.end = entry.heading_end;
  }
  problems.push_back(std::move(problem));
}

bool is_quiet_about_changes(const markdown::FrontMatter& front_matter) {
  return front_matter.value_of("drift") == "quiet";
}

/// Of each place its first line is marked: all of them would be a lot of ink for a hint.
void add_not_seen(const Conversation& session, Problems& problems) {
  const std::string& text = session.engine().shadow().text();
  const std::vector<turn::UnseenPlace>& places = session.unseen().places();
  for (std::size_t number = 0; number < std::min(places.size(), kMaxNotSeen); ++number) {
    const turn::UnseenPlace& place = places[number];
    const bool is_gone = place.begin == place.end;
    const std::size_t line_end = std::min(text.find_first_of("\r\n", place.begin), text.size());
    problems.push_back({ProblemKind::NotSeen, place.begin,
                        is_gone ? line_end : std::min(line_end, place.end),
                        std::string(is_gone ? "What was taken out above this is not yet seen by "
                                            : "Not yet seen by ") +
                            session.unseen().agent() + "."});
  }
}

}  // namespace

std::string_view name_of(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::FrontMatter:
      return "front-matter";
    case ProblemKind::Value:
      return "value";
    case ProblemKind::NotFromDocuments:
      return "not-from-documents";
    case ProblemKind::UnknownAgent:
      return "unknown-agent";
    case ProblemKind::AgentNotInstalled:
      return "agent-not-installed";
    case ProblemKind::SessionLost:
      return "session-lost";
    case ProblemKind::OpenBlock:
      return "open-block";
    case ProblemKind::NotSeen:
      return "not-seen";
    case ProblemKind::PermissionWaiting:
      break;
  }
  return "permission-waiting";
}

bool is_session_document(const Conversation& session) {
  return session.has_turn() ||
         markdown::read_front_matter(session.engine().shadow().text()).is_session_document();
}

bool is_session_document(const Conversation& session, const markdown::FrontMatter& front_matter) {
  return session.has_turn() || front_matter.is_session_document();
}

std::vector<DocumentProblem> find_problems(const Conversation& session,
                                           const AgentDirectory& agents,
                                           const DocumentParts& parts) {
  const markdown::FrontMatter& front_matter = parts.front_matter;
  std::vector<DocumentProblem> problems;
  if (!is_session_document(session, front_matter)) return problems;
  add_front_matter_problems(front_matter, problems);
  add_value_problems(front_matter, problems);
  add_agent_problem(front_matter, agents, problems);
  for (const auto* found : {&parts.turns.problems, &parts.turns.components.problems}) {
    for (const markdown::Problem& problem : *found) {
      if (is_in_growing_reply(session, problem.begin)) continue;
      problems.push_back({ProblemKind::OpenBlock, problem.begin, problem.end, problem.message});
    }
  }
  if (const auto turn = session.turn_view()) {
    add_session_problem(front_matter, *turn, problems);
    if (turn->permission)
      add_permission_problem(session, front_matter, *turn->permission, problems);
  }
  if (!session.turn_running() && session.is_unseen_current() &&
      !is_quiet_about_changes(front_matter))
    add_not_seen(session, problems);
  return problems;
}

}  // namespace agent_doc::session
