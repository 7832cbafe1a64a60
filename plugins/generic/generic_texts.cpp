#include "plugins/generic/generic_texts.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace agent_doc::plugins {
namespace {

/// After this many consecutive growths from the first text on, texts are snapshots.
constexpr int kGrowthsOfSnapshots = 2;

std::string without_blanks(std::string_view text) {
  std::string dense;
  std::copy_if(text.begin(), text.end(), std::back_inserter(dense),
               [](char c) { return c != ' ' && c != '\n'; });
  return dense;
}

}  // namespace

GenericTexts::Taken GenericTexts::take(GenericEvent& event, Actions& actions) {
  using TextMode = GenericAgent::TextMode;
  if (mode_ == TextMode::Messages) next_message();
  if (mode_ != TextMode::Auto) {
    give(event, mode_ != TextMode::Deltas, actions);
  } else if ((event.ends() && !event.text.is_delta) || event.text.place == "generated_text") {
    event.is_of_a_piece() ? on_whole(event, actions) : on_final(event, actions);
    return event.is_of_a_piece() ? Taken::WholeMessage : Taken::WholeTurn;
  } else if (event.is_message) {
    on_message(event, actions);
  } else {
    on_piece(event, actions);
  }
  return given_whole_ ? Taken::WholeSoFar : Taken::New;
}

/// The top-level `id` counts where nothing else names the message, except in an event that ends an
/// unnamed text, which has an id of its own.
void GenericTexts::name_message(std::string_view top_level_id, GenericEvent& event) {
  const bool is_part = event.text.is_delta || event.adds();
  if (event.ends() && !is_part && (!event.is_of_a_piece() || (!text_.empty() && !message_ended_)))
    return;
  event.id = ids_.message_of(top_level_id,
                             is_part ? TopLevelIds::Piece::Part : TopLevelIds::Piece::Unknown);
}

/// Takes a complete message: the current one when it continues its text, else another one.
void GenericTexts::on_message(GenericEvent& event, Actions& actions) {
  if (event.id.empty() && !text_.empty() && !goes_on(event)) {
    if (repeats_all(event.text.text)) return;
    next_message();
  }
  if (find_block(event)) give(event, true, actions);
}

/// Returns false when the complete text of `event` repeats the blocks of its message.
bool GenericTexts::find_block(GenericEvent& event) {
  if (event.id.empty() || event.has_index) return true;
  const std::optional<std::int64_t> block = blocks_.of_whole(event.id, event.text.text);
  if (block) event.index = *block;
  return block.has_value();
}

void GenericTexts::on_piece(GenericEvent& event, Actions& actions) {
  if (event.is_last_part && goes_on(event)) return on_whole(event, actions);
  if (message_ended_ && event.id.empty()) next_message();
  const bool is_whole = event.starts() || is_whole_text(event);
  if (!is_whole && !event.id.empty() && !event.has_index)
    event.index = blocks_.of_piece(event.id, event.text.text);
  give(event, is_whole, actions);
}

/// Takes an event that ends a message and repeats its text. Several may do so in a row.
void GenericTexts::on_whole(GenericEvent& event, Actions& actions) {
  const std::string& text = event.text.text;
  if (event.id.empty() && !text_.empty() && !text.starts_with(text_)) {
    if ((message_ended_ && text_.ends_with(text)) || repeats_all(text)) return;
    if (message_ended_) next_message();
  }
  const bool is_new = find_block(event);
  blocks_.ended(event.id);
  if (is_new) give(event, true, actions);
  message_ended_ = true;
}

/// Returns true when `text` is the last of several messages with all earlier ones before it.
bool GenericTexts::repeats_all(std::string_view text) const {
  if (earlier_.empty() || text_.empty() || text.size() < earlier_.size() || !text.ends_with(text_))
    return false;
  text.remove_suffix(text_.size());
  return without_blanks(text) == without_blanks(earlier_);
}

/// Takes the final text. If there was one message, it is that message; of several it may be the
/// last one or all of them.
void GenericTexts::on_final(const GenericEvent& event, Actions& actions) {
  message_ended_ = true;
  if (several_texts_ || event.text.text.empty()) return;
  if (given_.empty()) return give(event, true, actions);
  actions.emit(Snapshot{{{}, given_, given_index_}, BlockKind::Text, event.text.text});
}

void GenericTexts::give(const GenericEvent& event, bool is_whole, Actions& actions) {
  if (event.id.empty()) {
    if (is_whole) text_.clear();
    text_ += event.text.text;
  }
  const BlockKey key = key_of(event);
  if (!given_.empty() && (given_ != key.message || given_index_ != key.index))
    several_texts_ = true;
  given_ = key.message;
  given_index_ = key.index;
  given_whole_ = is_whole;
  if (is_whole) {
    actions.emit(Snapshot{key, BlockKind::Text, event.text.text});
  } else {
    actions.emit(TextDelta{key, event.text.text});
  }
}

/// Returns true when the text is all of its message so far, false when it is an addition.
bool GenericTexts::is_whole_text(const GenericEvent& event) {
  if (event.text.is_delta || event.has({"delta"})) return false;
  const BlockKey key = key_of(event);
  const std::string name = std::string(key.message) + "/" + std::to_string(key.index);
  auto known = watched_.find(name);
  if (known == watched_.end() && watched_.size() >= kMaxWatchedTexts) return false;
  if (known == watched_.end()) {
    watched_.emplace(name, Watched{Watched::Mode::Open, event.text.text, 0});
    return false;
  }
  Watched& text = known->second;
  if (text.mode != Watched::Mode::Open) return text.mode == Watched::Mode::Snapshots;
  const bool grows =
      event.text.text.size() > text.last.size() && event.text.text.starts_with(text.last);
  if (!grows) {
    text = {Watched::Mode::Deltas, {}, 0};
  } else if (++text.growths >= kGrowthsOfSnapshots) {
    text = {Watched::Mode::Snapshots, {}, 0};
  } else {
    text.last = event.text.text;
  }
  return text.mode == Watched::Mode::Snapshots;
}

/// Returns true when the text continues everything that arrived of its message.
bool GenericTexts::goes_on(const GenericEvent& event) const {
  const BlockKey key = key_of(event);
  const auto known = watched_.find(std::string(key.message) + "/" + std::to_string(key.index));
  if (known != watched_.end() && !known->second.last.empty() &&
      event.text.text.starts_with(known->second.last))
    return true;
  return event.id.empty() && !text_.empty() && event.text.text.starts_with(text_);
}

BlockKey GenericTexts::key_of(const GenericEvent& event) const {
  // Thoughts come before the texts.
  const std::int64_t block = 2 * event.index + (event.text.is_thought ? 0 : 1);
  return {{}, event.id.empty() ? std::string_view(message_) : event.id, block};
}

void GenericTexts::next_message() {
  message_ended_ = false;
  ids_.next_message();
  if (text_.empty()) return;
  earlier_ += std::exchange(text_, {});
  message_ = std::to_string(++messages_);
}

}  // namespace agent_doc::plugins
