#include "tests/simulation/writer.hpp"

#include "server/text/line_ends.hpp"
#include "server/text/utf8.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <variant>

namespace agent_doc::simulation {

namespace writer_internal {

/// As long as ApplyEdit waits.
constexpr Time kAnswerTimeout = 10'000;

session::TimePoint time_point(Time now) {
  return session::TimePoint(std::chrono::milliseconds(now));
}

Time logical(session::TimePoint at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

/// The edit that gives the key `session` the value `value`, in the front matter or in a new one.
std::optional<text::Edit> set_session(const std::string& text, const std::string& value, const std::string& nl) {
  const std::string fence = "---" + nl;
  const std::string line = "session: " + value + nl;
  const bool has_front_matter = text.rfind("---\n", 0) == 0 || text.rfind("---\r\n", 0) == 0;
  if (!has_front_matter) return text::Edit{0, 0, fence + line + fence};
  std::size_t at = text.find('\n') + 1;
  while (at < text.size() && text.compare(at, 3, "---") != 0) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    if (text.compare(at, 9, "session: ") == 0) {
      if (text.compare(at + 9, end - at - 9, value) == 0) return std::nullopt;
      return text::Edit{at + 9, end, value};
    }
    const std::size_t next = text.find('\n', end);
    if (next == std::string::npos) break;
    at = next + 1;
  }
  const std::size_t first_key = text.find('\n') + 1;
  return text::Edit{first_key, first_key, line};
}

void apply(std::string& text, const sync::ContentChange& change, text::PositionEncoding encoding) {
  if (const auto* all = std::get_if<sync::ReplaceAll>(&change)) {
    text = all->text;
  } else if (const auto* edit = std::get_if<text::Edit>(&change)) {
    text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  } else {
    const auto& ranged = std::get<sync::ReplaceRange>(change);
    const std::size_t begin = offset_in(text, ranged.range.start, encoding);
    text.replace(begin, offset_in(text, ranged.range.end, encoding) - begin, ranged.text);
  }
}

std::string without_line_ends_around(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of("\r\n"), text.size());
  return text.substr(begin, text.find_last_not_of("\r\n") + 1 - begin);
}

/// Whether `change` brings `text`, and maybe more, or most of it in one piece: the rest may have been taken out before it was told.
bool holds_most(const sync::ContentChange& change, const std::string& text) {
  constexpr std::size_t kChance = 4;
  const auto* ranged = std::get_if<sync::ReplaceRange>(&change);
  if (ranged == nullptr || text.empty()) return false;
  const std::size_t most = std::min(text.size(), std::max(kChance, (text.size() + 1) / 2));
  for (std::size_t begin = 0; begin + most <= text.size(); ++begin) {
    if (ranged->text.find(text.substr(begin, most)) != std::string::npos) return true;
  }
  return false;
}

bool may_be_several(const sync::ContentChange& change) {
  const auto* ranged = std::get_if<sync::ReplaceRange>(&change);
  return ranged == nullptr || (ranged->range.start.line != ranged->range.end.line && ranged->text.find('\n') != std::string::npos);
}

}  // namespace writer_internal

Writer::Writer(const Client& client, const Setting& setting, std::vector<WantedRegion>& wanted, WriterCounts& counts, Trace& trace)
    : client_(client),
      setting_(setting),
      wanted_(wanted),
      counts_(counts),
      trace_(trace),
      first_region_(wanted.size()),
      engine_(client.model().encoding),
      pacer_(engine_, client.model().pace),
      sent_(static_cast<std::uint64_t>(counts.sent)) {}

std::vector<EditRequest> Writer::take_outbox() {
  return std::exchange(outbox_, {});
}

void Writer::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

// --- from the client ---

