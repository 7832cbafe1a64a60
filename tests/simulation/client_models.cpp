#include "tests/simulation/client_models.hpp"

#include "server/file/merge.hpp"
#include "server/sync/echo_order.hpp"
#include "server/text/diff.hpp"
#include "server/text/line_ends.hpp"
#include "server/text/utf8.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace agent_doc::simulation {

namespace client_models_internal {

constexpr Time kNeovimDebounce = 150;
constexpr Time kEglotIdle = 500;

std::vector<ClientModel> make_models() {
  using text::PositionEncoding;
  ClientModel vscode{.name = "vscode"};
  ClientModel vscode_plugin = vscode;
  vscode_plugin.name = "vscode with our plugin";
  vscode_plugin.undo = UndoSteps::JoinedWithTyping;
  vscode_plugin.pace = session::kPaceForOurPlugins;
  vscode_plugin.pace.frame_patience = session::kFramePatience;

  ClientModel neovim{.name = "neovim"};
  neovim.check = VersionCheck::OlderIsStale;
  neovim.stale = StaleAnswer::ClaimsApplied;
  neovim.reports = Reports::Debounced;
  neovim.report_delay = kNeovimDebounce;
  neovim.shape = ChangeShape::ChangedLines;
  neovim.undo = UndoSteps::JoinedWithTyping;
  neovim.versions = Versions::Jump;
  neovim.first_version = FirstVersion::Zero;
  ClientModel neovim_undelayed = neovim;
  neovim_undelayed.name = "neovim without debounce";
  neovim_undelayed.reports = Reports::AtOnce;
  neovim_undelayed.undo = UndoSteps::EachChange;
  ClientModel neovim_plugin = neovim_undelayed;
  neovim_plugin.name = "neovim with our plugin";
  neovim_plugin.check = VersionCheck::Strict;
  neovim_plugin.stale = StaleAnswer::Refused;
  neovim_plugin.pace = session::kPaceForOurPlugins;

  ClientModel eglot{.name = "eglot", .encoding = PositionEncoding::Utf32};
  eglot.stale = StaleAnswer::Failed;
  eglot.reports = Reports::WhenIdle;
  eglot.report_delay = kEglotIdle;
  eglot.undo = UndoSteps::JoinedWithTyping;
  ClientModel helix{.name = "helix", .encoding = PositionEncoding::Utf8};
  helix.first_version = FirstVersion::Zero;

  ClientModel full{.name = "full text"};
  full.shape = ChangeShape::WholeText;
  ClientModel full_debounced = full;
  full_debounced.name = "full text with debounce";
  full_debounced.reports = Reports::Debounced;
  full_debounced.report_delay = 300;

  // coc.nvim, and others that tell after a pause what became of the text as a whole, put an edit where it belongs, and answer before they tell.
  ClientModel merging{.name = "merges changes"};
  merging.reports = Reports::Debounced;
  merging.report_delay = 150;
  merging.shape = ChangeShape::OneRange;
  merging.versions = Versions::CountReports;
  merging.applies = Applies::AtMappedPlace;
  ClientModel merging_slowly = merging;
  merging_slowly.name = "merges changes slowly";
  merging_slowly.report_delay = 300;
  // yegappan/lsp and kakoune-lsp answer before they tell, too.
  ClientModel answers_first{.name = "answers first"};
  answers_first.reports = Reports::Debounced;
  answers_first.report_delay = 20;
  answers_first.versions = Versions::CountReports;
  answers_first.applies = Applies::AtMappedPlace;

  ClientModel crlf{.name = "writes crlf"};
  crlf.inserts = Inserts::WithCrLf;
  ClientModel lf = neovim_undelayed;
  lf.name = "writes lf";
  lf.inserts = Inserts::WithLf;

  ClientModel unchecked{.name = "ignores versions"};
  unchecked.check = VersionCheck::None;
  ClientModel silent{.name = "never answers"};
  silent.answers = Answers::Never;
  ClientModel late{.name = "answers late"};
  late.answers = Answers::Late;
  ClientModel read_only{.name = "read-only"};
  read_only.answers = Answers::AlwaysRefuses;

  // lsp-mode of Emacs, both ways: what stands behind a character outside the BMP goes astray, and what is told of it, too.
  ClientModel code_points{.name = "counts code points"};
  code_points.counts = Counts::CodePoints;

  ClientModel file{.name = "file", .encoding = PositionEncoding::Utf8};
  file.reports = Reports::Debounced;
  file.report_delay = 20;
  file.shape = ChangeShape::Diffed;
  file.pace = session::kPaceForOurPlugins;

  return {vscode,    vscode_plugin,  neovim,  neovim_undelayed, neovim_plugin, eglot,      helix,
          full,      full_debounced, merging, merging_slowly,   answers_first, crlf,       lf,
          unchecked, silent,         late,    read_only,        file,          code_points};
}

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

bool is_line_end(char byte) {
  return byte == '\n' || byte == '\r';
}

std::size_t behind_line_end(std::string_view text, std::size_t at) {
  return at + (text.substr(at, 2) == "\r\n" ? 2 : 1);
}

std::size_t line_begin(std::string_view text, std::size_t offset) {
  while (offset > 0 && !is_line_end(text[offset - 1])) --offset;
  return offset;
}

std::size_t line_end(std::string_view text, std::size_t offset) {
  return std::min(text.find_first_of("\r\n", offset), text.size());
}

std::size_t units(std::string_view text, text::PositionEncoding encoding) {
  if (encoding == text::PositionEncoding::Utf8) return text.size();
  return encoding == text::PositionEncoding::Utf16 ? text::utf16_length(text) : text::utf32_length(text);
}

/// The change of the whole lines around `edit` without what is common at the start of the first and, maybe, at the end of the last of them.
text::Edit changed_lines(const std::string& before, const text::Edit& edit, const std::string& after, LineEnds ends) {
  const std::size_t behind = edit.begin + edit.replacement.size();
  std::size_t begin = line_begin(before, edit.begin);
  std::size_t old_end = line_end(before, edit.end);
  std::size_t new_end = line_end(after, behind);
  // The same number of bytes follows in both; a line end that only one of them has there belongs to the change.
  const std::size_t rest = std::min(before.size() - old_end, after.size() - new_end);
  old_end = before.size() - rest;
  new_end = after.size() - rest;
  while (begin < old_end && begin < new_end && before[begin] == after[begin] && !is_line_end(before[begin])) ++begin;
  while (ends == LineEnds::Compared && old_end > begin && new_end > begin && before[old_end - 1] == after[new_end - 1] &&
         !is_line_end(before[old_end - 1])) {
    --old_end;
    --new_end;
  }
  const auto cuts = [](const std::string& text, std::size_t at) { return text::floor_boundary(text, at) != at; };
  while (cuts(before, begin) || cuts(after, begin)) --begin;
  while (old_end < before.size() && (static_cast<unsigned char>(before[old_end]) & 0xC0U) == 0x80U) {
    ++old_end;
    ++new_end;
  }
  return {begin, old_end, after.substr(begin, new_end - begin)};
}

}  // namespace client_models_internal

