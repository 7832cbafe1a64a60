// Days of a template document, made up by a generator: a reply that streams into several components
// at once, cut anywhere, and a person who types in all of them, beside edits that are under way.
// The judge: without what the person typed, the document is that of the same reply on a quiet day.
#include "tests/unit/random_text.hpp"
#include "tests/unit/session_test.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace session_component_days_test {

using namespace agent_doc;
using namespace agent_doc::session_test;
using test::RandomText;

// Around a word that the person types; they occur nowhere else.
constexpr std::string_view kTokenBegin = "\u27E6";
constexpr std::string_view kTokenEnd = "\u27E7";

/// What happens, in order. A piece of the reply, or one of the agent's tools.
struct Happening {
  enum class Kind { Says, UsesTool } kind = Kind::Says;
  std::string text;
};

struct Day {
  std::string document;
  std::vector<Happening> happenings;
};

std::string component(RandomText& dice, const std::string& name, const std::string& attributes,
                      const std::string& line_end) {
  const std::string open = "<!-- agent:" + name + attributes + " -->";
  const std::string close = "<!-- /agent:" + name + " -->";
  switch (dice.below(5)) {
    case 0:
      return open + line_end + close + line_end;
    case 1:
      return open + close + line_end;
    case 2:
      return open + line_end + "one" + line_end + "two" + line_end + close + line_end;
    case 3:
      return open + line_end + line_end + "one" + line_end + line_end + close + line_end;
    default:
      return open + "one" + close + line_end;
  }
}

std::string made_up_document(RandomText& dice) {
  const std::string nl = dice.one_in(4) ? "\r\n" : "\n";
  const std::string boundary = dice.one_in(3) ? "<!-- agent:boundary:1a2b -->" + nl : "";
  std::vector<std::string> parts = {
      component(dice, "status", dice.one_in(2) ? "" : " patch=replace", nl),
      component(dice, "log", " patch=append", nl),
      component(dice, "todo", " patch=prepend", nl),
      "<!-- agent:exchange -->" + nl + (dice.one_in(2) ? "## User" + nl + nl : "") + "Begin." + nl +
          boundary + "<!-- /agent:exchange -->" + nl,
  };
  for (std::size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[dice.below(i)]);
  std::string text = "---" + nl + "agent_doc_session: uuid-2" + nl + "agent: claude" + nl + "---" +
                     nl + "# Work" + nl + nl;
  for (const std::string& part : parts) text += part + (dice.one_in(3) ? "" : nl);
  return text;
}

std::string words(RandomText& dice) {
  static const std::vector<std::string_view> kWords = {
      "the ", "reply ",   "goes ",  "on",          ". ",     "\n",
      "\n",   "- item\n", "\u4E2D", "\U0001F600 ", "**b** ", "x"};
  std::string text;
  for (std::size_t left = 1 + dice.below(12); left > 0; --left) text += dice.pick(kWords);
  return text;
}

std::string made_up_reply(RandomText& dice) {
  static const std::vector<std::string_view> kNames = {"status", "log",      "todo",
                                                       "status", "exchange", "nowhere"};
  std::string reply = words(dice);
  for (std::size_t blocks = dice.below(5); blocks > 0; --blocks) {
    const std::string word =
        (dice.one_in(4) ? "replace:" : "patch:") + std::string(dice.pick(kNames));
    if (!reply.ends_with('\n')) reply += '\n';
    reply += "<!-- " + word + " -->\n" + (dice.one_in(8) ? "" : words(dice));
    if (!reply.ends_with('\n')) reply += '\n';
    reply += "<!-- /" + word + " -->\n" + (dice.one_in(2) ? words(dice) : "");
  }
  return reply;
}

Day made_up_day(RandomText& dice) {
  Day day;
  day.document = made_up_document(dice);
  for (std::size_t messages = dice.one_in(4) ? 2 : 1; messages > 0; --messages) {
    const std::string reply = made_up_reply(dice);
    for (std::size_t at = 0; at < reply.size();) {
      const std::size_t longest = dice.one_in(3) ? 40 : 6;
      const std::size_t end =
          text::ceil_boundary(reply, std::min(reply.size(), at + 1 + dice.below(longest)));
      day.happenings.push_back({Happening::Kind::Says, reply.substr(at, end - at)});
      at = end;
    }
    if (messages == 1) day.happenings.push_back({Happening::Kind::Says, "\nEnd."});
    if (messages == 2) day.happenings.push_back({Happening::Kind::UsesTool, {}});
  }
  return day;
}

void happen(SessionWorld& world, const Happening& happening) {
  if (happening.kind == Happening::Kind::UsesTool) {
    world.say_tool("t1");
    world.say_message_start("m2");
    return;
  }
  std::string escaped;
  for (const char c : happening.text) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  world.say_text(escaped);
}

/// Lets the time go to the next timer, if there is one within a second.
void let_time_pass(SessionWorld& world) {
  const auto due = world.session.next_wakeup();
  if (!due || *due > world.clock + std::chrono::seconds{1}) return;
  world.clock = std::max(world.clock, *due);
  world.session.wake();
}

