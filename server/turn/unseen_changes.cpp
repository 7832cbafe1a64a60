#include "server/turn/unseen_changes.hpp"

#include "server/text/edit.hpp"
#include "server/text/unified_diff.hpp"
#include "server/turn/comments.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::turn {
namespace {

/// The offset at which each of the first `count` lines of a text begins, and the next one.
std::vector<std::size_t> starts_of_lines(std::string_view text, std::size_t count) {
  std::vector<std::size_t> starts{0};
  starts.reserve(count + 1);
  while (starts.size() <= count) starts.push_back(text.find('\n', starts.back()) + 1);
  return starts;
}

bool begins_line(std::string_view text, std::size_t at) {
  return at == 0 || text[at - 1] == '\n';
}

}  // namespace

/// What an agent sees of some turns that follow each other.
class UnseenChanges::Reading {
 public:
  /// From section `first` on.
  Reading(std::string_view above, std::vector<Section>& sections, std::size_t first, Tidier tidier)
      : above_(above), sections_(sections), first_(first), end_(first), tidier_(tidier) {}

  /// Reads the next section.
  void read() {
    Section& section = sections_[end_];
    const std::size_t section_end =
        end_ + 1 < sections_.size() ? sections_[end_ + 1].begin : above_.size();
    const WithoutComments piece =
        traced_without_comments(above_.substr(section.begin, section_end - section.begin));
    const std::size_t seen = seen_.size();
    const std::size_t lines = sources_.size();
    section.at_begin = tidier_;
    tidier_.add(piece.text, seen_, &sources_);
    section.seen_size = seen_.size() - seen;
    for (std::size_t line = lines; line < sources_.size(); ++line)
      trace(sources_[line], piece, section);
    ++end_;
  }
  bool goes_on_like(const Tidier& other) const {
    return tidier_.goes_on_like(other, above_.substr(sections_[end_].begin));
  }

  std::size_t first() const { return first_; }
  std::size_t end() const { return end_; }
  const Tidier& tidier() const { return tidier_; }
  std::string_view seen() const { return seen_; }
  std::size_t size_of(std::size_t section) const { return sections_[section].seen_size; }
  /// Returns where `line` of seen() stands, or what follows all of them.
  LineSource source_of(std::size_t line) const {
    if (line < sources_.size()) return sources_[line];
    const std::size_t next = end_ < sections_.size() ? sections_[end_].begin : above_.size();
    return {next, next};
  }

 private:
  static void trace(LineSource& source, const WithoutComments& piece, const Section& section) {
    const bool is_empty = source.end == source.begin;
    const std::size_t begin = section.begin + piece.source_of(source.begin);
    source = {begin, is_empty ? begin : section.begin + piece.source_of(source.end - 1) + 1};
  }

  std::string_view above_;
  std::vector<Section>& sections_;
  std::size_t first_;
  std::size_t end_;
  Tidier tidier_;
  std::string seen_;
  std::vector<LineSource> sources_;
};

void UnseenChanges::begin(std::string earlier) {
  *this = UnseenChanges();
  earlier_ = std::move(earlier);
}

/// `same`: so many bytes at the beginning of both texts are equal.
UnseenChanges::Equal UnseenChanges::equal_at_front(const std::vector<Section>& next,
                                                   std::string_view above, std::size_t same) const {
  Equal equal;
  while (equal.sections < std::min(front_.sections, next.size())) {
    const std::size_t after = equal.sections + 1;
    const std::size_t end = after < sections_.size() ? sections_[after].begin : text_.size();
    const std::size_t next_end = after < next.size() ? next[after].begin : above.size();
    if (end > same || next_end != end) break;
    equal.bytes += sections_[equal.sections].seen_size;
    ++equal.sections;
  }
  return equal;
}

/// `same`: so many bytes at the end of both texts are equal. `front`: so many turns are taken.
UnseenChanges::Equal UnseenChanges::equal_at_back(const std::vector<Section>& next,
                                                  std::string_view above, std::size_t same,
                                                  std::size_t front) const {
  Equal equal;
  while (equal.sections < std::min(back_.sections, next.size() - front)) {
    const Section& old = sections_[sections_.size() - 1 - equal.sections];
    const std::size_t size = text_.size() - old.begin;
    if (size > same || above.size() - next[next.size() - 1 - equal.sections].begin != size) break;
    equal.bytes += old.seen_size;
    ++equal.sections;
  }
  return equal;
}