void Writer::receive(const FromClient& message, Time now) {
  const bool was_in_flight = engine_.in_flight();
  switch (message.kind) {
    case FromClient::Kind::Open:
      in_doubt_ = in_doubt_ || next_glyph_ > 0;
      note_places_thrown_away(message);
      engine_.did_open(message.version, message.text);
      pacer_.client_changed(writer_internal::time_point(now));
      break;
    case FromClient::Kind::Change:
      note_landing_by_hand(message);
      note_redo_by_hand(message);
      note_told_again(message);
      in_doubt_ = in_doubt_ || std::any_of(message.changes.begin(), message.changes.end(), writer_internal::may_be_several);
      engine_.did_change(message.version, message.changes);
      pacer_.client_changed(writer_internal::time_point(now));
      break;
    case FromClient::Kind::Save:
      engine_.did_save();
      break;
    case FromClient::Kind::Close:
      engine_.did_close();
      break;
    case FromClient::Kind::Answer:
      if (!waiting_ || message.edit != sent_) return;
      waiting_ = false;
      answer_due_.reset();
      if (message.answer != sync::Answer::Applied) ++counts_.refused;
      if (message.answer == sync::Answer::Applied && !client_.has_applied(sent_)) ++counts_.dropped;
      pacer_.answered(message.answer, writer_internal::time_point(now));
      break;
  }
  if (message.kind == FromClient::Kind::Open || message.kind == FromClient::Kind::Change) {
    note_lookalike(message);
    note_torn_edit(message, was_in_flight);
    shadow_glyphs_ = message.glyphs;
    next_glyph_ = message.next_glyph;
    const bool can_differ = client_.model().counts != Counts::AsAgreed;
    if (can_differ) {
      shadow_glyphs_.resize(engine_.shadow().size());
    } else if (engine_.is_open() && engine_.shadow().text() != message.text) {
      fail("the shadow is " + quoted(engine_.shadow().text()) + ", the client's text was " + quoted(message.text));
    }
  }
  settle(now);
}

/// When a text that was not saved is thrown away, a reply that has not begun opens where a diff says.
void Writer::note_places_thrown_away(const FromClient& message) {
  if (message.text == engine_.shadow().text()) return;
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    if (wanted_[i].state != sync::RegionState::Opening) continue;
    wanted_[i].above.clear();
    wanted_[i].below.clear();
  }
}

/// The text may become by the person's hand what an edit would have made of it that was never applied. Nobody can tell that from a landing.
void Writer::note_landing_by_hand(const FromClient& message) {
  if (!engine_.in_flight()) return;
  if (client_.has_applied(sent_)) {
    note_typed_beside_edit(message);
    return;
  }
  const text::PositionEncoding encoding = client_.model().encoding;
  std::string text = engine_.shadow().text();
  bool looks_landed = false;
  for (const sync::ContentChange& change : message.changes) {
    const std::size_t begin = offset_in(text, last_request_.range.start, encoding);
    const std::size_t end = offset_in(text, last_request_.range.end, encoding);
    std::string literal = text;
    literal.replace(begin, std::max(begin, end) - begin, last_request_.text);
    looks_landed = looks_landed || holds_edit(change, begin, text);
    writer_internal::apply(text, change, encoding);
    looks_landed = looks_landed || text == last_request_.expected || text == literal;
    // A client that claims what it did not do leaves no other proof than the text.
    const bool is_believed = client_.model().stale == StaleAnswer::ClaimsApplied || client_.model().answers == Answers::Never;
    // Line ends at the ends of it may have been there before.
    const std::string core = writer_internal::without_line_ends_around(last_request_.text);
    looks_landed = looks_landed || (is_believed && writer_internal::holds_most(change, core.empty() ? last_request_.text : core));
    // What is typed may be just what is in the air, where it belongs by now.
    const auto* ranged = std::get_if<sync::ReplaceRange>(&change);
    const auto lf = [](const std::string& one) { return text::with_line_ends(one, "\n"); };
    looks_landed = looks_landed || (ranged != nullptr && !ranged->text.empty() && lf(ranged->text) == lf(last_request_.text));
  }
  if (!looks_landed) return;
  looked_landed_ = sent_;
  const std::vector<GlyphId> typed = typed_for(message);
  coinciding_.insert(coinciding_.end(), typed.begin(), typed.end());
  // Several undo steps in one notification may do it without any typing. A client that claims to have applied what it dropped leaves it at that.
  const bool claims = client_.model().stale == StaleAnswer::ClaimsApplied && last_request_.by.region != kNoRegion;
  if (claims && typed.size() < last_request_.text.size())
    wanted_[static_cast<std::size_t>(last_request_.by.region)].may_be_unwritten += last_request_.text.size() - typed.size();
}

