#include "plugins/tour/tour_text.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace agent_doc::plugins::tour {

namespace {

/// The text that server/turn/prompt writes between the document and the open prompt; a test
/// compares them.
constexpr std::string_view kOpenPromptMarker =
    "\n</document>\n\nThis is the open prompt in it. Answer only this:\n\n";
constexpr std::string_view kChangedPromptMarker =
    ">\n\nThis is the open prompt in it. Answer it, and what was noted in the changes:\n\n";
constexpr std::size_t kOffers = 3;
constexpr std::size_t kPhraseWeight = 3;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string with_lf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\r') {
      out += text[at];
    } else if (at + 1 == text.size() || text[at + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

/// Removes blank lines at both ends; keeps the indentation of the first line.
std::string_view without_blank_edges(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  const std::size_t line = text.find_last_of("\n\r", first);
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  return text.substr(begin, text.find_last_not_of(" \t\n\r") - begin + 1);
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '+' || byte >= 0x80;
}

/// Returns the words of lower-case text. `agent-doc` and `c++` are words.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    if (end > at) words.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

bool is_phrase(std::string_view keyword) {
  return std::any_of(keyword.begin(), keyword.end(),
                     [](char c) { return c == ' ' || static_cast<unsigned char>(c) >= 0x80; });
}

bool is_word(std::string_view word, std::string_view keyword) {
  return word == keyword ||
         (word.size() == keyword.size() + 1 && word.starts_with(keyword) && word.back() == 's');
}

std::size_t score_of(const TopicEntry& entry, std::string_view lower,
                     const std::vector<std::string_view>& words) {
  std::size_t total = 0;
  for (const std::string_view keyword : split(entry.keywords, '|')) {
    if (is_phrase(keyword)) {
      if (lower.find(keyword) != std::string_view::npos) total += kPhraseWeight;
    } else {
      total += static_cast<std::size_t>(std::count_if(
          words.begin(), words.end(), [&](auto word) { return is_word(word, keyword); }));
    }
  }
  return total;
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

/// Returns `text` as a block quote, line by line. `bytes_missing` were cut from it before.
std::string quoted(std::string_view text, std::size_t limit, std::size_t bytes_missing) {
  const std::size_t kept = text::floor_boundary(text, limit);
  bytes_missing += text.size() - kept;
  std::string out;
  for (const std::string_view line : split(text.substr(0, kept), '\n')) {
    out += line.empty() ? ">" : "> ";
    out += line;
    out += '\n';
  }
  if (bytes_missing > 0)
    out += ">\n> *(and " + plural(bytes_missing, "more byte", "more bytes") + ")*\n";
  return out;
}

std::string quoted_question(const TourTurn& turn, std::size_t limit) {
  return quoted(turn.question, limit, turn.bytes_cut);
}

bool is_first(const TourSession& session) {
  return session.turns.size() == 1 && session.forgotten == 0;
}

std::string greeting(const TourSession& session) {
  const std::string quote = quoted_question(session.turns.back(), kMaxGreetingBytes);
  return (is_first(session) ? "Hello! You wrote:\n\n" : "You wrote:\n\n") + quote + "\n";
}

/// Offers topics that this session has not seen first, in the order of the tour.
std::string offers(const TourSession& session, Topic now) {
  std::vector<Topic> seen{now, Topic::Welcome};
  for (const TourTurn& turn : session.turns) seen.push_back(recognise(turn.question));
  std::string out;
  std::size_t count = 0;
  for (const TopicEntry& entry : topics()) {
    if (std::find(seen.begin(), seen.end(), entry.topic) != seen.end()) continue;
    out += "- `" + std::string(entry.name) + "`: " + std::string(entry.teaser) + "\n";
    if (++count == kOffers) break;
  }
  if (out.empty())
    return "You have seen the whole tour now. `agent-doc agents` lists the agents for real work.\n";
  return "What you could ask next:\n\n" + out;
}

std::string history(const TourSession& session) {
  const std::size_t earlier = session.turns.size() - 1;
  if (earlier == 0 && session.forgotten == 0) {
    return "This is the first question of our session, so there is nothing before it. Ask me "
           "something else, and then this again.\n";
  }
  const std::size_t shown = std::min(earlier, kMaxQuotedTurns);
  const std::uint64_t left_out = session.forgotten + (earlier - shown);
  std::string out = "### What you asked before\n\nThis session has " +
                    plural(session.forgotten + earlier, "earlier question", "earlier questions") +
                    ".";
  if (!session.forked_from.empty())
    out += " It is a fork; the questions from before the fork belong to it too.";
  if (left_out > 0)
    out += " I quote the newest " + std::to_string(shown) + "; " + std::to_string(left_out) +
           " are older.";
  out += "\n";
  for (std::size_t at = earlier - shown; at < earlier; ++at) {
    const TourTurn& turn = session.turns[at];
    out += "\nQuestion " + std::to_string(session.forgotten + at + 1);
    if (turn.end != TurnEnd::Done) out += " (its reply did not come to its end)";
    out += ":\n\n" + quoted_question(turn, kMaxQuotedBytes);
  }
  return out;
}

std::string unknown(const TourSession& session) {
  return "That is no topic of mine. I am the tour of agent-doc, a small program that knows its own "
         "pages and nothing else, so I cannot "
         "answer it; a "
         "real agent can (`agent-doc agents` lists those that were found).\n\nI did read it, "
         "though: it has " +
         count_words(session) + ".\n";
}

std::string permission_result(const ToolOutcome& outcome) {
  if (outcome.verdict == ToolVerdict::Allowed) {
    return "### Permission\n\nYou allowed me to look at the clock. It says: **" + outcome.text +
           "**\n\nThat is how every agent asks before it changes a file or runs a command. The "
           "question has no time limit, and nothing is "
           "allowed by "
           "default.\n";
  }
  return "### Permission\n\nYou did not allow me to look at the clock, so I do not know what day "
         "it is, and I go on without it:\n\n" +
         quoted(outcome.text, kMaxGreetingBytes, 0) +
         "\nAn agent is told your answer, as I was, and has to find another way. Ask me for the "
         "date again if you want to see the other "
         "case.\n";
}

Round permission_round(const TourSession& session, const std::vector<ToolOutcome>& outcomes) {
  if (outcomes.empty()) {
    return {
        "The question is about permission, or about the date. I have no idea what day it is until "
        "I look at the clock, and I may look at "
        "it only "
        "after asking.",
        "To tell you the date I have to look at the clock of this computer. May I?",
        TourTool::ReadClock};
  }
  return {"", greeting(session) + permission_result(outcomes.front()), std::nullopt};
}

Round rounds_round(const TourSession& session, const std::vector<ToolOutcome>& outcomes) {
  if (outcomes.empty()) {
    return {
        "The question wants several steps. First the words, then the questions, then the answer.",
        "First I count the words of your question.", TourTool::CountWords};
  }
  if (outcomes.size() == 1) {
    return {"", "That was the first step. Now I count what you have asked in this session.",
            TourTool::CountQuestions};
  }
  return {"Both results are there.",
          greeting(session) +
              "### Several rounds\n\nThis reply took three messages and two tools:\n\n| step | "
              "tool | result |\n|--:|:--|:--|\n| 1 | " +
              std::string(name_of(TourTool::CountWords)) + " | " + outcomes[0].text + " |\n| 2 | " +
              std::string(name_of(TourTool::CountQuestions)) + " | " + outcomes[1].text +
              " |\n\nThe messages of the steps stood here for a moment and were replaced: only the "
              "last one stays. With `rounds: all` in "
              "the front "
              "matter, all of them stay.\n",
          std::nullopt};
}

Round folder_round(const TourSession& session, const std::vector<ToolOutcome>& outcomes) {
  if (outcomes.empty()) {
    return {"The question is about this folder. I look before I talk.", "I look at the folder.",
            TourTool::LookAtFolder};
  }
  return {"", greeting(session) + outcomes.front().text, std::nullopt};
}

std::string body(Topic topic, const TourSession& session) {
  switch (topic) {
    case Topic::Welcome:
      return "";
    case Topic::History:
      return history(session);
    case Topic::Long:
      return std::string(long_read());
    case Topic::Unknown:
      return unknown(session);
    default:
      return std::string(entry_of(topic).body);
  }
}

std::string thinking(Topic topic, const TourSession& session) {
  const std::string place =
      is_first(session) ? "A new session: I should say who I am. "
                        : "Question " + std::to_string(session.forgotten + session.turns.size()) +
                              " of this session. ";
  if (topic == Topic::Unknown)
    return place +
           "I look for one of my topics in it, and find none. 想一想… I say so, and offer what I "
           "have.";
  return place + "I look for one of my topics in it: it is about \"" +
         std::string(entry_of(topic).name) + "\". 想一想… Then I know what to show.";
}

Round main_part(Topic topic, const TourSession& session, const std::vector<ToolOutcome>& outcomes) {
  if (topic == Topic::Permission) return permission_round(session, outcomes);
  if (topic == Topic::Folder) return folder_round(session, outcomes);
  if (topic == Topic::Rounds) return rounds_round(session, outcomes);
  return {thinking(topic, session), greeting(session) + body(topic, session), std::nullopt};
}

}  // namespace

std::string open_question(std::string_view prompt) {
  for (const std::string_view marker : {kOpenPromptMarker, kChangedPromptMarker}) {
    const std::size_t found = prompt.rfind(marker);
    if (found != std::string_view::npos) prompt.remove_prefix(found + marker.size());
  }
  return with_lf(without_blank_edges(prompt));
}

Topic recognise(std::string_view question) {
  const std::string lower = lower_ascii(question);
  const auto words = words_of(lower);
  Topic best = Topic::Unknown;
  std::size_t best_score = 0;
  for (const TopicEntry& entry : topics()) {
    const std::size_t score = score_of(entry, lower, words);
    // Any other topic is more specific than a greeting.
    const bool better = score > best_score || (best == Topic::Welcome && score > 0);
    if (!better) continue;
    best = entry.topic;
    best_score = score;
  }
  return best;
}

std::string_view name_of(TourTool tool) {
  constexpr std::array<std::string_view, 4> kNames{
      "look at the clock", "count the words of the question", "count the questions of the session",
      "look at the folder"};
  return kNames.at(static_cast<std::size_t>(tool));
}

std::string count_words(const TourSession& session) {
  const std::string lower = lower_ascii(session.turns.back().question);
  const auto lines = static_cast<std::uint64_t>(std::count(lower.begin(), lower.end(), '\n')) + 1;
  return plural(words_of(lower).size(), "word", "words") + " in " + plural(lines, "line", "lines");
}

std::string count_questions(const TourSession& session) {
  return plural(session.forgotten + session.turns.size(), "question", "questions") + " so far";
}

Round compose(Topic topic, const TourSession& session, const std::vector<ToolOutcome>& outcomes) {
  assert(!session.turns.empty());
  Round round = main_part(topic, session, outcomes);
  if (round.tool) return round;
  if (is_first(session)) {
    if (!round.text.ends_with("\n\n")) round.text += "\n";
    round.text += welcome_card();
  }
  if (!round.text.ends_with("\n\n")) round.text += "\n";
  round.text += offers(session, topic);
  round.text.pop_back();
  return round;
}

}  // namespace agent_doc::plugins::tour