void UnseenChanges::look(std::string_view above, const std::vector<std::size_t>& turns) {
  const std::size_t head = text::common_prefix(text_, above);
  if (!sections_.empty() && head == above.size() && head == text_.size()) return;
  const std::size_t tail =
      text::common_suffix(std::string_view(text_).substr(head), above.substr(head));
  std::vector<Section> next{Section{}};
  for (const std::size_t turn : turns) {
    if (turn > next.back().begin && turn < above.size()) next.push_back({turn, 0, {}});
  }
  front_ = equal_at_front(next, above, head);
  back_ = equal_at_back(next, above, tail, front_.sections);
  for (std::size_t at = 0; at < front_.sections; ++at) take_over(sections_[at], next[at]);
  Reading reading(above, next, front_.sections, tidier_behind_front());
  read_what_differs(reading, next.size());
  for (std::size_t left = back_.sections; left > 0; --left)
    take_over(from_end(left), next[next.size() - left]);
  if (back_.sections == 0) at_end_ = reading.tidier();
  find_places(reading);
  note_what_is_equal(reading);
  text_.replace(head, text_.size() - head - tail, above.substr(head, above.size() - head - tail));
  sections_ = std::move(next);
}

void UnseenChanges::take_over(const Section& old, Section& section) {
  section.seen_size = old.seen_size;
  section.at_begin = old.at_begin;
}

Tidier UnseenChanges::tidier_behind_front() const {
  if (front_.sections == 0) return {};
  return front_.sections < sections_.size() ? sections_[front_.sections].at_begin : at_end_;
}

std::string_view UnseenChanges::had() const {
  return std::string_view(earlier_).substr(front_.bytes,
                                           earlier_.size() - front_.bytes - back_.bytes);
}

void UnseenChanges::read_what_differs(Reading& reading, std::size_t sections) {
  const auto read_one_of_back = [&] {
    back_.bytes -= from_end(back_.sections).seen_size;
    --back_.sections;
    reading.read();
  };
  while (reading.end() + back_.sections < sections) reading.read();
  while (back_.sections > 0 && !reading.goes_on_like(from_end(back_.sections).at_begin))
    read_one_of_back();
  // What is equal reaches down as far as it can: so the places are those of a comparison of it all.
  std::size_t same = 0;
  while (back_.sections > 0 && had().size() != reading.seen().size()) {
    same += text::common_prefix(had().substr(same), reading.seen().substr(same));
    if (same < std::min(had().size(), reading.seen().size())) break;
    read_one_of_back();
  }
}

void UnseenChanges::find_places(const Reading& reading) {
  const std::string_view seen = reading.seen();
  places_.clear();
  const std::vector<text::ChangedLines> changes = text::changed_places(had(), seen);
  if (changes.empty()) return;
  const std::vector<std::size_t> had_at = starts_of_lines(had(), changes.back().before_end);
  const std::vector<std::size_t> seen_at = starts_of_lines(seen, changes.back().after_end);
  for (const text::ChangedLines& lines : changes) {
    UnseenPlace place;
    place.begin = reading.source_of(lines.after_begin).begin;
    place.end = lines.after_begin == lines.after_end ? place.begin
                                                     : reading.source_of(lines.after_end - 1).end;
    place.had_begin = front_.bytes + had_at[lines.before_begin];
    place.had_end = front_.bytes + had_at[lines.before_end];
    place.now = seen.substr(seen_at[lines.after_begin],
                            seen_at[lines.after_end] - seen_at[lines.after_begin]);
    places_.push_back(std::move(place));
  }
}

void UnseenChanges::note_what_is_equal(const Reading& reading) {
  std::string_view seen = reading.seen();
  std::string_view known = had();
  std::size_t begin = reading.first();
  std::size_t end = reading.end();
  for (std::size_t same = text::common_prefix(known, seen);
       begin < end && reading.size_of(begin) <= same; ++begin) {
    const std::size_t size = reading.size_of(begin);
    same -= size;
    front_ = {front_.sections + 1, front_.bytes + size};
    known.remove_prefix(size);
    seen.remove_prefix(size);
  }
  for (std::size_t same = text::common_suffix(known, seen);
       begin < end && reading.size_of(end - 1) <= same; --end) {
    const std::size_t size = reading.size_of(end - 1);
    if (!begins_line(known, known.size() - size)) break;
    same -= size;
    back_ = {back_.sections + 1, back_.bytes + size};
    known.remove_suffix(size);
  }
}

CountedAsSeen count_as_seen(std::string_view earlier, const std::vector<UnseenPlace>& places,
                            std::size_t mark) {
  CountedAsSeen counted;
  std::size_t at = 0;
  const auto keep_up_to = [&](std::size_t end) {
    if (at <= mark && mark < end) counted.mark = counted.text.size() + (mark - at);
    counted.text.append(earlier.substr(at, end - at));
    at = end;
  };
  for (const UnseenPlace& place : places) {
    keep_up_to(place.had_begin);
    if (at <= mark && mark < place.had_end) counted.mark = counted.text.size();
    counted.text.append(place.now);
    at = place.had_end;
  }
  keep_up_to(earlier.size());
  if (mark >= earlier.size()) counted.mark = counted.text.size();
  return counted;
}

}  // namespace agent_doc::turn