/// Where edits are applied beside what was not told yet, the person may have typed the same at the same place: then it is the same who wrote which.
void Writer::note_typed_beside_edit(const FromClient& message) {
  if (client_.model().versions != Versions::CountReports || last_request_.text.empty()) return;
  const std::vector<GlyphId> typed = typed_for(message);
  in_doubt_ = in_doubt_ || !typed.empty();
  std::string text;
  for (const GlyphId id : typed) text += client_.content().glyph(id).byte;
  const std::size_t found = text.find(last_request_.text);
  if (found == std::string::npos) return;
  const auto begin = typed.begin() + static_cast<std::ptrdiff_t>(found);
  coinciding_.insert(coinciding_.end(), begin, begin + static_cast<std::ptrdiff_t>(last_request_.text.size()));
}

/// Whether `change` of `text` puts all of an edit that the client claims to have made in place of what stood around its place: Emacs tells a key and an
/// edit like that, and what the person typed over a selection may be the same.
bool Writer::holds_edit(const sync::ContentChange& change, std::size_t place, const std::string& text) const {
  const auto* ranged = std::get_if<sync::ReplaceRange>(&change);
  if (ranged == nullptr || client_.model().stale != StaleAnswer::ClaimsApplied || last_request_.text.empty()) return false;
  const std::size_t begin = offset_in(text, ranged->range.start, client_.model().encoding);
  const std::size_t end = offset_in(text, ranged->range.end, client_.model().encoding);
  return begin < end && begin <= place && place <= end && ranged->text.find(last_request_.text) != std::string::npos;
}

/// Where several changes are told as one, and the person wrote into what an edit brought, or took some of it out, before it was told, nobody can know
/// it: what a client that rewrites tells may be the same. Nor where as much was typed as an edit should have brought that the client claims to have made.
/// Counts such edits since the last one that can be known.
void Writer::note_torn_edit(const FromClient& message, bool was_in_flight) {
  const bool is_believed = client_.model().stale == StaleAnswer::ClaimsApplied && !client_.has_applied(sent_);
  if (is_believed && was_in_flight && seen_edit_ != sent_) {
    if (typed_edit_ != sent_) typed_ = 0;
    typed_edit_ = sent_;
    typed_ += typed_for(message).size();
    if (2 * typed_ < last_request_.text.size() || last_request_.text.empty()) return;
    seen_edit_ = sent_;
    ++torn_edits_;
    return;
  }
  const ChangeShape shape = client_.model().shape;
  const bool tells_sums = shape == ChangeShape::OneRange || (shape == ChangeShape::WholeText && client_.model().reports != Reports::AtOnce);
  if (!tells_sums || seen_edit_ == sent_ || !client_.has_applied(sent_)) return;
  std::string run;
  std::string longest;
  for (const GlyphId id : message.glyphs) {
    const Glyph& glyph = client_.content().glyph(id);
    const bool goes_on = glyph.flight == sent_ && glyph.author == Author::Server;
    run = goes_on ? run + glyph.byte : std::string();
    if (run.size() > longest.size()) longest = run;
  }
  seen_edit_ = sent_;
  const bool is_whole = !last_request_.text.empty() && longest == last_request_.text;
  torn_edits_ = is_whole ? 0 : torn_edits_ + 1;
}

/// What the person wrote since the message before.
std::vector<GlyphId> Writer::typed_for(const FromClient& message) const {
  std::vector<GlyphId> typed;
  for (GlyphId id = next_glyph_; id < message.next_glyph; ++id) {
    if (client_.content().glyph(id).author == Author::Person) typed.push_back(id);
  }
  return typed;
}

