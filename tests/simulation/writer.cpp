#include "tests/simulation/writer.hpp"

#include "server/text/line_ends.hpp"
#include "server/text/utf8.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

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
std::optional<text::Edit> set_session(const std::string& text, const std::string& value,
                                      const std::string& nl) {
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

}  // namespace writer_internal

Writer::Writer(const Client& client, const Setting& setting, std::vector<WantedRegion>& wanted,
               WriterCounts& counts, Trace& trace)
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
      note_changes(message);
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
      fail("the shadow is " + quoted(engine_.shadow().text()) + ", the client's text was " +
           quoted(message.text));
    }
  }
  settle(now);
}

// --- time ---

std::optional<Time> Writer::wakes_at() const {
  std::optional<Time> at;
  if (const std::optional<session::TimePoint> wakeup = pacer_.wakeup())
    at = writer_internal::logical(*wakeup);
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
  for (std::size_t i = 0; i < at; ++i)
    last_above = std::max(last_above, truth.glyph(shadow_glyphs_[i]).region);
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
  region.above.assign(shadow_glyphs_.begin(),
                      shadow_glyphs_.begin() + static_cast<std::ptrdiff_t>(at));
  region.below.assign(shadow_glyphs_.begin() + static_cast<std::ptrdiff_t>(at),
                      shadow_glyphs_.end());
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
  std::size_t offset =
      step.where % 4 == 0
          ? 0
          : text::floor_boundary(region.reply, step.where % (region.reply.size() + 1));
  if (offset > 0 && offset < region.reply.size() && region.reply[offset - 1] == '\r') --offset;
  std::string bytes = step.size % 5 == 0 ? std::string() : made_up(step.text, 8);
  // Often a correction: most of what stood there is said again.
  if (step.size % 3 == 0) bytes = region.reply.substr(offset) + bytes;
  trace_.line(now, "agent: replaces from ", offset, " by ", Shown{bytes});
  region.said.push_back(region.reply);
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
  if (const std::optional<sync::OutgoingEdit> edit =
          pacer_.next(writer_internal::time_point(now))) {
    EditRequest request = request_for(*edit);
    check(*edit, request);
    trace_.line(now, "server: edit ", request.number, " of version ", request.base_version, ", [",
                edit->edit.begin, ", ", edit->edit.end, ") -> ", Shown{request.text});
    ++counts_.sent;
    sent_ = request.number;
    waiting_ = true;
    answer_due_ = now + writer_internal::kAnswerTimeout;
    if (seen_edit_ != last_request_.number) unseen_edits_.push_back(last_request_);
    last_request_ = request;
    first_typed_beside_ = next_glyph_;
    outbox_.push_back(std::move(request));
  }
  for (const sync::Notice& notice : engine_.take_notices()) look_at(notice, now);
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    const sync::RegionState state = engine_.region_state(wanted_[i].id);
    // A region that the engine has forgotten ended as it was seen last.
    if (state == sync::RegionState::Settled && wanted_[i].state == sync::RegionState::Growing)
      check_line_below(i);
    const bool forgotten =
        state == sync::RegionState::Settled && wanted_[i].state == sync::RegionState::Detached;
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
    const bool is_found =
        notice.kind == sync::NoticeKind::RegionResumed && notice.region == region.id;
    if (is_found && region.state == sync::RegionState::Detached) ++counts_.found_again;
  }
  if (notice.kind == sync::NoticeKind::RegionPaused) was_paused_ = in_doubt_ = true;
  const bool counts_otherwise = client_.model().counts != Counts::AsAgreed;
  if (notice.kind == sync::NoticeKind::ShadowLost && !counts_otherwise) fail("the shadow is lost");
  if (notice.kind == sync::NoticeKind::ClientIgnoresVersions) {
    pacer_.wait_for_silence();
    const bool checks = client_.model().check == VersionCheck::Strict &&
                        client_.model().versions != Versions::CountReports &&
                        client_.model().makes == Makes::BeforeItsAnswer;
    if (checks && !counts_otherwise)
      fail("a client that checks versions is taken for one that does not");
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
    region.reply = region.reply.substr(0, notice.reply_offset) +
                   text::with_line_ends(region.reply.substr(notice.reply_offset), notice.line_end);
    if (region.state != sync::RegionState::Opening) continue;
    region.frame.head = text::with_line_ends(region.frame.head, notice.line_end);
    region.frame.tail = text::with_line_ends(region.frame.tail, notice.line_end);
  }
  line_end_ = notice.line_end;
}

}  // namespace agent_doc::simulation
