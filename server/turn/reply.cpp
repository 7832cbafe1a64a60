#include "server/turn/reply.hpp"

#include "server/markdown/scanner.hpp"
#include "server/turn/error_text.hpp"
#include "server/turn/message_text.hpp"
#include "server/turn/messages.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace agent_doc::turn {
namespace {

constexpr std::size_t kUnchanged = static_cast<std::size_t>(-1);

bool is_text(plugins::BlockKind kind) {
  return kind == plugins::BlockKind::Text;
}

bool continues_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

/// The bytes at the start of both that agree, cut between characters.
std::size_t common_characters(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  const auto end =
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shorter), b.begin()).first;
  auto common = static_cast<std::size_t>(end - a.begin());
  while (common > 0 && (continues_character(a, common) || continues_character(b, common))) --common;
  return common;
}

/// The length of `text` without blank lines at its end.
std::size_t without_trailing_newlines(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\n");
  const std::size_t space = last == std::string_view::npos ? 0 : last + 1;
  return std::min(text.find('\n', space), text.size());
}

/// What one message gives to one round: a stretch of the reply.
struct Segment {
  Message* message = nullptr;
  std::size_t round = 0;
  std::size_t begin = 0;  ///< byte of the reply, while it stands there
  enum class Joins { AsNext, AsContinuation } joins = Joins::AsNext;
};

/// What stands at its end may become a heading with what comes: then the line must be looked at as
/// a whole.
bool ends_in_heading(std::string_view text) {
  const std::string_view line = text.substr(text.find_last_of('\n') + 1);
  const std::size_t begin = line.find_first_not_of(' ');
  return begin != std::string_view::npos && line[begin] == '#';
}

/// Where an event's text comes from.
enum class Source { Delta, Snapshot };

}  // namespace

/// Segments stand in the order in which they got their first text. The last one is live: it grows
/// by appending; any other change renders the segments from the changed one on again and sends the
/// difference as one edit. With Rounds::Last the segments of a new round wait, unseen, until the
/// first of their text can be seen.
class Reply::State {
 public:
  State(Rounds rounds, Thinking thinking, RegionWrites& writes)
      : rounds_(rounds), thinking_(thinking), writes_(writes), live_(thinking, {}) {}

  void operator()(const plugins::SessionStarted&) { round_ends(); }
  void operator()(const plugins::MessageStarted& event) {
    if (!event.lane.empty()) return;
    if (Message* message = messages_.find(event.message)) {
      Messages::restart(*message);
    } else if (std::exchange(tool_ended_, false)) {
      round_ends();  // some tell what was said before a tool call only while the tool runs
    }
  }
  void operator()(const plugins::BlockStarted& event);
  void operator()(const plugins::TextDelta& event) {
    ++counts_.deltas;
    text_came(event.key, plugins::BlockKind::Text, event.text, Source::Delta);
  }
  void operator()(const plugins::ThinkingDelta& event) {
    ++counts_.deltas;
    text_came(event.key, plugins::BlockKind::Thinking, event.text, Source::Delta);
  }
  void operator()(const plugins::ToolInputDelta&) { ++counts_.deltas; }
  void operator()(const plugins::Snapshot& event) {
    ++counts_.snapshots;
    text_came(event.key, event.kind, event.text, Source::Snapshot);
  }
  void operator()(const plugins::MessageEnded& event);
  void operator()(const plugins::ToolStarted& event) {
    if (!event.lane.empty()) return;
    const std::size_t changed = drop_given_up(nullptr);
    if (changed != kUnchanged) render_again(changed);
    round_ends();
  }
  void operator()(const plugins::ToolEnded& event) {
    tool_ended_ = tool_ended_ || event.lane.empty();
  }
  void operator()(const plugins::TurnEnded& event);
  template <class Other>
  void operator()(const Other&) {}

  void finish(std::string_view failure);
  bool finished() const { return finished_; }
  const std::string& text() const { return text_; }
  bool has_text() const { return has_text_; }
  const ReplyCounts& counts() const { return counts_; }
  const std::vector<std::string>& earlier_rounds() const { return earlier_rounds_; }