/// What is typed where text of the reply was undone may be the same text.
void Writer::note_redo_by_hand(const FromClient& message) {
  const AuthoredText& truth = client_.content();
  const bool was_trimmed =
      std::any_of(truth.order().begin(), truth.order().end(), [&](GlyphId id) { return truth.glyph(id).trimmed_before != 0; });
  if (!was_paused_ && !was_trimmed) return;
  std::string undone;
  for (const GlyphId id : truth.order()) {
    const Glyph& glyph = truth.glyph(id);
    if (glyph.part == Part::Reply && !glyph.visible && !glyph.removed_by_server) undone += glyph.byte;
  }
  // Each piece that was typed in one place for itself.
  std::vector<GlyphId> piece;
  std::string typed;
  const auto end_piece = [&] {
    if (!piece.empty() && undone.find(typed) != std::string::npos) {
      coinciding_.insert(coinciding_.end(), piece.begin(), piece.end());
      in_doubt_ = true;
    }
    piece.clear();
    typed.clear();
  };
  for (const GlyphId id : message.glyphs) {
    if (id < next_glyph_ || truth.glyph(id).author != Author::Person) {
      end_piece();
      continue;
    }
    piece.push_back(id);
    typed += truth.glyph(id).byte;
  }
  end_piece();
}

/// Where a client tells what the text became, the same text may be made of other bytes than it was before: then each may be taken for the one that was there.
void Writer::note_lookalike(const FromClient& message) {
  const bool is_by_result = message.kind == FromClient::Kind::Open ||
                            std::any_of(message.changes.begin(), message.changes.end(), [](const sync::ContentChange& change) {
                              return std::holds_alternative<text::Edit>(change) || writer_internal::may_be_several(change);
                            });
  for (auto earlier = earlier_.rbegin(); is_by_result && earlier != earlier_.rend(); ++earlier) {
    if (earlier->first != message.text) continue;
    for (std::size_t i = 0; i < message.glyphs.size(); ++i) {
      const GlyphId now = message.glyphs[i];
      if (now == earlier->second[i]) continue;
      (client_.content().glyph(now).author == Author::Person ? coinciding_ : told_again_).push_back(now);
    }
    break;
  }
  earlier_.emplace_back(message.text, message.glyphs);
}

/// A client that compares texts tells of two changes what they became together: bytes that stayed as taken out, and the same bytes as put in, or as having
/// been there. Nobody could know that they are the same ones, but where both are in one replacement and more than a few bytes (echo_order's kChance).
void Writer::note_told_again(const FromClient& message) {
  constexpr std::size_t kChance = 4;
  constexpr GlyphId kNew = std::numeric_limits<GlyphId>::max();
  std::vector<bool> stayed(message.next_glyph, false);
  for (const GlyphId id : message.glyphs) stayed[id] = true;
  std::vector<GlyphId> ids = shadow_glyphs_;
  for (const sync::ContentChange& change : message.changes) {
    const auto* edit = std::get_if<text::Edit>(&change);
    if (edit == nullptr) return;
    std::vector<GlyphId> run;
    const auto end_run = [&] {
      std::string bytes;
      for (const GlyphId id : run) bytes += client_.content().glyph(id).byte;
      const bool can_be_known = run.size() > kChance && edit->replacement.find(bytes) != std::string::npos;
      if (!can_be_known) told_again_.insert(told_again_.end(), run.begin(), run.end());
      run.clear();
    };
    for (std::size_t i = edit->begin; i < edit->end; ++i) {
      if (ids[i] != kNew && stayed[ids[i]]) {
        run.push_back(ids[i]);
      } else {
        end_run();
      }
    }
    end_run();
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(edit->begin);
    const auto end = ids.begin() + static_cast<std::ptrdiff_t>(edit->end);
    ids.insert(ids.erase(begin, end), edit->replacement.size(), kNew);
  }
}

// --- time ---

std::optional<Time> Writer::wakes_at() const {
  std::optional<Time> at;
  if (const std::optional<session::TimePoint> wakeup = pacer_.wakeup()) at = writer_internal::logical(*wakeup);
  if (answer_due_ && (!at || *answer_due_ < *at)) at = answer_due_;
  return at;
}

