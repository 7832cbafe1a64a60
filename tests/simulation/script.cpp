#include "tests/simulation/script.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace agent_doc::simulation {

namespace script_internal {

constexpr std::size_t kPlaces = 13;
constexpr std::array<std::string_view, kPlaces> kPlaceNames = {
    "anywhere",    "line end",     "above the frame", "frame begin", "in the head",
    "reply begin", "in the reply", "reply end",       "in the tail", "frame end",
    "below",       "document end", "cursor"};
constexpr std::array<std::string_view, 27> kActionNames = {"types",           "types on",
                                                           "backspaces",      "deletes",
                                                           "overwrites",      "pastes",
                                                           "undoes",          "redoes",
                                                           "cuts the reply",  "pastes the reply",
                                                           "trims and saves", "tidies blank lines",
                                                           "reformats",       "saves",
                                                           "closes",          "opens",
                                                           "reads elsewhere", "writes elsewhere",
                                                           "region opens",    "agent appends",
                                                           "agent replaces",  "agent finishes",
                                                           "agent retracts",  "proposal",
                                                           "continue",        "client freezes",
                                                           "server restarts"};

using text::PositionEncoding;

struct Weighted {
  Action action;
  std::uint32_t weight;
};

template <std::size_t N>
Action pick(Dice& dice, const std::array<Weighted, N>& choices) {
  std::uint32_t sum = 0;
  for (const Weighted& choice : choices) sum += choice.weight;
  std::uint32_t left = dice.below(sum);
  for (const Weighted& choice : choices) {
    if (left < choice.weight) return choice.action;
    left -= choice.weight;
  }
  return choices.front().action;
}

Place pick_place(Dice& dice) {
  // The places where something can go wrong are at the reply's ends.
  constexpr std::array kOften = {Place::ReplyEnd, Place::InReply, Place::ReplyBegin,
                                 Place::FrameEnd, Place::Below,   Place::AboveFrame};
  if (dice.one_in(2)) return kOften[dice.below(kOften.size())];
  return static_cast<Place>(dice.below(kPlaces));
}

Setting make_setting(Dice& dice, const ClientModel& model) {
  Setting setting;
  setting.alphabet = static_cast<Alphabet>(dice.below(5));
  // A client that tells only sums of changes leaves open which of many equal letters went: nothing
  // can be demanded there.
  const bool tells_wholes =
      model.shape == ChangeShape::WholeText || model.shape == ChangeShape::OneRange;
  const bool tells_sums = tells_wholes && model.reports != Reports::AtOnce;
  if (tells_sums) setting.alphabet = dice.one_in(2) ? Alphabet::Scripts : Alphabet::Words;
  // Nor where a client says that it did what it did not do, or does it beside what it has not told:
  // what the person types may then be just that.
  const bool is_doubtful = model.stale == StaleAnswer::ClaimsApplied ||
                           model.versions == Versions::CountReports ||
                           model.makes == Makes::AfterItsAnswer;
  if (is_doubtful && setting.alphabet < Alphabet::LettersAndLines)
    setting.alphabet = Alphabet::Words;
  setting.document = static_cast<DocumentKind>(dice.below(5));
  setting.frame = dice.one_in(4) ? FrameKind::Short : FrameKind::Heading;
  // Where changes are told as one, a frame of a few letters cannot be told from what is typed
  // around it.
  if (model.shape == ChangeShape::OneRange) setting.frame = FrameKind::Heading;
  setting.line_end = dice.one_in(4) ? "\r\n" : "\n";
  if (model.inserts != Inserts::AsSent)
    setting.line_end = model.inserts == Inserts::WithLf ? "\r\n" : "\n";
  setting.slowest_message = std::array{3U, 30U, 30U, 200U}[dice.below(4)];
  // What is told later than kEchoPatience after the answer may be written again.
  if (model.makes == Makes::AfterItsAnswer)
    setting.slowest_message = std::min(setting.slowest_message, 30U);
  setting.splits_line_ends = model.shape == ChangeShape::Diffed && dice.one_in(2);
  return setting;
}

Step make_step(Dice& dice, Time at, Action action) {
  Step step;
  step.at = at;
  step.action = action;
  step.place = pick_place(dice);
  step.where = static_cast<std::uint32_t>(dice.roll());
  step.size = static_cast<std::uint32_t>(dice.roll());
  step.text = dice.roll();
  return step;
}

/// How the person spends the run.
void add_person(Dice& dice, Time end, const ClientModel& model, std::vector<Step>& steps) {
  const bool is_file = model.shape == ChangeShape::Diffed;
  // A block that is cut before it was told, and pasted elsewhere, takes the place of an edit with
  // it that is applied meanwhile.
  const bool moves_blocks =
      model.versions != Versions::CountReports && model.makes == Makes::BeforeItsAnswer;
  // Where line ends are mixed, half of one would go.
  const bool tidies = model.inserts == Inserts::AsSent;
  const std::array<Weighted, 16> choices = {{{Action::Type, 12},
                                             {Action::Backspace, 2},
                                             {Action::Delete, 4},
                                             {Action::Overwrite, 2},
                                             {Action::Paste, 2},
                                             {Action::Undo, 4},
                                             {Action::Redo, 3},
                                             {Action::CutBlock, moves_blocks ? 2U : 0U},
                                             {Action::TrimAndSave, 2},
                                             {Action::TidyBlankLines, tidies ? 2U : 0U},
                                             {Action::Reformat, 1},
                                             {Action::Save, 1},
                                             {Action::Close, is_file ? 0U : 2U},
                                             {Action::ReadElsewhere, is_file ? 3U : 0U},
                                             {Action::WriteElsewhere, is_file ? 3U : 0U},
                                             {Action::Continue, 2}}};
  const bool busy = !dice.one_in(4);
  Time at = dice.below(400);
  while (at < end) {
    Step step = make_step(dice, at, pick(dice, choices));
    steps.push_back(step);
    if (step.action == Action::Close)
      steps.push_back(make_step(dice, at + dice.below(500), Action::Open));
    const bool pastes = step.action == Action::CutBlock && !dice.one_in(5);
    if (pastes) steps.push_back(make_step(dice, at + dice.below(600), Action::PasteBlock));
    if (step.action == Action::Type) {
      for (std::uint32_t keys = dice.below(6); keys > 0; --keys) {
        at += dice.between(15, 120);
        steps.push_back(make_step(dice, at, Action::TypeOn));
      }
    }
    at += busy ? dice.between(10, 200) : dice.between(200, 1500);
  }
}

void add_agent(Dice& dice, Time end, std::vector<Step>& steps) {
  Time at = dice.below(200);
  while (at < end) {
    if (dice.one_in(3)) steps.push_back(make_step(dice, at, Action::Propose));
    steps.push_back(make_step(dice, at + dice.below(50), Action::OpenRegion));
    if (dice.one_in(8)) {
      steps.push_back(make_step(dice, at + dice.below(200), Action::Retract));
    }
    const std::uint32_t replaces_one_in = dice.one_in(2) ? 4 : 40;
    for (std::uint32_t chunks = dice.between(2, 14); chunks > 0; --chunks) {
      at += dice.one_in(6) ? dice.between(200, 800) : dice.between(5, 90);
      steps.push_back(
          make_step(dice, at, dice.one_in(replaces_one_in) ? Action::ReplaceFrom : Action::Append));
      if (dice.one_in(12)) steps.push_back(make_step(dice, at + 1, Action::OpenRegion));
      if (dice.one_in(20)) steps.push_back(make_step(dice, at + dice.below(9), Action::Propose));
    }
    at += dice.below(300);
    steps.push_back(make_step(dice, at, Action::Finish));
    if (dice.one_in(4)) steps.push_back(make_step(dice, at + 5, Action::Propose));
    at += dice.between(50, 900);
  }
}

std::string prompt(const std::string& nl) {
  return "## User" + nl + nl + "ask" + nl;
}

}  // namespace script_internal

