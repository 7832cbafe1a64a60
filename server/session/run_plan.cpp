#include "server/session/run_plan.hpp"

#include "server/markdown/turns.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::session {

namespace {

Refusal refuse(RefusalKind kind, std::string message) {
  return Refusal{kind, std::move(message)};
}

/// `relative` below `root`, or empty when it leaves it. Both are taken by their names only.
std::string inside(const std::string& root, std::string_view relative) {
  if (relative.empty() || relative.front() == '/') return {};
  std::string path = root;
  std::size_t depth = 0;
  while (!relative.empty()) {
    const std::size_t slash = std::min(relative.find('/'), relative.size());
    const std::string_view part = relative.substr(0, slash);
    relative.remove_prefix(std::min(slash + 1, relative.size()));
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (depth == 0) return {};
      --depth;
      path.erase(path.rfind('/'));
      continue;
    }
    ++depth;
    path += '/';
    path += part;
  }
  return path;
}

/// The end of what is written so far: behind the last character of the document that is not white
/// space.
std::size_t end_of_writing(std::string_view document, std::size_t body_begin) {
  const std::size_t last = document.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos || last < body_begin ? body_begin : last + 1;
}

/// What has to stand between the document and a prompt that the client sent along.
std::string prompt_lead(const markdown::InlineTurns& turns, std::string_view document,
                        std::size_t at, std::size_t body_begin) {
  if (at == body_begin) return {};
  const bool after_reply =
      !turns.turns.empty() && turns.turns.back().speaker == markdown::Speaker::Assistant;
  const bool needs_blank_line = at > 0 && document[at - 1] != '\n';
  return std::string(needs_blank_line ? "\n\n" : "") + (after_reply ? "## User\n\n" : "");
}

/// What an agent reads of a document up to the end of `turn`: the component that the turn is in
/// comes last, also where others are below it. Moves `place`, bytes of the body, with its text.
std::string body_to_read(std::string_view text, std::size_t body, const markdown::InlineTurn& turn,
                         const markdown::Components& components, turn::PromptPlace& place) {
  const markdown::Component* around = components.around(turn.heading_begin);
  while (around != nullptr && around->parent) around = &components.found[*around->parent];
  if (around == nullptr) return std::string(text.substr(body, turn.body_end - body));
  std::string read(text.substr(body, around->opening_begin - body));
  const std::string_view below = text.substr(around->closing_end);
  read.append(below.substr(std::min(below.find_first_not_of("\r\n"), below.size())));
  if (!read.empty() && read.back() != '\n') read += '\n';
  const std::size_t above = around->opening_begin - body;
  for (std::size_t* offset : {&place.heading, &place.begin, &place.end})
    *offset = *offset - above + read.size();
  return read.append(text.substr(around->opening_begin, turn.body_end - around->opening_begin));
}

TurnPlan plan_given_prompt(const text::TextBuffer& document,
                           const markdown::FrontMatter& front_matter,
                           const markdown::InlineTurns& turns, const RunRequest& request,
                           std::string_view line_end) {
  const std::string& text = document.text();
  const std::size_t body = front_matter.body_begin;
  const bool is_inside = turns.components.around(turns.turns.back().heading_begin) != nullptr;
  const std::size_t end = is_inside ? turns.turns.back().body_end : text.size();
  TurnPlan plan;
  plan.frame_at = end_of_writing(std::string_view(text).substr(0, end), body);
  const std::string written = text::with_line_ends(
      prompt_lead(turns, text, plan.frame_at, body) + request.prompt, line_end);
  const std::string with_prompt =
      text.substr(0, plan.frame_at) + written + text.substr(plan.frame_at);
  const std::size_t prompt_end = plan.frame_at + written.size();
  const markdown::InlineFrame frame = markdown::make_frame(with_prompt, prompt_end, line_end);
  plan.frame = {written + frame.head, frame.tail};
  const markdown::InlineTurns now = markdown::find_turns(with_prompt, body);
  markdown::InlineTurn last = now.turns.back();
  last.body_end = std::min(last.body_end, prompt_end);
  const std::optional<markdown::OpenPrompt> open = markdown::open_prompt_of(with_prompt, last);
  turn::PromptPlace place;
  place.begin = (open ? open->begin : plan.frame_at) - body;
  place.end = prompt_end - body;
  place.heading = open ? last.heading_begin - body : place.begin;
  std::string read = body_to_read(with_prompt, body, last, now.components, place);
  plan.prompt = turn::PromptSource(std::move(read), place);
  return plan;
}