void Writer::wake(Time now) {
  if (answer_due_ && *answer_due_ <= now) {
    answer_due_.reset();                            // a late answer still counts
    if (looked_landed_ == sent_) in_doubt_ = true;  // and now that is all there is to go by
    trace_.line(now, "server: no answer to edit ", sent_);
    pacer_.answered(sync::Answer::TimedOut, writer_internal::time_point(now));
  }
  settle(now);
}

// --- from the agent ---

/// The reply that `step` is about: mostly there is only one.
WantedRegion* Writer::open_region_of(const Step& step) {
  WantedRegion* found = nullptr;
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    if (wanted_[i].ending != WantedRegion::Ending::None) continue;
    if (found == nullptr || (step.size >> i) % 2 == 0) found = &wanted_[i];
  }
  return found;
}

void Writer::act(const Step& step, Time now) {
  constexpr std::uint32_t kLongestChunk = 6;
  WantedRegion* region = open_region_of(step);
  // Of a client that counts otherwise only insertions can be demanded to take out nothing.
  const bool only_inserts = client_.model().counts != Counts::AsAgreed;
  switch (only_inserts && step.action == Action::ReplaceFrom ? Action::Append : step.action) {
    case Action::OpenRegion:
      open_region(step, now);
      break;
    case Action::Append:
      if (region != nullptr) append(*region, made_up(step.text, kLongestChunk), now);
      break;
    case Action::ReplaceFrom:
      if (region != nullptr) replace(*region, step, now);
      break;
    case Action::Finish:
      if (region == nullptr) return;
      trace_.line(now, "agent: finishes");
      region->ending = WantedRegion::Ending::Finished;
      engine_.finish_region(region->id);
      pacer_.turn_ended();
      break;
    case Action::Retract:
      if (region == nullptr) return;
      if (only_inserts) return;
      trace_.line(now, "agent: retracts");
      region->ending = WantedRegion::Ending::Retracted;
      engine_.retract_region(region->id);
      pacer_.turn_ended();
      break;
    case Action::Propose:
      propose(step);
      break;
    case Action::Continue:
      go_on(now);
      break;
    default:
      return;
  }
  settle(now);
}

void Writer::open_region(const Step& step, Time now) {
  if (!engine_.is_open()) return;
  if (open_region_of(step) != nullptr && step.where % 3 != 0) return;
  const std::string& text = engine_.shadow().text();
  std::size_t at = text.size();
  if (step.size % 3 == 0) at = text::floor_boundary(text, step.where % (text.size() + 1));
  if (at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n') --at;
  // Not into the front matter, nor into another reply.
  const bool has_front_matter = text.rfind("---", 0) == 0;
  if (has_front_matter) {
    const std::size_t fence = std::min(text.find("\n---", 3), text.size() - 1);
    const std::size_t line_end = std::min(text.find('\n', fence + 1), text.size() - 1);
    at = std::max(at, line_end + 1);
  }
  const AuthoredText& truth = client_.content();
  int last_above = kNoRegion;
  for (std::size_t i = 0; i < at; ++i) last_above = std::max(last_above, truth.glyph(shadow_glyphs_[i]).region);
  for (std::size_t i = at; i < shadow_glyphs_.size() && last_above != kNoRegion; ++i) {
    if (truth.glyph(shadow_glyphs_[i]).region != kNoRegion) at = text.size();
  }
  // Nor into what the server holds for one.
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    const std::optional<sync::RegionExtent> extent = engine_.region_extent(wanted_[i].id);
    if (extent && extent->begin < at && at < extent->end) at = text.size();
  }

  WantedRegion region;
  region.frame = frame_of(setting_, static_cast<int>(wanted_.size()));
  if (!line_end_.empty()) {
    region.frame.head = text::with_line_ends(region.frame.head, line_end_);
    region.frame.tail = text::with_line_ends(region.frame.tail, line_end_);
  }
  region.above.assign(shadow_glyphs_.begin(), shadow_glyphs_.begin() + static_cast<std::ptrdiff_t>(at));
  region.below.assign(shadow_glyphs_.begin() + static_cast<std::ptrdiff_t>(at), shadow_glyphs_.end());
  region.id = engine_.open_region(at, region.frame);
  trace_.line(now, "agent: opens region ", wanted_.size(), " at ", at);
  wanted_.push_back(std::move(region));
  pacer_.turn_began(writer_internal::time_point(now));
}