Script write_script(std::uint64_t seed, const ClientModel& model) {
  Dice dice(seed);
  Script script;
  script.seed = seed;
  script.setting = script_internal::make_setting(dice, model);
  const Time end = dice.between(600, 3000);
  script_internal::add_agent(dice, end, script.steps);
  script_internal::add_person(dice, end, model, script.steps);
  if (dice.one_in(12))
    script.steps.push_back(script_internal::make_step(
        dice, dice.below(static_cast<std::uint32_t>(end)), Action::Restart));
  if (dice.one_in(12) && model.makes == Makes::BeforeItsAnswer)
    script.steps.push_back(script_internal::make_step(
        dice, dice.below(static_cast<std::uint32_t>(end)), Action::Freeze));
  std::stable_sort(script.steps.begin(), script.steps.end(),
                   [](const Step& a, const Step& b) { return a.at < b.at; });
  return script;
}

std::string first_text(const Setting& setting) {
  const std::string& nl = setting.line_end;
  switch (setting.document) {
    case DocumentKind::Empty:
      return {};
    case DocumentKind::Plain:
      return "# Notes" + nl + nl + "- one" + nl + "- two" + nl + nl + script_internal::prompt(nl);
    case DocumentKind::FrontMatter:
      return "---" + nl + "agent: tour" + nl + "session: old" + nl + "---" + nl + nl +
             script_internal::prompt(nl);
    case DocumentKind::Scripts:
      return "# \u00C5ngstr\u00F6m \u4E2D\u6587" + nl +
             "\U0001F600 e\u0301 \U0001F468\u200D\U0001F469" + nl + script_internal::prompt(nl) +
             "\U0001F600";
    case DocumentKind::EqualLines:
      return "a" + nl + "a" + nl + nl + "a" + nl + nl + "a" + nl + "a";
  }
  return {};
}