/// The last turn, up to where the prompt ended when the person asked for the run. All of it when
/// other turns follow there: then that place is not of this text.
markdown::InlineTurn asked_turn(const markdown::InlineTurns& turns, const RunRequest& request) {
  markdown::InlineTurn last = turns.turns.back();
  if (request.prompt_end && *request.prompt_end >= last.body_begin)
    last.body_end = std::min(*request.prompt_end, last.body_end);
  return last;
}

TurnPlan plan_open_prompt(const text::TextBuffer& document,
                          const markdown::FrontMatter& front_matter,
                          const markdown::InlineTurns& turns, const RunRequest& request,
                          std::string_view line_end) {
  const std::string& text = document.text();
  const markdown::InlineTurn turn = asked_turn(turns, request);
  const std::optional<markdown::OpenPrompt> open = markdown::open_prompt_of(text, turn);
  TurnPlan plan;
  const std::size_t body = front_matter.body_begin;
  const std::size_t end = end_of_writing(std::string_view(text).substr(0, turn.body_end), body);
  turn::PromptPlace place{end_above_prompt(text, body, turn) - body, end - body, end - body};
  if (open) {
    place = {turn.heading_begin - body, open->begin - body, open->end - body};
  } else {
    const bool needs_no_heading = turn.heading_begin == turn.body_begin;
    const markdown::Component* around =
        needs_no_heading ? turns.components.around(turn.heading_begin) : nullptr;
    plan.nothing_asked = "there is nothing to send: write your question " +
                         (around == nullptr ? std::string("under the last `## User` heading")
                                            : "into the component " + around->name) +
                         ", then run again";
  }
  std::string read = body_to_read(text, body, turn, turns.components, place);
  plan.prompt = turn::PromptSource(std::move(read), place);
  plan.frame_at = open ? open->frame_at : end;
  const markdown::InlineFrame frame = markdown::make_frame(text, plan.frame_at, line_end);
  plan.frame = {frame.head, frame.tail};
  if (request.prompt_end) plan.typed = sync::TypedAtPlace::GoesBelow;
  return plan;
}

/// Whose session a `resume` without a name is: the agent that was seen with it, else the
/// document's. `agent` when there is no such session.
std::string owner_of_unnamed(const markdown::FrontMatter& front_matter, const std::string& agent,
                             const SessionOwners& owners) {
  const markdown::FrontMatterEntry* resume = front_matter.find("resume");
  if (resume == nullptr || resume->is_map || resume->value.empty()) return agent;
  if (std::string seen = owners.owner_of(resume->value); !seen.empty()) return seen;
  const std::string in_document = front_matter.value_of("agent");
  return in_document.empty() ? agent : in_document;
}

}  // namespace

std::optional<NextPrompt> next_prompt(std::string_view document,
                                      const markdown::FrontMatter& front_matter,
                                      const RunRequest& request) {
  const markdown::InlineTurns turns = markdown::find_turns(document, front_matter.body_begin);
  const markdown::InlineTurn turn = asked_turn(turns, request);
  const std::optional<markdown::OpenPrompt> open = markdown::open_prompt_of(document, turn);
  if (!open) return std::nullopt;
  const std::string_view text = document.substr(open->begin, open->end - open->begin);
  NextPrompt prompt{turn::asked_in(text), turn::as_seen(text), open->frame_at};
  if (prompt.asked.empty()) return std::nullopt;
  return prompt;
}

std::size_t end_above_prompt(std::string_view document, std::size_t body_begin,
                             const markdown::InlineTurn& last) {
  if (last.speaker == markdown::Speaker::User) return last.heading_begin;
  return end_of_writing(document.substr(0, last.body_end), body_begin);
}

void SessionOwners::learn(const markdown::FrontMatter& front_matter) {
  const markdown::FrontMatterEntry* resume = front_matter.find("resume");
  if (resume != nullptr && !resume->is_map) learn(resume->value, front_matter.value_of("agent"));
}

void SessionOwners::learn(std::string_view session_id, std::string_view agent) {
  if (session_id.empty() || agent.empty() || owners_.size() >= kMaxKnownSessions) return;
  owners_.emplace(session_id, agent);
}