 private:
  void text_came(const plugins::BlockKey& key, plugins::BlockKind kind, std::string_view piece,
                 Source source);
  void update(Message& message, FoundBlock found, std::string_view piece, Source source);
  void round_ends() { round_ended_ = !segments_.empty() && segments_.back().round == round_; }
  void give_segment(Message& message, Block& block);
  /// Takes the abandoned blocks of all messages but `except` away. The first segment that has to be
  /// rendered again.
  std::size_t drop_given_up(const Message* except);
  bool is_live(const Message& message, const Block& block) const;
  void feed(MessageText& message_text, plugins::BlockKind kind, std::string_view raw,
            std::string& out) const;

  /// The segments from `from` on that can be seen, and those that wait.
  void render_again(std::size_t from);
  std::string render(std::size_t from, std::size_t to, std::string_view before);
  void show(std::string_view added);
  void replace_tail(std::size_t from, std::string_view tail);
  void take_back_error(std::string_view failure);

  Rounds rounds_;
  Thinking thinking_;
  RegionWrites& writes_;

  Messages messages_;
  Message final_text_;              ///< of TurnEnded
  std::vector<Message*> given_up_;  ///< messages with abandoned blocks
  std::vector<Segment> segments_;
  MessageText live_;  ///< of the last segment

  std::size_t round_ = 0;
  bool round_ended_ = false;          ///< the next block begins a new round
  bool tool_ended_ = false;           ///< since the last new message
  std::size_t seen_begin_ = 0;        ///< the segments [seen_begin_, seen_end()) make the reply
  std::size_t seen_until_ = 0;        ///< while a new round waits
  std::size_t waiting_ = kUnchanged;  ///< first segment of the round that waits for its first text
  std::size_t seen_end() const { return waiting_ == kUnchanged ? segments_.size() : seen_until_; }

  std::string text_;
  std::string added_;  ///< a buffer, kept for its capacity
  bool main_text_ = false;
  bool has_text_ = false;
  bool finished_ = false;
  ReplyCounts counts_;
  std::vector<std::string> earlier_rounds_;
};

void Reply::State::operator()(const plugins::BlockStarted& event) {
  if (!event.key.lane.empty()) return;
  if (event.kind == plugins::BlockKind::ToolCall) {
    round_ends();
    return;
  }
  Message& message = messages_.get(event.key.message);
  if (!is_text(event.kind) && thinking_ == Thinking::None) {
    const auto there = message.blocks.find(event.key.index);
    if (there == message.blocks.end() || there->second.index_is_guess) return;
    const std::size_t segment = there->second.segment;
    message.blocks.erase(there);
    if (segment != kUnchanged) render_again(segment);
    return;
  }
  const FoundBlock found = Messages::at_index(message, event.key.index, event.kind);
  found.block.text.start();
  if (found.disturbed != kUnchanged) render_again(found.disturbed);
}

void Reply::State::operator()(const plugins::MessageEnded& event) {
  if (!event.lane.empty()) return;
  Message* message = messages_.find(event.message);
  if (message == nullptr) return;
  message->ended = true;
  message->cut = event.stop_reason == "max_tokens";
  if (event.abandoned_from) {
    for (auto block = message->blocks.lower_bound(*event.abandoned_from);
         block != message->blocks.end(); ++block)
      block->second.given_up = true;
    given_up_.push_back(message);
  }
  if (segments_.empty() || segments_.back().message != message) return;
  added_.clear();
  live_.finish(added_);
  show(added_);
}

void Reply::State::operator()(const plugins::TurnEnded& event) {
  if (main_text_ || event.text.empty()) return;
  FoundBlock found = Messages::at_index(final_text_, 0, plugins::BlockKind::Text);
  update(final_text_, found, event.text, Source::Snapshot);
}

