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
    if (glyph.part == Part::Tail || glyph.part == Part::LineEnds) continue;
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
  const auto between = [&](std::size_t begin, std::size_t end) {
    return begin + step.where % (end - begin + 1);
  };
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
  const bool in_line_end =
      offset > 0 && offset < text.size() && text[offset - 1] == '\r' && text[offset] == '\n';
  return in_line_end && !setting_.splits_line_ends ? offset - 1 : offset;
}

void Person::write(std::size_t begin, std::size_t end, const std::string& text, Time now) {
  begin = snapped(begin);
  end = std::max(begin, snapped(end));
  if (begin == end && text.empty()) return;
  trace_.line(now, "person: [", begin, ", ", end, ") ",
              Shown{std::string_view(client_.text()).substr(begin, end - begin)}, " -> ",
              Shown{text});
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
      if (client_.undo(now)) trace_.line(now, "person: undoes -> ", Shown{client_.text()});
      return;
    case Action::Redo:
      if (client_.redo(now)) trace_.line(now, "person: redoes -> ", Shown{client_.text()});
      return;
    case Action::CutBlock:
      cut_block(step, now);
      return;
    case Action::PasteBlock:
      if (client_.paste(snapped(at), now))
        trace_.line(now, "person: pastes the reply at ", snapped(at), " -> ",
                    quoted(client_.text()));
      return;
    case Action::TrimAndSave:
      trim_and_save(now);
      return;
    case Action::TidyBlankLines:
      tidy_blank_lines(step, now);
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

/// From its heading on to its end, or with what the frame has around both.
void Person::cut_block(const Step& step, Time now) {
  const AuthoredText& content = client_.content();
  const person_internal::Landmarks marks = person_internal::find_landmarks(content);
  const std::string& text = content.text();
  std::size_t begin = marks.frame_begin;
  while (begin < marks.reply_begin && (text[begin] == '\r' || text[begin] == '\n')) ++begin;
  if (begin >= marks.reply_begin || content.at(begin).byte != '#') return;
  const bool all = step.size % 2 == 0;
  if (!client_.cut(all ? marks.frame_begin : begin, all ? marks.frame_end : marks.reply_end, now))
    return;
  trace_.line(now, "person: cuts the reply -> ", quoted(text));
}

void Person::trim_and_save(Time now) {
  const std::string& text = client_.text();
  std::vector<text::Edit> edits;  // from the last line to the first, so none moves another
  for (std::size_t end = text.size();;) {
    std::size_t begin = end;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    if (begin < end) edits.push_back({begin, end, {}});
    const std::size_t before =
        begin == 0 ? std::string::npos : text.find_last_of("\r\n", begin - 1);
    if (before == std::string::npos) break;
    end = before;
  }
  trace_.line(now, "person: saves, ", edits.size(), " lines are trimmed");
  client_.tidy(edits, now);
  client_.save();
}

/// As formatters do, and people: of more line ends than one some stay, mostly one or two. Of a
/// heading that is joined with other lines a diff cannot tell what became of it.
void Person::tidy_blank_lines(const Step& step, Time now) {
  const std::string& text = client_.text();
  const std::string& line_end = setting_.line_end;
  const ChangeShape shape = client_.model().shape;
  const bool is_told_as_made = shape == ChangeShape::Exact || shape == ChangeShape::ChangedLines;
  const std::size_t kept = step.size % 5 == 0 && is_told_as_made ? 0 : 1 + step.size % 2;
  std::vector<text::Edit> edits;
  for (std::size_t at = text.find(line_end), run = 0; at != std::string::npos;
       at = text.find(line_end, at), ++run) {
    const std::size_t begin = at;
    while (text.compare(at, line_end.size(), line_end) == 0) at += line_end.size();
    const std::size_t length = at - begin;
    const std::size_t keep = kept * line_end.size();
    if (length <= line_end.size() || length <= keep || (step.where >> (run % 16U)) % 2 == 0)
      continue;
    const bool from_begin = (step.text >> (run % 16U)) % 2 == 0;
    const std::size_t first = from_begin ? begin : begin + keep;
    edits.insert(edits.begin(), text::Edit{first, first + length - keep, {}});
  }
  trace_.line(now, "person: tidies ", edits.size(), " runs of blank lines");
  client_.tidy(edits, now);
}

/// Indents, or strips the last letter of, some lines of prose. Of short lines, which are much
/// alike, nobody could tell then which became which.
void Person::reformat(const Step& step, Time now) {
  using person_internal::kShortLine;
  const std::string& text = client_.text();
  std::vector<text::Edit> edits;  // from the last line to the first, so none moves another
  for (std::size_t end = text.size(), line = 0;; ++line) {
    const std::size_t before = end == 0 ? std::string::npos : text.find_last_of("\r\n", end - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const bool is_prose = end > begin && text[begin] != '#' && text[begin] != '-';
    const std::uint32_t choice = is_prose ? (step.size >> (line % 16U)) % 4 : 0;
    const bool strips =
        end - begin > kShortLine && static_cast<unsigned char>(text[end - 1]) < 0x80;
    if (choice == 1) edits.push_back({begin, begin, "  "});
    if (choice == 2 && strips) edits.push_back({end - 1, end, {}});
    if (before == std::string::npos) break;
    end = before > 0 && text[before] == '\n' && text[before - 1] == '\r' ? before - 1 : before;
  }
  trace_.line(now, "person: reformats, ", edits.size(), " lines");
  client_.reformat(edits, now);
}

}  // namespace agent_doc::simulation