std::string SessionOwners::owner_of(std::string_view session_id) const {
  const auto known = owners_.find(session_id);
  return known == owners_.end() ? std::string() : known->second;
}

std::string session_id_of(const markdown::FrontMatter& front_matter, std::string_view agent) {
  const markdown::FrontMatterEntry* resume = front_matter.find("resume");
  if (resume == nullptr) return {};
  if (!resume->is_map) return resume->value;
  const auto entry = resume->map.find(std::string(agent));
  return entry == resume->map.end() ? std::string() : entry->second;
}

Outcome<SessionPlan> plan_session(const markdown::FrontMatter& front_matter,
                                  const RunRequest& request, const std::string& default_agent,
                                  const std::string& workspace, const SessionOwners& owners) {
  const std::string in_document = front_matter.value_of("agent");
  SessionPlan plan;
  plan.agent = !request.agent.empty() ? request.agent
               : !in_document.empty() ? in_document
                                      : default_agent;
  const std::string model_key = plan.agent + "_model";
  const std::string model = front_matter.value_of(model_key);
  plan.launch.model = !request.model.empty() ? request.model
                      : !model.empty()       ? model
                                             : front_matter.value_of("model");
  plan.launch.cwd = workspace;
  if (const std::string cwd = front_matter.value_of("agent_doc_cwd"); !cwd.empty()) {
    plan.launch.cwd = inside(workspace, cwd);
    if (plan.launch.cwd.empty()) {
      return refuse(RefusalKind::Invalid, "agent_doc_cwd `" + cwd +
                                              "` is not a folder inside the workspace " +
                                              workspace + ": correct it in the front matter");
    }
  }
  plan.launch.session_id = session_id_of(front_matter, plan.agent);
  if (const std::string owner = owner_of_unnamed(front_matter, plan.agent, owners);
      owner != plan.agent) {
    plan.other_owner = owner;
    plan.launch.session_id.clear();
  }
  if (!plan.launch.session_id.empty()) {
    plan.launch.start = plugins::SessionStart::Resume;
    // Where several agents reply in turn, none has heard what the others said.
    const bool alone = front_matter.find("resume")->map.size() < 2;
    plan.knows = alone ? turn::SessionKnows::EarlierTurns : turn::SessionKnows::Nothing;
  } else if (const markdown::FrontMatterEntry* forked = front_matter.find("forked_from");
             forked != nullptr && forked->map.count("session") != 0) {
    plan.launch.start = plugins::SessionStart::Fork;
    plan.launch.session_id = forked->map.at("session");
    plan.knows = turn::SessionKnows::EarlierTurns;
  }
  return plan;
}

void keep_within(plugins::SessionSupport support, plugins::LaunchRequest& launch) {
  const bool possible = launch.start == plugins::SessionStart::Fork ? support.fork : support.resume;
  if (launch.start == plugins::SessionStart::New || possible) return;
  launch.start = plugins::SessionStart::New;
  launch.session_id.clear();
}

TurnPlan plan_turn(const text::TextBuffer& document, const markdown::FrontMatter& front_matter,
                   const RunRequest& request) {
  const std::string_view line_end = text::most_frequent_line_end(document.text());
  const markdown::InlineTurns turns =
      markdown::find_turns(document.text(), front_matter.body_begin);
  TurnPlan plan = request.prompt.empty()
                      ? plan_open_prompt(document, front_matter, turns, request, line_end)
                      : plan_given_prompt(document, front_matter, turns, request, line_end);
  if (plan.prompt.asked().empty() && plan.nothing_asked.empty()) {
    plan.nothing_asked =
        "there is nothing to send: the prompt holds only comments; write your question, then run "
        "again";
  }
  plan.rounds = front_matter.value_of("rounds") == "all" ? turn::Rounds::All : turn::Rounds::Last;
  plan.thinking =
      front_matter.value_of("thinking") == "fold" ? turn::Thinking::Fold : turn::Thinking::None;
  for (const markdown::Component& one : turns.components.found) {
    const bool is_around = one.opening_begin < plan.frame_at && plan.frame_at < one.closing_end;
    (is_around ? plan.around_reply : plan.components).push_back(one.name);
  }
  if (!turns.problems.empty()) plan.warning = turns.problems.front().message;
  return plan;
}

}  // namespace agent_doc::session