const std::vector<ClientModel>& client_models() {
  static const std::vector<ClientModel> kModels = client_models_internal::make_models();
  return kModels;
}

const ClientModel& client_model(std::string_view name) {
  const auto& models = client_models();
  const auto found = std::find_if(models.begin(), models.end(), [&](const ClientModel& model) { return name == model.name; });
  assert(found != models.end());
  return *found;
}

text::Position position_in(std::string_view text, std::size_t offset, text::PositionEncoding encoding) {
  using namespace client_models_internal;
  text::Position position;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = line_end(text, begin);
    if (end == text.size() || offset <= end) break;
    const std::size_t next = behind_line_end(text, end);
    if (offset < next) break;
    ++position.line;
    begin = next;
  }
  const std::size_t in_line = std::min(offset, line_end(text, begin)) - begin;
  position.column = static_cast<std::uint32_t>(units(text.substr(begin, in_line), encoding));
  return position;
}

std::size_t offset_in(std::string_view text, text::Position position, text::PositionEncoding encoding) {
  using namespace client_models_internal;
  std::size_t begin = 0;
  for (std::uint32_t line = 0; line < position.line; ++line) {
    const std::size_t end = line_end(text, begin);
    if (end == text.size()) return end;
    begin = behind_line_end(text, end);
  }
  const std::size_t end = line_end(text, begin);
  std::size_t at = begin;
  std::size_t column = 0;
  while (at < end && column < position.column) {
    const std::size_t next = at + text::sequence_length(text, at);
    column += units(text.substr(at, next - at), encoding);
    if (column > position.column) break;
    at = next;
  }
  return at;
}

