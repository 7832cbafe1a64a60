#include "tests/simulation/person.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>
#include <vector>

namespace agent_doc::simulation {

namespace person_internal {

constexpr std::uint32_t kLongestDeletion = 12;
constexpr std::uint32_t kLongestPaste = 8;
constexpr std::size_t kShortLine = 6;

/// Where the newest reply and its frame stand, in bytes of the text; all zero without one.
struct Landmarks {
  std::size_t frame_begin = 0, reply_begin = 0, reply_end = 0, frame_end = 0;
};

Landmarks find_landmarks(const AuthoredText& text) {
  int newest = kNoRegion;
  for (const GlyphId id : text.visible()) newest = std::max(newest, text.glyph(id).region);
  Landmarks marks;
  if (newest == kNoRegion) return marks;
  bool any = false;
  for (std::size_t i = 0; i < text.visible().size(); ++i) {
    const Glyph& glyph = text.at(i);
    if (glyph.region != newest) continue;
    if (!any) marks = {i, i, i, i};
    any = true;
    marks.frame_end = i + 1;
    if (glyph.part == Part::Tail) continue;
    marks.reply_end = i + 1;
    if (glyph.part == Part::Head) marks.reply_begin = i + 1;
  }
  return marks;
}

}  // namespace person_internal

std::size_t Person::locate(const Step& step) const {
  const AuthoredText& content = client_.content();
  const std::string& text = content.text();
  const person_internal::Landmarks marks = person_internal::find_landmarks(content);
  const auto between = [&](std::size_t begin, std::size_t end) { return begin + step.where % (end - begin + 1); };
  switch (step.place) {
    case Place::Anywhere:
      return between(0, text.size());
    case Place::LineEnd:
      return std::min(text.find_first_of("\r\n", between(0, text.size())), text.size());
    case Place::AboveFrame:
      return between(0, marks.frame_begin);
    case Place::FrameBegin:
      return marks.frame_begin;
    case Place::InHead:
      return between(marks.frame_begin, marks.reply_begin);
    case Place::ReplyBegin:
      return marks.reply_begin;
    case Place::InReply:
      return between(marks.reply_begin, std::max(marks.reply_begin, marks.reply_end));
    case Place::ReplyEnd:
      return marks.reply_end;
    case Place::InTail:
      return between(std::min(marks.reply_end, marks.frame_end), marks.frame_end);
    case Place::FrameEnd:
      return marks.frame_end;
    case Place::Below:
      return between(marks.frame_end, text.size());
    case Place::DocumentEnd:
      return text.size();
    case Place::Cursor:
      return client_.cursor();
  }
  return 0;
}

/// The nearest place at or before `offset` where an editor can put its cursor.
std::size_t Person::snapped(std::size_t offset) const {
  const std::string& text = client_.text();
  offset = text::floor_boundary(text, std::min(offset, text.size()));
  const bool in_line_end = offset > 0 && offset < text.size() && text[offset - 1] == '\r' && text[offset] == '\n';
  return in_line_end && !setting_.splits_line_ends ? offset - 1 : offset;
}

void Person::write(std::size_t begin, std::size_t end, const std::string& text, Time now) {
  begin = snapped(begin);
  end = std::max(begin, snapped(end));
  if (begin == end && text.empty()) return;
  trace_.line(now, "person: [", begin, ", ", end, ") ", quoted(std::string_view(client_.text()).substr(begin, end - begin)), " -> ",
              quoted(text));
  client_.type({begin, end, text}, now);
  client_.move_cursor(begin + text.size());
}

void Person::act(const Step& step, Time now) {
  using person_internal::kLongestDeletion;
  using person_internal::kLongestPaste;
  switch (step.action) {
    case Action::Open:
      if (!client_.is_open()) trace_.line(now, "person: opens");
      client_.open();
      return;
    case Action::WriteElsewhere:
      if (client_.write_elsewhere(now)) trace_.line(now, "another program writes what it had read");
      return;
    default:
      break;
  }
  if (!client_.is_open()) return;
  const std::size_t at = locate(step);
  const std::size_t length = 1 + step.size % kLongestDeletion;
  switch (step.action) {
    case Action::Type:
      write(at, at, made_up_text(setting_, step.text, 1), now);
      return;
    case Action::TypeOn:
      write(client_.cursor(), client_.cursor(), made_up_text(setting_, step.text, 1), now);
      return;
    case Action::Backspace: {
      const std::size_t end = snapped(client_.cursor());
      if (end > 0) write(end - 1, end, {}, now);
      return;
    }
    case Action::Delete:
      write(at, at + length, {}, now);
      return;
    case Action::Overwrite:
      write(at, at + length, made_up_text(setting_, step.text, 2), now);
      return;
    case Action::Paste:
      write(at, at, made_up_text(setting_, step.text, kLongestPaste), now);
      return;
    case Action::Undo:
      if (client_.undo(now)) trace_.line(now, "person: undoes -> ", quoted(client_.text()));
      return;
    case Action::Redo:
      if (client_.redo(now)) trace_.line(now, "person: redoes -> ", quoted(client_.text()));
      return;
    case Action::Reformat:
      reformat(step, now);
      return;
    case Action::Save:
      trace_.line(now, "person: saves");
      client_.save();
      return;
    case Action::Close:
      trace_.line(now, "person: closes");
      if (step.where % 2 == 0) client_.save();
      client_.close();
      return;
    case Action::ReadElsewhere:
      trace_.line(now, "another program reads");
      client_.read_elsewhere();
      return;
    default:
      return;
  }
}

/// Indents, or strips the last letter of, some lines of prose. Of short lines, which are much alike, nobody could tell then which became which.
void Person::reformat(const Step& step, Time now) {
  using person_internal::kShortLine;
  const std::string& text = client_.text();
  std::vector<text::Edit> edits;  // from the last line to the first, so none moves another
  for (std::size_t end = text.size(), line = 0;; ++line) {
    const std::size_t before = end == 0 ? std::string::npos : text.find_last_of("\r\n", end - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const bool is_prose = end > begin && text[begin] != '#' && text[begin] != '-';
    const std::uint32_t choice = is_prose ? (step.size >> (line % 16U)) % 4 : 0;
    const bool strips = end - begin > kShortLine && static_cast<unsigned char>(text[end - 1]) < 0x80;
    if (choice == 1) edits.push_back({begin, begin, "  "});
    if (choice == 2 && strips) edits.push_back({end - 1, end, {}});
    if (before == std::string::npos) break;
    end = before > 0 && text[before] == '\n' && text[before - 1] == '\r' ? before - 1 : before;
  }
  trace_.line(now, "person: reformats, ", edits.size(), " lines");
  client_.reformat(edits, now);
}

}  // namespace agent_doc::simulation
