// What it is: everything that will be done in a run, written down before it starts, so that a
// failing run can be told, replayed and made shorter.
// What it is not: it knows no text: places and sizes are numbers that mean something only when the
// step is taken, so any steps can be left out.
// Thread rule: plain values, pure functions.
#pragma once

#include "server/sync/region.hpp"
#include "tests/simulation/client_models.hpp"
#include "tests/simulation/dice.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace agent_doc::simulation {

enum class Action {
  // the person
  Type,    ///< at a place, which becomes the cursor's
  TypeOn,  ///< at the cursor
  Backspace,
  Delete,
  Overwrite,  ///< replaces a selection
  Paste,
  Undo,
  Redo,
  CutBlock,        ///< the newest reply with its heading
  PasteBlock,      ///< it, at a place
  TrimAndSave,     ///< white space at the ends of lines goes when the text is saved
  TidyBlankLines,  ///< of line ends that stand together some go
  Reformat,        ///< several lines at once, told as one replacement of everything
  Save,
  Close,
  Open,
  ReadElsewhere,
  WriteElsewhere,
  // the agent and the session
  OpenRegion,
  Append,
  ReplaceFrom,
  Finish,
  Retract,
  Propose,
  Continue,  ///< the person's command after "paused" or "detached"
  // misfortunes
  Freeze,   ///< the client does nothing for a while
  Restart,  ///< the server is gone and comes again
};

enum class Place {
  Anywhere,
  LineEnd,
  AboveFrame,
  FrameBegin,
  InHead,
  ReplyBegin,
  InReply,
  ReplyEnd,
  InTail,
  FrameEnd,
  Below,
  DocumentEnd,
  Cursor,
};

struct Step {
  Time at = 0;
  Action action = Action::Type;
  Place place = Place::Anywhere;
  std::uint32_t where = 0;  ///< which of the offsets that `place` allows
  std::uint32_t size = 0;
  std::uint64_t text = 0;  ///< seed of what is written
};

enum class Alphabet { OneLetter, TwoLetters, LettersAndLines, Scripts, Words };
enum class DocumentKind { Empty, Plain, FrontMatter, Scripts, EqualLines };
enum class FrameKind { Heading, Short };

struct Setting {
  Alphabet alphabet = Alphabet::Words;
  DocumentKind document = DocumentKind::Plain;
  FrameKind frame = FrameKind::Heading;
  std::string line_end = "\n";
  std::uint32_t slowest_message = 30;
  bool splits_line_ends = false;  ///< the person's programs know no "\r\n"
};

struct Script {
  std::uint64_t seed = 0;
  Setting setting;
  std::vector<Step> steps;
};

Script write_script(std::uint64_t seed, const ClientModel& model);
std::string first_text(const Setting& setting);
sync::Frame frame_of(const Setting& setting, int region);
/// 1 to `pieces` pieces of the setting's alphabet.
std::string made_up_text(const Setting& setting, std::uint64_t seed, std::uint32_t pieces);

/// `script` without as many steps as possible, so that `fails` still says so. Calls it at most
/// `tries` times.
Script shrunk(Script script, const std::function<bool(const Script&)>& fails, int tries);

std::string name_of(Action action);
std::string name_of(Place place);
std::string describe(const Script& script);

}  // namespace agent_doc::simulation