Client::Client(const ClientModel& model, std::string_view text, std::uint64_t seed)
    : model_(model),
      dice_(seed),
      line_ends_(dice_.one_in(2) ? LineEnds::Compared : LineEnds::Ignored),
      content_(text),
      disk_(content_.visible()) {}

FromClient Client::message(FromClient::Kind kind) const {
  FromClient message;
  message.kind = kind;
  message.version = version_;
  if (kind == FromClient::Kind::Answer) return message;
  message.text = content_.text();
  message.glyphs = content_.visible();
  message.next_glyph = content_.next_id();
  return message;
}

std::vector<FromClient> Client::take_outbox() {
  return std::exchange(outbox_, {});
}

// --- by the person ---

void Client::type(const text::Edit& edit, Time now) {
  change(edit, Authorship{}, now);
}

void Client::change(const text::Edit& edit, const Authorship& by, Time now) {
  const std::string before = content_.text();
  const bool joined = model_.undo == UndoSteps::JoinedWithTyping && !undo_.empty() && !dice_.one_in(4);
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
  if (has_pasted_ || begin == end || as_told(content_.text(), edit) != std::vector<text::Edit>{edit}) return false;
  const auto at = [this](std::size_t offset) { return content_.visible().begin() + static_cast<std::ptrdiff_t>(offset); };
  clipboard_.assign(at(begin), at(end));
  change(edit, Authorship{}, now);
  return true;
}