sync::Frame frame_of(const Setting& setting, int region) {
  const std::string& nl = setting.line_end;
  const std::string name = "A" + std::to_string(region);
  if (setting.frame == FrameKind::Short) return {"## " + name + nl, nl};
  return {nl + nl + "## Agent " + name + nl + nl, nl + nl + "## User" + nl + nl};
}

std::string made_up_text(const Setting& setting, std::uint64_t seed, std::uint32_t pieces) {
  static const std::vector<std::vector<std::string_view>> kAlphabets = {
      {"a"},
      {"a", "b"},
      {"a", "b", "a", "\n"},
      {"a", "\u00E9", "\u4E2D", "\U0001F600", "\U0001F468\u200D\U0001F469", "e\u0301", "\n"},
      {"the ", "reply ", "goes ", "on ", "x", "y", "z", "1", "2", ". ", "- item\n", "\n", "**b** "},
  };
  Dice dice(seed);
  const auto& alphabet = kAlphabets[static_cast<std::size_t>(setting.alphabet)];
  std::string text;
  for (std::uint32_t left = dice.between(1, pieces); left > 0; --left) {
    const std::string_view piece =
        alphabet[dice.below(static_cast<std::uint32_t>(alphabet.size()))];
    text += piece.substr(0, piece.find('\n'));
    if (piece.back() == '\n') text += setting.line_end;
  }
  return text;
}

Script shrunk(Script script, const std::function<bool(const Script&)>& fails, int tries) {
  for (std::size_t chunk = script.steps.size() / 2; chunk > 0 && tries > 0;) {
    bool shorter = false;
    for (std::size_t at = 0; at < script.steps.size() && tries > 0; --tries) {
      Script candidate = script;
      const auto begin = candidate.steps.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = candidate.steps.begin() +
                       static_cast<std::ptrdiff_t>(std::min(at + chunk, candidate.steps.size()));
      candidate.steps.erase(begin, end);
      if (fails(candidate)) {
        script = std::move(candidate);
        shorter = true;
      } else {
        at += chunk;
      }
    }
    if (!shorter) chunk /= 2;
  }
  return script;
}

std::string name_of(Action action) {
  return std::string(script_internal::kActionNames[static_cast<std::size_t>(action)]);
}

std::string name_of(Place place) {
  return std::string(script_internal::kPlaceNames[static_cast<std::size_t>(place)]);
}

std::string describe(const Script& script) {
  std::ostringstream out;
  out << "alphabet " << static_cast<int>(script.setting.alphabet) << ", document "
      << static_cast<int>(script.setting.document) << ", frame "
      << static_cast<int>(script.setting.frame)
      << (script.setting.line_end == "\n" ? ", lf" : ", crlf") << ", messages take up to "
      << script.setting.slowest_message << " ms\n";
  for (const Step& step : script.steps)
    out << "  " << step.at << " ms: " << name_of(step.action) << " (" << name_of(step.place)
        << ")\n";
  return out.str();
}

}  // namespace agent_doc::simulation
