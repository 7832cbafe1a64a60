#include "server/session/recovery.hpp"

#include "server/markdown/front_matter.hpp"
#include "server/markdown/turns.hpp"
#include "server/session/front_matter_values.hpp"
#include "server/session/run_plan.hpp"
#include "server/text/line_ends.hpp"
#include "server/text/text_buffer.hpp"
#include "server/turn/patched_document.hpp"
#include "server/turn/prompt.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::session {

namespace {

using markdown::InlineTurn;
using markdown::Speaker;

constexpr std::string_view kWhiteSpace = " \t\r\n";

/// Behind the last character of [begin, end) that is not white space; `begin` when there is none.
std::size_t end_of_text(std::string_view document, std::size_t begin, std::size_t end) {
  while (end > begin && kWhiteSpace.find(document[end - 1]) != std::string_view::npos) --end;
  return end;
}

/// Behind the line end at `at`, if there is one.
std::size_t behind_line_end(std::string_view document, std::size_t at) {
  if (document.substr(at).starts_with("\r\n")) return at + 2;
  return at < document.size() && (document[at] == '\n' || document[at] == '\r') ? at + 1 : at;
}

bool asks(std::string_view document, const InlineTurn& turn, std::string_view prompt) {
  return turn.speaker == Speaker::User &&
         turn::asked_in(document.substr(turn.body_begin, turn.body_end - turn.body_begin)) ==
             prompt;
}

/// What the turn holds is a beginning of `reply`: the rest goes behind it. White space at its end
/// is the reply's as far as it agrees, but for the two line ends above the next heading.
std::optional<text::Edit> complete(std::string_view document, const InlineTurn& turn,
                                   std::string_view reply, std::string_view line_end) {
  std::size_t end = end_of_text(document, turn.body_begin, turn.body_end);
  if (end == turn.body_begin) {
    const std::size_t place = std::min(behind_line_end(document, turn.body_begin), turn.body_end);
    return text::Edit{place, place, std::string(reply)};
  }
  const std::size_t first = document.find_first_not_of("\r\n", turn.body_begin);
  if (!reply.starts_with(document.substr(first, end - first))) return std::nullopt;
  const std::size_t last = turn.body_end - std::min(2 * line_end.size(), turn.body_end);
  while (end < last && end - first < reply.size() && document[end] == reply[end - first]) ++end;
  return text::Edit{end, end, std::string(reply.substr(end - first))};
}

text::Edit in_own_frame(std::string_view document, std::size_t at, std::string_view reply,
                        std::string_view line_end) {
  const markdown::InlineFrame frame = markdown::make_frame(document, at, line_end);
  const std::size_t below = document.find_first_not_of(kWhiteSpace, at);
  const bool prompt_follows =
      below != std::string_view::npos && document.substr(below).starts_with("## User");
  return {at, at, frame.head + std::string(reply) + (prompt_follows ? "" : frame.tail)};
}

/// The same for a reply that is all said.
std::optional<text::Edit> reply_edit(std::string_view document, std::string_view prompt,
                                     std::string_view reply) {
  const markdown::FrontMatter front_matter = markdown::read_front_matter(document);
  const std::string_view line_end = text::most_frequent_line_end(document);
  const std::string whole = text::with_line_ends(reply, line_end);
  const std::vector<markdown::InlineTurn> turns =
      markdown::find_turns(document, front_matter.body_begin).turns;
  const auto asked =
      std::find_if(turns.rbegin(), turns.rend(),
                   [&](const markdown::InlineTurn& turn) { return asks(document, turn, prompt); });
  if (asked == turns.rend()) {
    if (document.find(whole) != std::string_view::npos) return std::nullopt;
    return in_own_frame(document, end_of_text(document, front_matter.body_begin, document.size()),
                        whole, line_end);
  }
  const markdown::InlineTurn* last = &*asked;
  for (auto next = asked.base();
       next != turns.end() && next->speaker == markdown::Speaker::Assistant; ++next) {
    last = &*next;
    if (document.substr(next->body_begin, next->body_end - next->body_begin).find(whole) !=
        std::string_view::npos)
      return std::nullopt;
  }
  if (last->speaker == markdown::Speaker::Assistant) {
    if (auto rest = complete(document, *last, whole, line_end)) return rest;
  }
  return in_own_frame(document, end_of_text(document, last->body_begin, last->body_end), whole,
                      line_end);
}

/// Where the turn is that asks `prompt`; the end of the document where none does.
std::size_t place_of_prompt(std::string_view document, std::size_t body_begin,
                            std::string_view prompt) {
  const std::vector<InlineTurn> turns = markdown::find_turns(document, body_begin).turns;
  const auto asked = std::find_if(turns.rbegin(), turns.rend(), [&](const InlineTurn& turn) {
    return asks(document, turn, prompt);
  });
  return asked == turns.rend() ? document.size() : asked->body_begin;
}

}  // namespace