/// Once in a run, and undo ends here: of what was cut and what was pasted either could come back.
bool Client::paste(std::size_t at, Time now) {
  const auto is_hidden = [this](GlyphId id) { return !content_.glyph(id).visible && !content_.glyph(id).twin; };
  if (clipboard_.empty() || !std::all_of(clipboard_.begin(), clipboard_.end(), is_hidden)) return false;
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

/// `edit` of `before` as far as the client's reports tell it, as edits one after the other. Of a selection that is typed over, what is the same
/// again was not touched; an "a" that is typed beside an "a" is the last one of them for a client that only shows lines or texts.
std::vector<text::Edit> Client::as_told(const std::string& before, const text::Edit& edit) const {
  const auto has_line_end = [](std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; };
  std::string after = before;
  after.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  if (model_.shape == ChangeShape::WholeText || model_.shape == ChangeShape::OneRange) return sync::changes_between(before, after);
  if (model_.shape == ChangeShape::Diffed)
    return client_models_internal::from_line_starts(client_models_internal::as_file_client_tells(before, after), before);
  text::Edit told = edit;
  if (model_.shape == ChangeShape::ChangedLines) told = client_models_internal::changed_lines(before, edit, after, line_ends_);
  told = text::minimise(told, std::string_view(before).substr(told.begin, told.end - told.begin));
  const std::string_view removed = std::string_view(before).substr(told.begin, told.end - told.begin);
  if (has_line_end(removed) && has_line_end(told.replacement)) return sync::changes_between(before, after);
  return {sync::from_line_start(told, before)};
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

// --- what is told ---

/// `edits` made `before` the text of now, one after the other.
void Client::record(std::string before, const std::vector<text::Edit>& edits) {
  for (const text::Edit& edit : edits) {
    const std::string old = before;
    before.replace(edit.begin, edit.end - edit.begin, edit.replacement);
    if (open_) record_one(old, edit, before);
    if (model_.versions != Versions::CountReports) version_ += model_.versions == Versions::Jump ? dice_.between(1, 4) : 1;
    untold_.push_back(edit);
    cursor_ = text::map_offset(cursor_, text::Bias::Right, edit);
    unreported_ = open_;
  }
}

void Client::record_one(const std::string& before, const text::Edit& edit, const std::string& after) {
  if (model_.shape == ChangeShape::WholeText || model_.shape == ChangeShape::Diffed || model_.shape == ChangeShape::OneRange) return;
  text::Edit told = edit;
  if (model_.shape == ChangeShape::ChangedLines) told = client_models_internal::changed_lines(before, edit, after, line_ends_);
  sync::ReplaceRange change;
  change.range = {position_in(before, told.begin, model_.counted()), position_in(before, told.end, model_.counted())};
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
    for (text::Edit& edit : client_models_internal::as_file_client_tells(told_, content_.text()))
      change.changes.emplace_back(std::move(edit));
  } else if (model_.shape == ChangeShape::OneRange) {
    const text::Edit told = text::minimise({0, told_.size(), content_.text()}, told_);
    change.changes.emplace_back(sync::ReplaceRange{
        {position_in(told_, told.begin, model_.counted()), position_in(told_, told.end, model_.counted())}, told.replacement});
  } else {
    change.changes = std::exchange(recorded_, {});
  }
  told_ = content_.text();
  told_changes_ = content_.changes();
  outbox_.push_back(std::move(change));
}

std::optional<Time> Client::wakes_at() const {
  std::optional<Time> at = flush_at_;
  if (!late_answers_.empty() && (!at || late_answers_.front().first < *at)) at = late_answers_.front().first;
  return at;
}

void Client::wake(Time now) {
  if (flush_at_ && *flush_at_ <= now) flush();
  while (!late_answers_.empty() && late_answers_.front().first <= now) {
    outbox_.push_back(std::move(late_answers_.front().second));
    late_answers_.pop_front();
  }
}

void Client::reconnect() {
  outbox_.clear();
  late_answers_.clear();
  if (!open_) return;
  if (model_.first_version == FirstVersion::Zero) version_ = 0;
  unreported_ = false;
  recorded_.clear();
  flush_at_.reset();
  untold_.clear();
  told_ = content_.text();
  told_changes_ = content_.changes();
  outbox_.push_back(message(FromClient::Kind::Open));
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
    const sync::Answer answers[] = {sync::Answer::Refused, sync::Answer::Failed, sync::Answer::Applied};
    answer(request, answers[static_cast<std::size_t>(model_.stale)], now);
    return;
  }
  Authorship by = request.by;
  // Versions count anew after an opening: an edit that was on its way then may fit by its number only.
  by.astray = (model_.applies == Applies::Literally ? content_.text() : told_) != request.base;
  by.known_changes = model_.versions == Versions::CountReports ? told_changes_ : content_.changes();
  if (by.astray) ++applied_to_other_text_;
  applied_.resize(std::max<std::size_t>(applied_.size(), request.number + 1), false);
  applied_[request.number] = true;
  if (model_.inserts != Inserts::AsSent) {
    const std::string_view sent = request.text;
    by.head_length = as_inserted(sent.substr(0, by.head_length)).size();
    by.tail_length = as_inserted(sent.substr(sent.size() - std::min(sent.size(), by.tail_length))).size();
  }
  change(edit_of(request), by, now);
  if (model_.shape == ChangeShape::Diffed) flush();
  answer(request, sync::Answer::Applied, now);
}

/// Whether the person has written into what `request` deletes, and the client, which maps edits, has not told so yet.
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
  const auto splits_line_end = [this](std::size_t at) { return at > 0 && content_.text().compare(at - 1, 2, "\r\n") == 0; };
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
    const auto place = std::find_if(late_answers_.begin(), late_answers_.end(), [&](const auto& late) { return late.first > at; });
    late_answers_.insert(place, {at, std::move(message)});
  } else {
    outbox_.push_back(std::move(message));
  }
}

}  // namespace agent_doc::simulation
