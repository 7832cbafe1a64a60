#include "tests/simulation/client.hpp"

#include "server/text/line_ends.hpp"
#include "server/text/utf8.hpp"
#include "tests/simulation/client_positions.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::simulation {

namespace client_internal {

constexpr std::uint32_t kSoonestMade = 26;
constexpr std::uint32_t kLatestMade = 400;

}  // namespace client_internal

Client::Client(const ClientModel& model, std::string_view text, std::uint64_t seed)
    : model_(model),
      dice_(seed),
      line_ends_(dice_.one_in(2) ? LineEnds::Compared : LineEnds::Ignored),
      content_(text),
      disk_(content_.visible()) {}

// --- by the person ---

void Client::type(const text::Edit& edit, Time now) {
  change(edit, Authorship{}, now);
}

void Client::change(const text::Edit& edit, const Authorship& by, Time now) {
  const std::string before = content_.text();
  const bool joined =
      model_.undo == UndoSteps::JoinedWithTyping && !undo_.empty() && !dice_.one_in(4);
  if (!joined) undo_.emplace_back();
  if (by.author == Author::Server) {
    undo_.back().push_back(content_.replace(edit, by));
  } else {
    type_parts(before, edit, undo_.back());
  }
  redo_.clear();
  record(before, {edit});
  // It maps edits by what it holds for typed, so that both tell the same story.
  if (by.author == Author::Person) untold_.pop_back();
  if (by.author == Author::Person) note_untold(as_told(before, edit));
  report(now);
}

void Client::note_untold(const std::vector<text::Edit>& edits) {
  untold_.insert(untold_.end(), edits.begin(), edits.end());
}

void Client::type_parts(const std::string& before, const text::Edit& edit, UndoStep& step) {
  for (const text::Edit& part : as_told(before, edit)) {
    step.push_back(content_.replace(part, Authorship{}));
    if (part.replacement.empty()) content_.note_trimmed(step.back().removed);
  }
}

void Client::tidy(const std::vector<text::Edit>& edits, Time now) {
  if (edits.empty()) return;
  UndoStep step;
  for (const text::Edit& edit : edits) {
    const std::string before = content_.text();
    type_parts(before, edit, step);
    record(before, {edit});
    untold_.pop_back();
    note_untold(as_told(before, edit));
  }
  undo_.push_back(std::move(step));
  redo_.clear();
  report(now);
}

bool Client::cut(std::size_t begin, std::size_t end, Time now) {
  const text::Edit edit{begin, end, {}};
  if (has_pasted_ || begin == end ||
      as_told(content_.text(), edit) != std::vector<text::Edit>{edit})
    return false;
  const auto at = [this](std::size_t offset) {
    return content_.visible().begin() + static_cast<std::ptrdiff_t>(offset);
  };
  clipboard_.assign(at(begin), at(end));
  change(edit, Authorship{}, now);
  return true;
}

/// Once in a run, and undo ends here: of what was cut and what was pasted either could come back.
bool Client::paste(std::size_t at, Time now) {
  const auto is_hidden = [this](GlyphId id) {
    return !content_.glyph(id).visible && !content_.glyph(id).twin;
  };
  if (clipboard_.empty() || !std::all_of(clipboard_.begin(), clipboard_.end(), is_hidden))
    return false;
  const std::string before = content_.text();
  text::Edit edit{at, at, {}};
  for (const GlyphId id : clipboard_) edit.replacement += content_.glyph(id).byte;
  if (as_told(before, edit) != std::vector<text::Edit>{edit}) return false;
  content_.paste(at, std::exchange(clipboard_, {}));
  has_pasted_ = true;
  undo_.clear();
  redo_.clear();
  record(before, {edit});
  report(now);
  return true;
}

void Client::reformat(const std::vector<text::Edit>& edits, Time now) {
  if (edits.empty()) return;
  UndoStep step;
  const std::string before = content_.text();
  for (const text::Edit& edit : edits) step.push_back(content_.replace(edit, Authorship{}));
  undo_.push_back(std::move(step));
  redo_.clear();
  record(before, {text::Edit{0, before.size(), content_.text()}});
  untold_.pop_back();
  note_untold(edits);
  report(now);
}

bool Client::undo(Time now) {
  if (undo_.empty()) return false;
  UndoStep step = std::move(undo_.back());
  undo_.pop_back();
  for (auto change = step.rbegin(); change != step.rend(); ++change) {
    const std::string before = content_.text();
    record(before, content_.undo(*change));
  }
  report(now);
  redo_.push_back(std::move(step));
  return true;
}