std::optional<text::Edit> recovery_edit(std::string_view document, std::string_view prompt,
                                        std::string_view reply) {
  const std::size_t body = markdown::read_front_matter(document).body_begin;
  const std::size_t place = place_of_prompt(document, body, prompt);
  turn::PatchedDocument recovered =
      turn::patched_document(document, body, place, reply, turn::BegunBlocks::MayBeThere);
  if (recovered.said == reply) return reply_edit(document, prompt, reply);
  if (turn::has_patches(document, body, place, reply)) recovered.text = document;
  if (!recovered.said.empty()) {
    if (const auto edit = reply_edit(recovered.text, prompt, recovered.said))
      recovered.text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  }
  if (recovered.text == document) return std::nullopt;
  return text::minimise({0, document.size(), std::move(recovered.text)}, document);
}

std::optional<text::Edit> recovery_edit(std::string_view document,
                                        const store::UnsavedReply& missing) {
  if (missing.before.empty()) return recovery_edit(document, missing.prompt, missing.text);
  std::string text(document);
  const auto add = [&text](const std::string& prompt, const std::string& reply) {
    if (const std::optional<text::Edit> edit = recovery_edit(text, prompt, reply))
      text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  };
  for (const store::UnsavedReply::Part& part : missing.before) add(part.prompt, part.text);
  add(missing.prompt, missing.text);
  if (text == document) return std::nullopt;
  return text::minimise({0, document.size(), std::move(text)}, document);
}

std::vector<std::string> turns_of(const store::UnsavedReply& missing) {
  std::vector<std::string> turns;
  for (const store::UnsavedReply::Part& part : missing.before) turns.push_back(part.turn);
  turns.push_back(missing.turn);
  return turns;
}

bool can_recover(std::string_view document, const store::UnsavedReply& reply) {
  if (!recovery_edit(document, reply)) return false;
  const markdown::FrontMatter front_matter = markdown::read_front_matter(document);
  if (!front_matter.value_of("agent_doc_session").empty()) return true;
  const std::vector<markdown::InlineTurn> turns =
      markdown::find_turns(document, front_matter.body_begin).turns;
  return std::any_of(turns.begin(), turns.end(), [&](const markdown::InlineTurn& turn) {
    return asks(document, turn, reply.prompt) ||
           std::any_of(reply.before.begin(), reply.before.end(),
                       [&](const auto& part) { return asks(document, turn, part.prompt); });
  });
}

std::optional<text::Edit> identity_edit(std::string_view document,
                                        const store::UnsavedReply& reply) {
  const markdown::FrontMatter front_matter = markdown::read_front_matter(document);
  std::vector<FrontMatterValue> missing;
  if (front_matter.value_of("agent_doc_session").empty())
    missing.push_back({"agent_doc_session", reply.document});
  if (front_matter.value_of("agent").empty()) missing.push_back({"agent", reply.agent});
  if (!missing.empty()) return set_front_matter(document, missing, reply.agent);
  if (reply.session_id.empty() || front_matter.find("resume") != nullptr) return std::nullopt;
  return set_session(document, reply.agent, reply.session_id, {});
}

const store::UnsavedReply* Recovery::look(std::string_view text, const std::string& path) {
  if (state_.under_way) return nullptr;
  state_.missing =
      journal_.unsaved_reply(markdown::read_front_matter(text).value_of("agent_doc_session"), path);
  if (state_.missing && !can_recover(text, *state_.missing)) state_.missing.reset();
  return state_.missing ? &*state_.missing : nullptr;
}

/// The person may go on typing while the edit is under way, so it is made anew for every state of
/// the text until one of them is the whole one.
void Recovery::begin() {
  const store::UnsavedReply& missing = *state_.missing;
  state_.under_way = true;
  manuscript_.propose(
      [reply = missing](const text::TextBuffer& now) { return identity_edit(now.text(), reply); });
  manuscript_.propose(
      [reply = missing](const text::TextBuffer& now) { return recovery_edit(now.text(), reply); },
      sync::ProposalEnd::Landed);
}

bool Recovery::give_up() {
  return std::exchange(state_.under_way, false);
}

void Recovery::look_again() {
  if (!state_.under_way || manuscript_.is_busy()) return;
  const std::vector<std::string> turns = turns_of(*state_.missing);
  state_ = {};
  for (const std::string& turn : turns) reply_landed(turn);
}

void Recovery::reply_landed(const std::string& turn) {
  state_.placed.push_back(turn);
  journal_.reply_placed(turn, store::ReplyPlace::Client);
}

void Recovery::did_save() {
  if (!manuscript_.is_open()) return;
  for (const std::string& turn : std::exchange(state_.placed, {}))
    journal_.reply_placed(turn, store::ReplyPlace::File);
}

}  // namespace agent_doc::session