std::string Writer::made_up(std::uint64_t seed, std::uint32_t pieces) const {
  const std::string text = made_up_text(setting_, seed, pieces);
  return line_end_.empty() ? text : text::with_line_ends(text, line_end_);
}

void Writer::append(WantedRegion& region, const std::string& bytes, Time now) {
  trace_.line(now, "agent: appends ", Shown{bytes});
  region.reply += bytes;
  engine_.append(region.id, bytes);
  pacer_.text_came(bytes, writer_internal::time_point(now));
}

void Writer::replace(WantedRegion& region, const Step& step, Time now) {
  std::size_t offset = step.where % 4 == 0 ? 0 : text::floor_boundary(region.reply, step.where % (region.reply.size() + 1));
  if (offset > 0 && offset < region.reply.size() && region.reply[offset - 1] == '\r') --offset;
  std::string bytes = step.size % 5 == 0 ? std::string() : made_up(step.text, 8);
  // Often a correction: most of what stood there is said again.
  if (step.size % 3 == 0) bytes = region.reply.substr(offset) + bytes;
  trace_.line(now, "agent: replaces from ", offset, " by ", Shown{bytes});
  region.reply.resize(offset);
  region.reply += bytes;
  region.replaced = true;
  region.replaced_after = sent_;
  engine_.replace_from(region.id, offset, bytes);
  pacer_.text_came(bytes, writer_internal::time_point(now));
}

void Writer::propose(const Step& step) {
  const std::string value = "s" + std::to_string(step.where % 100);
  engine_.propose([this, value, nl = setting_.line_end](const text::TextBuffer& text) {
    std::optional<text::Edit> edit = writer_internal::set_session(text.text(), value, nl);
    proposed_ = edit.has_value();
    return edit;
  });
  pacer_.look_again();
}

/// As Conversation::continue_reply does.
void Writer::go_on(Time now) {
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    const sync::RegionState state = engine_.region_state(wanted_[i].id);
    if (state != sync::RegionState::Paused) continue;
    trace_.line(now, "person: lets the reply go on");
    engine_.resume_region(wanted_[i].id);
  }
  pacer_.look_again();
}

void Writer::finish_all(Time now) {
  go_on(now);
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    if (wanted_[i].ending != WantedRegion::Ending::None) continue;
    wanted_[i].ending = WantedRegion::Ending::Finished;
    engine_.finish_region(wanted_[i].id);
  }
  pacer_.turn_ended();
  trace_.line(now, "agent: all is finished");
  settle(now);
}

// --- to the client ---

void Writer::settle(Time now) {
  for (const sync::Notice& notice : engine_.take_notices()) look_at(notice, now);
  proposed_ = false;
  if (const std::optional<sync::OutgoingEdit> edit = pacer_.next(writer_internal::time_point(now))) {
    EditRequest request = request_for(*edit);
    check(*edit, request);
    trace_.line(now, "server: edit ", request.number, " of version ", request.base_version, ", [", edit->edit.begin, ", ", edit->edit.end,
                ") -> ", Shown{request.text});
    ++counts_.sent;
    sent_ = request.number;
    waiting_ = true;
    answer_due_ = now + writer_internal::kAnswerTimeout;
    last_request_ = request;
    outbox_.push_back(std::move(request));
  }
  for (const sync::Notice& notice : engine_.take_notices()) look_at(notice, now);
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    const sync::RegionState state = engine_.region_state(wanted_[i].id);
    // A region that the engine has forgotten ended as it was seen last.
    if (state == sync::RegionState::Settled && wanted_[i].state == sync::RegionState::Growing) check_line_below(i);
    const bool forgotten = state == sync::RegionState::Settled && wanted_[i].state == sync::RegionState::Detached;
    if (!forgotten) wanted_[i].state = state;
  }
}

