// The part of Client that tells what became of its text.

#include "server/file/merge.hpp"
#include "server/sync/echo_order.hpp"
#include "server/text/diff.hpp"
#include "server/text/utf8.hpp"
#include "tests/simulation/client.hpp"
#include "tests/simulation/client_positions.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::simulation {

namespace client_reports_internal {

/// What FileBuffer makes of a text that another program left in the file.
std::vector<text::Edit> as_file_client_tells(const std::string& before, const std::string& after) {
  return text::sequential(file::merge(before, after, before));
}

/// Of equal bytes nobody knows which came or went; those of whole lines are taken for it.
std::vector<text::Edit> from_line_starts(std::vector<text::Edit> edits, std::string text) {
  for (text::Edit& edit : edits) {
    edit = sync::from_line_start(edit, text);
    text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  }
  return edits;
}

/// The change of the whole lines around `edit` without what is common at the start of the first
/// and, maybe, at the end of the last of them.
text::Edit changed_lines(const std::string& before, const text::Edit& edit,
                         const std::string& after, LineEnds ends) {
  const std::size_t behind = edit.begin + edit.replacement.size();
  std::size_t begin = line_begin(before, edit.begin);
  std::size_t old_end = line_end(before, edit.end);
  std::size_t new_end = line_end(after, behind);
  // The same number of bytes follows in both; a line end that only one of them has there belongs to
  // the change.
  const std::size_t rest = std::min(before.size() - old_end, after.size() - new_end);
  old_end = before.size() - rest;
  new_end = after.size() - rest;
  while (begin < old_end && begin < new_end && before[begin] == after[begin] &&
         !is_line_end(before[begin]))
    ++begin;
  while (ends == LineEnds::Compared && old_end > begin && new_end > begin &&
         before[old_end - 1] == after[new_end - 1] && !is_line_end(before[old_end - 1])) {
    --old_end;
    --new_end;
  }
  const auto cuts = [](const std::string& text, std::size_t at) {
    return text::floor_boundary(text, at) != at;
  };
  while (cuts(before, begin) || cuts(after, begin)) --begin;
  while (old_end < before.size() &&
         (static_cast<unsigned char>(before[old_end]) & 0xC0U) == 0x80U) {
    ++old_end;
    ++new_end;
  }
  return {begin, old_end, after.substr(begin, new_end - begin)};
}

}  // namespace client_reports_internal

FromClient Client::message(FromClient::Kind kind) const {
  FromClient message;
  message.kind = kind;
  message.version = version_;
  if (kind == FromClient::Kind::Answer) return message;
  message.text = content_.text();
  message.glyphs = content_.visible();
  message.next_glyph = content_.next_id();
  message.made_edits = made_edits_;
  return message;
}

std::vector<FromClient> Client::take_outbox() {
  return std::exchange(outbox_, {});
}

/// `edit` of `before` as far as the client's reports tell it, as edits one after the other. Of a
/// selection that is typed over, what is the same again was not touched; an "a" that is typed
/// beside an "a" is the last one of them for a client that only shows lines or texts.
std::vector<text::Edit> Client::as_told(const std::string& before, const text::Edit& edit) const {
  const auto has_line_end = [](std::string_view text) {
    return text.find_first_of("\r\n") != std::string_view::npos;
  };
  std::string after = before;
  after.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  if (model_.shape == ChangeShape::WholeText || model_.shape == ChangeShape::OneRange)
    return sync::changes_between(before, after);
  if (model_.shape == ChangeShape::Diffed)
    return client_reports_internal::from_line_starts(
        client_reports_internal::as_file_client_tells(before, after), before);
  text::Edit told = edit;
  if (model_.shape == ChangeShape::ChangedLines)
    told = client_reports_internal::changed_lines(before, edit, after, line_ends_);
  told = text::minimise(told, std::string_view(before).substr(told.begin, told.end - told.begin));
  const std::string_view removed =
      std::string_view(before).substr(told.begin, told.end - told.begin);
  if (has_line_end(removed) && has_line_end(told.replacement))
    return sync::changes_between(before, after);
  return {sync::from_line_start(told, before)};
}

/// `edits` made `before` the text of now, one after the other.
void Client::record(std::string before, const std::vector<text::Edit>& edits) {
  for (const text::Edit& edit : edits) {
    const std::string old = before;
    before.replace(edit.begin, edit.end - edit.begin, edit.replacement);
    if (open_) record_one(old, edit, before);
    if (model_.versions != Versions::CountReports)
      version_ += model_.versions == Versions::Jump ? dice_.between(1, 4) : 1;
    untold_.push_back(edit);
    map_late_edits(old, edit);
    cursor_ = text::map_offset(cursor_, text::Bias::Right, edit);
    unreported_ = open_;
  }
}

void Client::record_one(const std::string& before, const text::Edit& edit,
                        const std::string& after) {
  if (model_.shape == ChangeShape::WholeText || model_.shape == ChangeShape::Diffed ||
      model_.shape == ChangeShape::OneRange)
    return;
  text::Edit told = edit;
  if (model_.shape == ChangeShape::ChangedLines)
    told = client_reports_internal::changed_lines(before, edit, after, line_ends_);
  sync::ReplaceRange change;
  change.range = {position_in(before, told.begin, model_.counted()),
                  position_in(before, told.end, model_.counted())};
  change.text = std::move(told.replacement);
  recorded_.emplace_back(std::move(change));
}

void Client::report(Time now) {
  if (!unreported_) return;
  if (model_.reports == Reports::AtOnce) {
    flush();
  } else if (model_.reports == Reports::WhenIdle || !flush_at_) {
    flush_at_ = now + model_.report_delay;
  }
}

void Client::flush() {
  flush_at_.reset();
  if (!unreported_) return;
  unreported_ = false;
  untold_.clear();
  if (model_.versions == Versions::CountReports) ++version_;
  FromClient change = message(FromClient::Kind::Change);
  if (model_.shape == ChangeShape::WholeText) {
    change.changes.emplace_back(sync::ReplaceAll{content_.text()});
  } else if (model_.shape == ChangeShape::Diffed) {
    for (text::Edit& edit : client_reports_internal::as_file_client_tells(told_, content_.text()))
      change.changes.emplace_back(std::move(edit));
  } else if (model_.shape == ChangeShape::OneRange) {
    const text::Edit told = text::minimise({0, told_.size(), content_.text()}, told_);
    change.changes.emplace_back(
        sync::ReplaceRange{{position_in(told_, told.begin, model_.counted()),
                            position_in(told_, told.end, model_.counted())},
                           told.replacement});
  } else {
    change.changes = std::exchange(recorded_, {});
  }
  told_ = content_.text();
  told_changes_ = content_.changes();
  outbox_.push_back(std::move(change));
}

void Client::reconnect() {
  outbox_.clear();
  late_answers_.clear();
  late_edits_.clear();
  if (!open_) return;
  if (model_.first_version == FirstVersion::Zero) version_ = 0;
  tell_open();
}

}  // namespace agent_doc::simulation