void Reply::State::text_came(const plugins::BlockKey& key, plugins::BlockKind kind,
                             std::string_view piece, Source source) {
  const bool written =
      is_text(kind) || (kind == plugins::BlockKind::Thinking && thinking_ == Thinking::Fold);
  if (!key.lane.empty() || !written) return;
  Message& message = messages_.get(key.message);
  if (key.index < 0) {
    update(message, {Messages::for_snapshot(message, kind)}, piece, source);
  } else {
    update(message, Messages::at_index(message, key.index, kind), piece, source);
  }
}

void Reply::State::update(Message& message, FoundBlock found, std::string_view piece,
                          Source source) {
  Block& block = found.block;
  if (is_text(block.kind) && !piece.empty()) main_text_ = true;
  const BlockText::Change change =
      source == Source::Delta ? block.text.delta(piece) : block.text.snapshot(piece);
  counts_.replayed_bytes += change.replayed;
  if (change.repaired) ++counts_.repaired_snapshots;
  std::size_t changed = found.disturbed;
  if (!change.changed) {
    if (changed != kUnchanged) render_again(changed);
    return;
  }
  if (!given_up_.empty()) changed = std::min(changed, drop_given_up(&message));
  block.given_up = false;
  if (block.segment == kUnchanged) give_segment(message, block);
  if (message.ended) {
    message.ended = false;
    if (live_.wrote_at_finish() && segments_.back().message == &message)
      changed = std::min(changed, segments_.size() - 1);
  }
  if (changed == kUnchanged && !change.cut && is_live(message, block)) {
    added_.clear();
    feed(live_, block.kind, std::string_view(block.text.text()).substr(change.kept), added_);
    show(added_);
  } else if (changed != kUnchanged || block.segment >= seen_begin_) {
    render_again(std::min(changed, block.segment));
  }
}

void Reply::State::give_segment(Message& message, Block& block) {
  const bool has_one =
      message.last_segment != kUnchanged && segments_[message.last_segment].round == round_;
  if (has_one && !round_ended_) {
    block.segment = message.last_segment;
    return;
  }
  if (!segments_.empty()) {
    added_.clear();
    live_.finish(added_);
    show(added_);
  }
  if (round_ended_) {
    ++round_;
    round_ended_ = false;
    if (rounds_ == Rounds::Last) {
      if (waiting_ == kUnchanged) seen_until_ = segments_.size();
      waiting_ = segments_.size();
    }
  }
  using Joins = Segment::Joins;
  const std::string_view before =
      waiting_ == kUnchanged ? std::string_view(text_) : std::string_view();
  const bool goes_on = !before.empty() && segments_.back().round == round_ &&
                       segments_.back().message->cut && segments_.back().message != &message &&
                       !ends_in_heading(before);
  block.segment = message.last_segment = segments_.size();
  if (before.empty()) {
    live_ = MessageText(thinking_, {});
  } else {
    live_ = goes_on ? live_.continuing() : live_.following();
  }
  segments_.push_back(
      {&message, round_, before.size(), goes_on ? Joins::AsContinuation : Joins::AsNext});
}

std::size_t Reply::State::drop_given_up(const Message* except) {
  std::size_t first = kUnchanged;
  const auto drop = [&first, except](Message* message) {
    if (message == except) return false;
    for (auto block = message->blocks.begin(); block != message->blocks.end();) {
      if (!block->second.given_up) {
        ++block;
        continue;
      }
      first = std::min(first, block->second.segment);
      block = message->blocks.erase(block);
    }
    return true;
  };
  given_up_.erase(std::remove_if(given_up_.begin(), given_up_.end(), drop), given_up_.end());
  return first;
}

bool Reply::State::is_live(const Message& message, const Block& block) const {
  if (block.segment + 1 != segments_.size()) return false;
  for (auto last = message.blocks.rbegin(); &last->second != &block; ++last) {
    if (last->second.segment == block.segment && !last->second.text.text().empty()) return false;
  }
  return true;
}

void Reply::State::feed(MessageText& message_text, plugins::BlockKind kind, std::string_view raw,
                        std::string& out) const {
  if (is_text(kind)) {
    message_text.add_text(raw, out);
  } else {
    message_text.add_thinking(raw);
  }
}

