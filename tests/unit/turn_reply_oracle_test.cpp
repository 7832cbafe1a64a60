// What it is: random scripts of events against a slow, simple model that makes the whole text anew
// after every event.
// What it is not: the named cases (turn_reply_test.cpp).
#include "tests/unit/turn_reply_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {
namespace reply_oracle_test {

/// Without escape sequences and control characters, "\n" for every line end.
std::string clean(const std::string& raw) {
  std::string out;
  for (std::size_t at = 0; at < raw.size();) {
    const auto byte = [&raw](std::size_t i) { return static_cast<unsigned char>(raw[i]); };
    const auto skip = [&](unsigned low, unsigned high) {
      while (at < raw.size() && byte(at) >= low && byte(at) <= high) ++at;
    };
    const auto skip_final = [&](unsigned low) {
      if (at < raw.size() && byte(at) >= low && byte(at) <= 0x7E) ++at;
    };
    if (byte(at) == 0x1B) {
      ++at;
      if (at < raw.size() && raw[at] == '[') {
        ++at;
        skip(0x20, 0x3F);
        skip_final(0x40);
      } else {
        skip(0x20, 0x2F);
        skip_final(0x30);
      }
    } else if (raw[at] == '\r') {
      out.push_back('\n');
      at += at + 1 < raw.size() && raw[at + 1] == '\n' ? 2 : 1;
    } else {
      out.push_back(raw[at++]);
    }
  }
  return out;
}

/// Without thoughts. What may still become one is left out while the text is open.
std::string without_thoughts(std::string text, bool closed) {
  const std::string opening = "<think>";
  const std::string closing = "</think>";
  std::size_t from = 0;
  for (std::size_t at = text.find(opening); at != std::string::npos;
       at = text.find(opening, from)) {
    const std::size_t end = text.find(closing, at + opening.size());
    if (end == std::string::npos) return closed ? text : text.substr(0, at);
    text.erase(at, end + closing.size() - at);
    from = at;
  }
  if (closed) return text;
  for (std::size_t length = std::min(opening.size() - 1, text.size() - from); length > 0;
       --length) {
    if (std::string_view(text).substr(text.size() - length) ==
        std::string_view(opening).substr(0, length))
      return text.substr(0, text.size() - length);
  }
  return text;
}

std::string without_leading_blank_lines(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return {};
  const std::size_t line = text.substr(0, begin).rfind('\n');
  return text.substr(line == std::string::npos ? 0 : line + 1);
}

struct ModelBlock {
  std::string text;
  std::string before_restart, sent_again;
  bool restarted = false, replaying = false, given_up = false;
  std::size_t segment = kUnplaced;
  static constexpr std::size_t kUnplaced = static_cast<std::size_t>(-1);
};

struct ModelMessage {
  std::map<int, ModelBlock> blocks;
  bool ended = false;
};

struct ModelSegment {
  std::string message;
  int round = 0;
};

class Model {
 public:
  explicit Model(Rounds rounds) : rounds_(rounds) {}

  void start_message(const std::string& id) {
    for (auto& [index, block] : messages_[id].blocks) {
      block.restarted = true;
      block.given_up = false;
    }
  }

  void delta(const std::string& id, int index, const std::string& piece) {
    ModelBlock& block = messages_[id].blocks[index];
    const std::string before = block.text;
    if (block.restarted) {
      block.restarted = false;
      block.replaying = !block.text.empty();
      block.before_restart = block.text;
      block.sent_again.clear();
    }
    if (block.replaying) {
      block.sent_again += piece;
      const bool behind = block.before_restart.starts_with(block.sent_again) &&
                          block.sent_again != block.before_restart;
      block.text = behind ? block.before_restart : block.sent_again;
      block.replaying = behind;
    } else {
      block.text += piece;
    }
    if (block.text != before) changed(id, index);
  }

  void snapshot(const std::string& id, int index, const std::string& whole) {
    ModelBlock& block = messages_[id].blocks[index];
    const std::string before = block.text;
    const bool stale = block.text.starts_with(whole) && whole != block.text;
    if (stale && !(block.replaying && !whole.empty() && block.sent_again == whole)) return;
    block.text = whole;
    block.replaying = false;
    if (block.text != before) changed(id, index);
  }

  void end_message(const std::string& id, int abandoned_from) {
    if (!messages_.contains(id)) return;
    messages_[id].ended = true;
    if (abandoned_from < 0) return;
    for (auto& [index, block] : messages_[id].blocks)
      block.given_up = block.given_up || index >= abandoned_from;
  }

  void tool() {
    drop_given_up("");
    if (!segments_.empty() && segments_.back().round == round_) round_ended_ = true;
  }

  std::string text() {
    std::string shown = render(shown_round_);
    if (rounds_ == Rounds::All) return render(0);
    if (const std::string current = render(round_); !current.empty()) {
      shown_round_ = round_;
      shown = current;
    }
    return shown;
  }

  void finish() { finished_ = true; }

 private:
  void changed(const std::string& id, int index) {
    drop_given_up(id);
    ModelMessage& message = messages_[id];
    ModelBlock& block = message.blocks[index];
    block.given_up = false;
    message.ended = false;
    if (block.segment != ModelBlock::kUnplaced) return;
    for (std::size_t segment = 0; segment < segments_.size() && !round_ended_; ++segment) {
      if (segments_[segment].message == id && segments_[segment].round == round_)
        block.segment = segment;
    }
    if (block.segment != ModelBlock::kUnplaced) return;
    segments_.push_back({"", round_});
    text();  // the one before is closed now, and can be seen even when its round ends here
    segments_.pop_back();
    if (round_ended_) ++round_;
    round_ended_ = false;
    block.segment = segments_.size();
    segments_.push_back({id, round_});
  }