bool Client::redo(Time now) {
  if (redo_.empty()) return false;
  UndoStep step = std::move(redo_.back());
  redo_.pop_back();
  for (const AuthoredText::Change& change : step) {
    const std::string before = content_.text();
    record(before, content_.redo(change));
  }
  report(now);
  undo_.push_back(std::move(step));
  return true;
}

void Client::save() {
  disk_ = content_.visible();
  if (!open_ || model_.shape == ChangeShape::Diffed) return;
  flush();
  outbox_.push_back(message(FromClient::Kind::Save));
}

void Client::close() {
  if (!open_) return;
  flush();
  late_edits_.clear();
  outbox_.push_back(message(FromClient::Kind::Close));
  open_ = false;
}

void Client::open() {
  if (open_) return;
  open_ = true;
  content_.become(disk_);
  undo_.clear();
  redo_.clear();
  cursor_ = std::min(cursor_, content_.text().size());
  version_ = model_.first_version == FirstVersion::Zero ? 0 : 1;
  tell_open();
}

void Client::tell_open() {
  unreported_ = false;
  recorded_.clear();
  flush_at_.reset();
  untold_.clear();
  told_ = content_.text();
  told_changes_ = content_.changes();
  outbox_.push_back(message(FromClient::Kind::Open));
}

bool Client::write_elsewhere(Time now) {
  if (!read_elsewhere_) return false;
  const std::string before = content_.text();
  record(before, content_.become(*read_elsewhere_));
  read_elsewhere_.reset();
  report(now);
  return true;
}

// --- time ---

std::optional<Time> Client::wakes_at() const {
  std::optional<Time> at = flush_at_;
  if (!late_answers_.empty() && (!at || late_answers_.front().first < *at))
    at = late_answers_.front().first;
  if (!late_edits_.empty() && (!at || late_edits_.front().at < *at)) at = late_edits_.front().at;
  return at;
}

void Client::wake(Time now) {
  if (flush_at_ && *flush_at_ <= now) flush();
  while (!late_edits_.empty() && late_edits_.front().at <= now) {
    const LateEdit late = std::move(late_edits_.front());
    late_edits_.pop_front();
    if (!late.is_torn) make(late.request, late.edit, now);
  }
  while (!late_answers_.empty() && late_answers_.front().first <= now) {
    outbox_.push_back(std::move(late_answers_.front().second));
    late_answers_.pop_front();
  }
}

// --- edits of the server ---

bool Client::is_stale(const EditRequest& request) const {
  switch (model_.check) {
    case VersionCheck::Strict:
      return request.base_version != version_;
    case VersionCheck::OlderIsStale:
      return request.base_version != 0 && version_ > request.base_version;
    case VersionCheck::None:
      return false;
  }
  return false;
}

void Client::receive(const EditRequest& request, Time now) {
  if (model_.shape == ChangeShape::Diffed) flush();  // the file is read again before it is written
  if (!open_ || model_.answers == Answers::AlwaysRefuses) {
    answer(request, sync::Answer::Refused, now);
    return;
  }
  if (is_stale(request) || is_torn(request)) {
    const sync::Answer answers[] = {sync::Answer::Refused, sync::Answer::Failed,
                                    sync::Answer::Applied};
    answer(request, answers[static_cast<std::size_t>(model_.stale)], now);
    return;
  }
  if (model_.makes == Makes::AfterItsAnswer) {
    const Time at =
        now + dice_.between(client_internal::kSoonestMade, client_internal::kLatestMade);
    late_edits_.push_back({late_edits_.empty() ? at : std::max(at, late_edits_.back().at), request,
                           edit_of(request)});
    answer(request, sync::Answer::Applied, now);
    return;
  }
  make(request, edit_of(request), now);
  if (model_.shape == ChangeShape::Diffed) flush();
  answer(request, sync::Answer::Applied, now);
}

void Client::make(const EditRequest& request, const text::Edit& edit, Time now) {
  Authorship by = request.by;
  // Versions count anew after an opening: an edit that was on its way then may fit by its number
  // only.
  const bool is_literal =
      model_.applies == Applies::Literally && model_.makes == Makes::BeforeItsAnswer;
  by.astray = model_.makes == Makes::BeforeItsAnswer &&
              (is_literal ? content_.text() : told_) != request.base;
  by.known_changes = model_.versions == Versions::CountReports ? told_changes_ : content_.changes();
  if (by.astray) ++applied_to_other_text_;
  applied_.resize(std::max<std::size_t>(applied_.size(), request.number + 1), 0);
  applied_[request.number] = ++made_edits_;
  if (model_.inserts != Inserts::AsSent) {
    const std::string_view sent = request.text;
    by.head_length = as_inserted(sent.substr(0, by.head_length)).size();
    by.tail_length =
        as_inserted(sent.substr(sent.size() - std::min(sent.size(), by.tail_length))).size();
  }
  change(edit, by, now);
}