/// Whether a person may type at `at` without taking a marker, a heading or the front matter apart.
bool may_type(const std::string& text, std::size_t body, std::size_t at) {
  if (at < body) return false;
  if (at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n') return false;
  const std::size_t word = text.rfind(kTokenBegin, at > 0 ? at - 1 : 0);
  if (word != std::string::npos && at < text.find(kTokenEnd, word) + kTokenEnd.size()) return false;
  const std::size_t marker = text.rfind("<!--", at > 0 ? at - 1 : 0);
  if (marker != std::string::npos && marker < at) {
    const std::size_t end = text.find("-->", marker);
    if (end == std::string::npos || at < end + 3) return false;
  }
  const std::size_t line = at == 0 ? 0 : text.find_last_of("\r\n", at - 1) + 1;
  return text.compare(line, 2, "##") != 0;
}

/// The person takes one of these words out again.
void take_back(SessionWorld& world, RandomText& dice, std::vector<std::string>& typed) {
  if (typed.empty()) return;
  std::string& word = typed[dice.below(typed.size())];
  const std::size_t at = word.empty() ? std::string::npos : world.editor.text().find(word);
  if (at == std::string::npos) return;
  world.type(at, at + word.size(), "");
  word.clear();
}

/// The person types a word that is like no other, somewhere.
void type_somewhere(SessionWorld& world, RandomText& dice, std::vector<std::string>& typed) {
  const std::string& text = world.editor.text();
  const std::size_t body = text.find("# Work");
  const std::size_t at = dice.boundary(text);
  if (!may_type(text, body, at)) return;
  typed.push_back(std::string(kTokenBegin) + std::to_string(typed.size()) +
                  (dice.one_in(6) ? "\n" : "") + std::string(kTokenEnd));
  world.type(at, at, typed.back());
}

std::string without_typed(std::string text) {
  for (std::size_t at = text.find(kTokenBegin); at != std::string::npos;
       at = text.find(kTokenBegin)) {
    const std::size_t end = text.find(kTokenEnd, at);
    if (end == std::string::npos) return "an end is missing: " + text;
    text.erase(at, end + kTokenEnd.size() - at);
  }
  return text;
}

std::string without_line_ends(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  return text;
}

std::string document_after_quiet_day(const Day& day) {
  SessionWorld world(day.document);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  for (const Happening& happening : day.happenings) happen(world, happening);
  world.say_result("s-1");
  world.run_until_quiet();
  REQUIRE(world.views.back().reply_landed);
  return world.editor.text();
}

std::string failure_of_busy_day(const Day& day, const std::string& quiet, RandomText& dice) {
  SessionWorld world(day.document);
  world.tells = fakes::Tells::Ranges;
  if (!std::holds_alternative<std::string>(world.session.run({}))) return "it does not run";
  world.say_session("s-1");
  world.say_message_start("m1");
  std::vector<std::string> typed;
  for (const Happening& happening : day.happenings) {
    for (std::size_t i = dice.below(4); i > 0; --i) {
      if (dice.one_in(3)) type_somewhere(world, dice, typed);
      if (dice.one_in(20)) take_back(world, dice, typed);
      if (dice.one_in(2)) world.step();
      if (dice.one_in(2)) let_time_pass(world);
    }
    happen(world, happening);
  }
  world.say_result("s-1");
  if (dice.one_in(2)) type_somewhere(world, dice, typed);
  world.run_until_quiet(std::chrono::seconds{20});
  const std::string& text = world.editor.text();
  for (const std::string& word : typed) {
    if (word.empty()) continue;
    const std::size_t at = text.find(word);
    if (at == std::string::npos || text.find(word, at + 1) != std::string::npos)
      return "typed once, and not there once: " + word + "\n" + text;
  }
  if (!world.views.back().reply_landed) return "not all of it has landed:\n" + text;
  // Where a person types in the line of a marker, the text of the agent begins a line of its own.
  const std::string rest = without_line_ends(without_typed(text));
  if (rest != without_line_ends(quiet)) return "not what it is on a quiet day:\n" + text;
  return {};
}

TEST_CASE("components: days of typing beside a reply in several of them") {
  const char* wanted = std::getenv("AGENT_DOC_COMPONENT_DAYS");
  const char* first = std::getenv("AGENT_DOC_COMPONENT_DAYS_FROM");
  const auto days = static_cast<std::uint32_t>(wanted != nullptr ? std::atoi(wanted) : 400);
  const auto from = static_cast<std::uint32_t>(first != nullptr ? std::atoi(first) : 1);
  int failures = 0;
  for (std::uint32_t seed = from; seed < from + days && failures < 5; ++seed) {
    RandomText dice(seed);
    const Day day = made_up_day(dice);
    const std::string quiet = document_after_quiet_day(day);
    const std::string failure = failure_of_busy_day(day, quiet, dice);
    if (failure.empty()) continue;
    ++failures;
    FAIL_CHECK("seed " << seed << ": " << failure << "\n== on a quiet day:\n" << quiet);
  }
}

}  // namespace session_component_days_test