void Writer::look_at(const sync::Notice& notice, Time now) {
  static constexpr const char* kNames[] = {"paused",
                                           "resumed",
                                           "detached",
                                           "shadow lost",
                                           "the client ignores versions",
                                           "the client keeps refusing",
                                           "other line ends",
                                           "the client rewrites"};
  trace_.line(now, "server: ", kNames[static_cast<std::size_t>(notice.kind)]);
  for (const WantedRegion& region : wanted_) {
    const bool is_found = notice.kind == sync::NoticeKind::RegionResumed && notice.region == region.id;
    if (is_found && region.state == sync::RegionState::Detached) ++counts_.found_again;
  }
  if (notice.kind == sync::NoticeKind::RegionPaused) was_paused_ = in_doubt_ = true;
  const bool counts_otherwise = client_.model().counts != Counts::AsAgreed;
  if (notice.kind == sync::NoticeKind::ShadowLost && !counts_otherwise) fail("the shadow is lost");
  if (notice.kind == sync::NoticeKind::ClientIgnoresVersions) {
    pacer_.wait_for_silence();
    const bool checks = client_.model().check == VersionCheck::Strict && client_.model().versions != Versions::CountReports;
    if (checks && !counts_otherwise) fail("a client that checks versions is taken for one that does not");
  }
  const bool misplaces = client_.model().check == VersionCheck::None || counts_otherwise;
  if (notice.kind == sync::NoticeKind::ClientRewrites && !misplaces && torn_edits_ < 2)
    fail("a client that writes what it is sent is taken for one that does not");
  if (notice.kind == sync::NoticeKind::LineEndsAdopted) adopt_line_ends(notice);
}

void Writer::adopt_line_ends(const sync::Notice& notice) {
  if (client_.model().inserts == Inserts::AsSent && client_.model().counts == Counts::AsAgreed)
    fail("a client that keeps line ends is taken for one that does not");
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    WantedRegion& region = wanted_[i];
    if (notice.region != region.id) continue;
    region.reply =
        region.reply.substr(0, notice.reply_offset) + text::with_line_ends(region.reply.substr(notice.reply_offset), notice.line_end);
    if (region.state != sync::RegionState::Opening) continue;
    region.frame.head = text::with_line_ends(region.frame.head, notice.line_end);
    region.frame.tail = text::with_line_ends(region.frame.tail, notice.line_end);
  }
  line_end_ = notice.line_end;
}

EditRequest Writer::request_for(const sync::OutgoingEdit& edit) {
  EditRequest request;
  const text::TextBuffer& shadow = engine_.shadow();
  request.number = sent_ + 1;
  request.base_version = edit.base_version;
  request.range = {shadow.position_of(edit.edit.begin, client_.model().encoding),
                   shadow.position_of(edit.edit.end, client_.model().encoding)};
  request.text = edit.edit.replacement;
  request.by = authorship_of(edit);
  request.by.flight = request.number;
  request.base = shadow.text();
  request.expected = shadow.text();
  request.expected.replace(edit.edit.begin, edit.edit.end - edit.edit.begin, edit.edit.replacement);
  return request;
}

Authorship Writer::authorship_of(const sync::OutgoingEdit& edit) {
  Authorship by;
  by.author = Author::Server;
  if (proposed_) {
    by.part = Part::FrontMatter;
    return by;
  }
  if (edit.kind == sync::FlightKind::LineEnds) by.part = Part::LineEnds;
  if (edit.kind == sync::FlightKind::LineEnds) {
    std::size_t nearest = 0;
    for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
      const std::optional<sync::RegionExtent> extent = engine_.region_extent(wanted_[i].id);
      const bool is_above = extent && extent->end <= edit.edit.begin && extent->end >= nearest;
      if (!is_above || engine_.region_state(wanted_[i].id) != sync::RegionState::Growing) continue;
      by.region = static_cast<int>(i);
      nearest = extent->end;
    }
    return by;
  }
  by.part = Part::Reply;
  std::size_t innermost = 0;
  const std::string_view text = edit.edit.replacement;
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    const WantedRegion& region = wanted_[i];
    const sync::RegionState state = engine_.region_state(region.id);
    if (state == sync::RegionState::Opening && text.substr(0, region.frame.head.size()) == region.frame.head) {
      by.region = static_cast<int>(i);
      by.head_length = region.frame.head.size();
      by.tail_length = region.frame.tail.size();
      return by;
    }
    const std::optional<sync::RegionExtent> extent = engine_.region_extent(region.id);
    if (state != sync::RegionState::Growing || !extent) continue;
    const bool is_inner = extent->begin >= innermost;  // a block may be pasted into another one
    if (!is_inner || edit.edit.begin < extent->begin || edit.edit.end > extent->end) continue;
    by.region = static_cast<int>(i);
    innermost = extent->begin;
  }
  return by;
}