/// `change` of `before` was made while edits wait to be made: they stay where they belong. What
/// somebody wrote into is not made at all. Where only texts are told, equal bytes that go, or come
/// beside those that an edit deletes, are those that the text shows: no server can know better.
void Client::map_late_edits(const std::string& before, const text::Edit& change) {
  if (late_edits_.empty()) return;
  const bool deletes = change.replacement.empty();
  const bool inserts = change.begin == change.end;
  const bool tells_texts = model_.shape == ChangeShape::WholeText && (deletes || inserts);
  const std::vector<text::Edit> told =
      tells_texts ? as_told(before, change) : std::vector<text::Edit>{change};
  for (LateEdit& late : late_edits_) {
    const bool only_inserts = late.edit.begin == late.edit.end;
    if (only_inserts && inserts) {
      late.map(change);
    } else {
      for (const text::Edit& part : told) late.map(part);
    }
  }
}

void Client::LateEdit::map(const text::Edit& change) {
  is_torn = is_torn || (change.begin < edit.end && change.end > edit.begin);
  const text::Bias end_bias = edit.begin == edit.end ? text::Bias::Right : text::Bias::Left;
  const std::size_t end = text::map_offset(edit.end, end_bias, change);
  edit.begin = text::map_offset(edit.begin, text::Bias::Right, change);
  edit.end = std::max(edit.begin, end);
}

/// Whether the person has written into what `request` deletes, and the client, which maps edits,
/// has not told so yet.
bool Client::is_torn(const EditRequest& request) const {
  if (model_.applies == Applies::Literally) return false;
  std::size_t begin = offset_in(told_, request.range.start, model_.counted());
  std::size_t end = offset_in(told_, request.range.end, model_.counted());
  for (const text::Edit& untold : untold_) {
    if (untold.begin < end && untold.end > begin) return true;
    begin = text::map_offset(begin, text::Bias::Right, untold);
    end = std::max(begin, text::map_offset(end, text::Bias::Left, untold));
  }
  return false;
}

std::string Client::as_inserted(std::string_view text) const {
  if (model_.inserts == Inserts::AsSent) return std::string(text);
  return text::with_line_ends(text, model_.inserts == Inserts::WithLf ? "\n" : "\r\n");
}

/// `request` as it is made in the text of now.
text::Edit Client::edit_of(const EditRequest& request) const {
  text::Edit edit;
  edit.replacement = as_inserted(request.text);
  const std::string& text = model_.applies == Applies::AtMappedPlace ? told_ : content_.text();
  edit.begin = offset_in(text, request.range.start, model_.counted());
  edit.end = std::max(edit.begin, offset_in(text, request.range.end, model_.counted()));
  if (model_.applies == Applies::Literally) return edit;
  for (const text::Edit& untold : untold_) {
    const text::Bias end_bias = edit.begin == edit.end ? text::Bias::Right : text::Bias::Left;
    edit.begin = text::map_offset(edit.begin, text::Bias::Right, untold);
    edit.end = std::max(edit.begin, text::map_offset(edit.end, end_bias, untold));
  }
  edit.begin = std::min(edit.begin, content_.text().size());
  edit.end = std::min(edit.end, content_.text().size());
  edit.begin = text::floor_boundary(content_.text(), edit.begin);
  edit.end = std::max(edit.begin, text::floor_boundary(content_.text(), edit.end));
  const auto splits_line_end = [this](std::size_t at) {
    return at > 0 && content_.text().compare(at - 1, 2, "\r\n") == 0;
  };
  if (splits_line_end(edit.begin)) --edit.begin;
  if (splits_line_end(edit.end)) --edit.end;
  return edit;
}

void Client::answer(const EditRequest& request, sync::Answer answer, Time now) {
  if (model_.answers == Answers::Never) return;
  FromClient message = this->message(FromClient::Kind::Answer);
  message.edit = request.number;
  message.answer = answer;
  if (model_.answers == Answers::Late) {
    const Time at = now + dice_.below(dice_.one_in(4) ? 25'000 : 2'000);
    const auto place = std::find_if(late_answers_.begin(), late_answers_.end(),
                                    [&](const auto& late) { return late.first > at; });
    late_answers_.insert(place, {at, std::move(message)});
  } else {
    outbox_.push_back(std::move(message));
  }
}

}  // namespace agent_doc::simulation