  void drop_given_up(const std::string& except) {
    for (auto& [id, message] : messages_) {
      if (id != except)
        std::erase_if(message.blocks, [](const auto& entry) { return entry.second.given_up; });
    }
  }

  std::string render(int round) {
    std::string text;
    for (std::size_t segment = 0; segment < segments_.size(); ++segment) {
      if (rounds_ == Rounds::Last && segments_[segment].round != round) continue;
      const ModelMessage& message = messages_[segments_[segment].message];
      std::string raw;
      for (const auto& [index, block] : message.blocks) {
        if (block.segment == segment) raw += block.text;
      }
      const bool closed = segment + 1 < segments_.size() || message.ended || finished_;
      const std::string part = without_leading_blank_lines(without_thoughts(clean(raw), closed));
      if (part.empty()) continue;
      while (!text.empty() && !text.ends_with("\n\n")) text += "\n";
      text += part;
    }
    return text;
  }

  Rounds rounds_;
  std::map<std::string, ModelMessage> messages_;
  std::vector<ModelSegment> segments_;
  int round_ = 0;
  int shown_round_ = 0;
  bool round_ended_ = false;
  bool finished_ = false;
};

std::string without_blank_end(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\n");
  return text.substr(
      0, std::min(text.size(), text.find('\n', last == std::string::npos ? 0 : last + 1)));
}

class Script {
 public:
  explicit Script(std::uint32_t seed)
      : random_(seed),
        rounds_(below(2) == 0 ? Rounds::Last : Rounds::All),
        fixture_(rounds_),
        model_(rounds_) {}

  void run() {
    for (int step = below(60); step >= 0; --step) {
      event();
      REQUIRE(fixture_.reply.text() == model_.text());
    }
    model_.finish();
    REQUIRE(fixture_.finish() == without_blank_end(model_.text()));
  }

 private:
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

  std::string piece() {
    static const std::vector<std::string> kPieces = {
        "a",  "b",       "ab",   " ", "\n", "\n\n",   "\u00e9",  "\u6f22",   "\r\n", "\r",
        "\n", "\x1b[1m", "\x1b", "[", "<",  "think>", "<think>", "</think>", "x",    "aaaa"};
    return kPieces[static_cast<std::size_t>(below(static_cast<int>(kPieces.size())))];
  }
  std::string text(int most) {
    std::string text;
    for (int i = below(most); i >= 0; --i) text += piece();
    return text;
  }

  void event() {
    const int index = below(5) == 0 ? below(4) : index_;
    const int what = below(100);
    if (what < 50) {
      const std::string added = text(3);
      sent_[message_][index] += added;
      fixture_.of(message_).delta(index, added);
      model_.delta(message_, index, added);
    } else if (what < 62) {
      std::string whole = sent_[message_][index];
      if (below(3) == 0)
        whole =
            whole.substr(0, static_cast<std::size_t>(below(static_cast<int>(whole.size()) + 1)));
      if (below(3) == 0) whole += text(2);
      while (!whole.empty() && static_cast<unsigned char>(whole.back()) >= 0x80) whole.pop_back();
      fixture_.of(message_).snapshot(index, whole);
      model_.snapshot(message_, index, whole);
    } else if (what < 70) {
      index_ = below(4);
    } else if (what < 80) {
      message_ = std::string(1, static_cast<char>('a' + below(4)));
      index_ = 0;
    } else if (what < 84) {
      fixture_.message(message_);
      model_.start_message(message_);
      resend();
    } else if (what < 90) {
      fixture_.of(message_).end();
      model_.end_message(message_, -1);
    } else if (what < 94) {
      const int from = below(3);
      fixture_.of(message_).abandon(from);
      model_.end_message(message_, from);
    } else {
      fixture_.tool("t");
      model_.tool();
    }
  }

  /// What was sent before comes again, in other pieces, with or without a difference.
  void resend() {
    for (auto& [index, whole] : sent_[message_]) {
      std::string again = below(2) == 0 ? whole : whole.substr(0, whole.size() / 2) + text(2);
      std::string valid;
      for (const char c : again) {
        if (static_cast<unsigned char>(c) < 0x80) valid.push_back(c);
      }
      whole = valid;
      const std::size_t cut = valid.size() / 3;
      for (const std::string& part : {valid.substr(0, cut), valid.substr(cut)}) {
        fixture_.of(message_).delta(index, part);
        model_.delta(message_, index, part);
        REQUIRE(fixture_.reply.text() == model_.text());
      }
    }
  }

  std::mt19937 random_;
  Rounds rounds_;
  ReplyFixture fixture_;
  Model model_;
  std::string message_ = "a";
  int index_ = 0;
  std::map<std::string, std::map<int, std::string>> sent_;
};

TEST_CASE("random scripts of events give the text of the simple model after every event") {
  for (std::uint32_t seed = 1; seed <= 4'000; ++seed) {
    CAPTURE(seed);
    Script(seed).run();
  }
}

}  // namespace reply_oracle_test
}  // namespace agent_doc::turn