/// A frame that goes is as it was, but some of its line ends may be the person's, who took out ours: a text cannot show that.
void Writer::note_restored_frame(const sync::OutgoingEdit& edit) {
  const std::string taken = engine_.shadow().text().substr(edit.edit.begin, edit.edit.end - edit.edit.begin);
  const bool is_frame = edit.edit.replacement.empty() && std::any_of(wanted_.begin(), wanted_.end(), [&](const WantedRegion& region) {
                          return region.ending == WantedRegion::Ending::Retracted && region.frame.head + region.frame.tail == taken;
                        });
  for (std::size_t i = edit.edit.begin; is_frame && i < edit.edit.end; ++i) {
    if (client_.content().glyph(shadow_glyphs_[i]).author != Author::Person) continue;
    coinciding_.push_back(shadow_glyphs_[i]);
    in_doubt_ = true;
  }
}

/// When a reply is complete, the heading below it begins a line, unless the person took that away.
void Writer::check_line_below(std::size_t index) {
  if (!client_.model().is_exact() || client_.model().counts != Counts::AsAgreed || in_doubt_ ||
      wanted_[index].ending != WantedRegion::Ending::Finished)
    return;
  const std::string& text = engine_.shadow().text();
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Glyph& glyph = client_.content().glyph(shadow_glyphs_[i]);
    const bool of_region = glyph.region == static_cast<int>(index);
    if (of_region && glyph.part == Part::Tail && glyph.byte == '#') {
      if (!line_begins) fail("the heading below a reply stands in its last line: " + quoted(text));
      return;
    }
    if (text[i] == '\n' || text[i] == '\r') line_begins = true;
    if (of_region && glyph.part == Part::Reply && text[i] != '\n' && text[i] != '\r') line_begins = false;
  }
}

void Writer::check(const sync::OutgoingEdit& edit, const EditRequest& request) {
  const std::string& text = engine_.shadow().text();
  const text::PositionEncoding encoding = client_.model().encoding;
  if (edit.base_version != engine_.version()) fail("an edit is not made for the version of the shadow");
  if (text.compare(edit.edit.begin, edit.edit.end - edit.edit.begin, request.text) == 0) fail("an edit changes nothing");
  if (!text::is_valid_utf8(request.text)) fail("an edit is not UTF-8");
  if (offset_in(text, request.range.start, encoding) != edit.edit.begin || offset_in(text, request.range.end, encoding) != edit.edit.end) {
    fail("an edit begins or ends where the protocol has no position");
  }
  note_restored_frame(edit);
  const bool knows_text = client_.model().is_exact() && client_.model().counts == Counts::AsAgreed;
  if (request.by.part == Part::FrontMatter || !knows_text || in_doubt_) return;
  for (std::size_t i = edit.edit.begin; i < edit.edit.end; ++i) {
    const Glyph& glyph = client_.content().glyph(shadow_glyphs_[i]);
    const bool once_the_servers = glyph.flight != 0;  // an undo brought it back; of equal line ends nobody knows which
    if (glyph.author == Author::Person && !once_the_servers) fail("an edit deletes what the person wrote, at byte " + std::to_string(i));
  }
  if (request.by.region == kNoRegion && !request.text.empty()) fail("an edit writes outside of every region that may be written");
}

}  // namespace agent_doc::simulation