void Reply::State::render_again(std::size_t from) {
  from = std::max(from, seen_begin_);
  if (from < seen_end()) {
    const std::size_t begin = segments_[from].begin;
    replace_tail(begin, render(from, seen_end(), std::string_view(text_).substr(0, begin)));
  }
  if (waiting_ != kUnchanged) show(render(waiting_, segments_.size(), {}));
}

std::string Reply::State::render(std::size_t from, std::size_t to, std::string_view before) {
  std::string tail;
  MessageText message_text(thinking_, before);
  for (std::size_t index = from; index < to; ++index) {
    Segment& segment = segments_[index];
    segment.begin = before.size() + tail.size();
    const bool goes_on = segment.joins == Segment::Joins::AsContinuation;
    if (goes_on) message_text = message_text.continuing();
    if (index > from && !goes_on) message_text = message_text.following();
    for (const auto& [position, block] : segment.message->blocks) {
      if (block.segment == index) feed(message_text, block.kind, block.text.text(), tail);
    }
    const bool last = index + 1 == segments_.size();
    if (!last || segment.message->ended || finished_) message_text.finish(tail);
  }
  if (to == segments_.size()) live_ = std::move(message_text);
  return tail;
}

/// Text of the last segment's end.
void Reply::State::show(std::string_view added) {
  if (added.empty()) return;
  has_text_ = true;
  const bool replaces = waiting_ != kUnchanged && !text_.empty();
  if (waiting_ != kUnchanged) seen_begin_ = std::exchange(waiting_, kUnchanged);
  if (replaces) {
    earlier_rounds_.push_back(std::move(text_));
    text_.clear();
  }
  const std::size_t offset = text_.size();
  text_.append(added);
  writes_.write({kReplyRegion, offset, added});
}

void Reply::State::replace_tail(std::size_t from, std::string_view tail) {
  const std::string_view old = std::string_view(text_).substr(from);
  const std::size_t kept = common_characters(old, tail);
  if (kept == old.size() && kept == tail.size()) return;
  text_.resize(from + kept);
  text_.append(tail.substr(kept));
  if (!text_.empty()) has_text_ = true;
  writes_.write({kReplyRegion, from + kept, tail.substr(kept)});
}

/// What stood before it comes back, when a new round had taken its place.
void Reply::State::take_back_error(std::string_view failure) {
  if (segments_.empty() || seen_end() != segments_.size()) return;
  const std::size_t begin = std::min(segments_.back().begin, text_.size());
  if (!is_error_text(std::string_view(text_).substr(begin), failure)) return;
  std::string before;
  if (begin == 0 && !earlier_rounds_.empty()) {
    before = std::move(earlier_rounds_.back());
    earlier_rounds_.pop_back();
  }
  replace_tail(begin, before);
  has_text_ = !text_.empty();
}

void Reply::State::finish(std::string_view failure) {
  if (finished_) return;
  finished_ = true;
  added_.clear();
  live_.finish(added_);
  show(added_);
  take_back_error(failure);
  const std::size_t end = without_trailing_newlines(text_);
  std::string tail;
  if (const std::string line = markdown::missing_closing_line(text_); !line.empty())
    tail.append("\n").append(line);
  replace_tail(end, tail);
}

Reply::Reply(Rounds rounds, Thinking thinking, RegionWrites& writes)
    : state_(std::make_unique<State>(rounds, thinking, writes)) {}
Reply::~Reply() = default;
Reply::Reply(Reply&&) noexcept = default;

void Reply::on_event(const plugins::AgentEvent& event) {
  if (!state_->finished()) std::visit(*state_, event);
}

void Reply::finish(std::string_view failure) {
  state_->finish(failure);
}
const std::string& Reply::text() const {
  return state_->text();
}
bool Reply::has_text() const {
  return state_->has_text();
}
const ReplyCounts& Reply::counts() const {
  return state_->counts();
}
const std::vector<std::string>& Reply::earlier_rounds() const {
  return state_->earlier_rounds();
}

}  // namespace agent_doc::turn
