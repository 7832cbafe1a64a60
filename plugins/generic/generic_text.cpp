#include "plugins/generic/generic_text.hpp"

#include "plugins/json_line.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace agent_doc::plugins {
namespace {

constexpr int kMaxDepth = 6;

bool is_small(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_large(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Fields that contain the agent's text, or lead to it.
constexpr std::array<std::string_view, 20> kFields = {
    "delta",   "text",       "content", "message",        "output", "response", "thinking",
    "result",  "part",       "parts",   "item",           "data",   "event",    "params",
    "choices", "candidates", "payload", "generated_text", "token",  "answer"};
/// Fields whose text is an addition.
constexpr std::array<std::string_view, 4> kNewest = {"delta", "token", "candidates", "choices"};
/// Fields that name the kind of a line; a text in them is a name.
constexpr std::array<std::string_view, 1> kNames = {"event"};

template <std::size_t Size>
bool is_in(const std::array<std::string_view, Size>& fields, std::string_view field) {
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

constexpr std::array<std::string_view, 6> kLevels = {"level",     "severity", "lvl",
                                                     "log_level", "loglevel", "levelname"};
constexpr std::array<std::string_view, 5> kSpeakers = {"role", "author", "sender", "speaker",
                                                       "from"};

bool is_of_other(std::string_view role) {
  return role == "tool" || role == "system" || role == "developer" || role == "function" ||
         role.find("user") != std::string_view::npos ||
         role.find("human") != std::string_view::npos;
}

/// Returns true for {"role": "user"} and {"author": {"role": "user"}}.
bool is_said_by_other(const boost::json::object& object) {
  return std::any_of(kSpeakers.begin(), kSpeakers.end(), [&object](std::string_view field) {
    const boost::json::object* speaker = object_of(object, field);
    return is_of_other(speaker != nullptr ? string_of(*speaker, "role") : string_of(object, field));
  });
}

bool has_level(const boost::json::object& line) {
  return std::any_of(kLevels.begin(), kLevels.end(), [&line](std::string_view field) {
    const boost::json::value* level = line.if_contains(field);
    return level != nullptr &&
           (level->is_int64() || (level->is_string() && !level->get_string().empty()));
  });
}

class TextSearch {
 public:
  static FoundText in(const boost::json::object& object) {
    TextSearch search;
    search.look_into(object, 0);
    return std::move(search.result_);
  }

 private:
  void look_into(const boost::json::object& object, int depth) {
    if (depth > kMaxDepth || is_said_by_other(object) || is_true(object, "special")) return;
    Words words;
    add_words(string_of(object, "type"), words);
    if (depth > 0 && (is_about_tools(words) || is_about_status(words) || is_about_others(words) ||
                      has_any(words, {"error"})))
      return;
    const bool was_thought = result_.is_thought;
    if (is_about_thoughts(words) || is_true(object, "thought")) {
      if (result_.found && !result_.is_thought) return;
      result_.is_thought = true;
    }
    for (const std::string_view field : kFields) {
      const boost::json::value* value = object.if_contains(field);
      if (value == nullptr || (is_in(kNames, field) && value->is_string())) continue;
      const bool before = result_.found;
      const std::string place = place_;
      const bool is_newest = is_in(kNewest, field) && !object.contains("message");
      place_ += (place_.empty() ? "" : ".") + std::string(field);
      if (is_newest) result_.is_delta = true;
      look_at(*value, depth);
      if (result_.found && !before) return;
      if (is_newest) result_.is_delta = false;
      place_ = place;
    }
    result_.is_thought = was_thought;
  }

  void look_at(const boost::json::value& value, int depth) {
    if (const boost::json::string* text = value.if_string()) {
      result_.text.append(text->data(), text->size());
      result_.found = true;
      result_.place = place_;
    } else if (const boost::json::object* object = value.if_object()) {
      look_into(*object, depth + 1);
    } else if (const boost::json::array* array = value.if_array()) {
      place_ += "[]";
      for (const boost::json::value& element : *array) {
        FoundText found;
        if (const boost::json::object* inner = element.if_object()) {
          TextSearch search;
          search.place_ = place_;
          search.look_into(*inner, depth + 1);
          found = std::move(search.result_);
        } else if (const boost::json::string* plain = element.if_string()) {
          found = {std::string(plain->data(), plain->size()), true, false, false, place_};
        }
        take(found);
      }
    }
  }

  /// Text is preferred to thoughts.
  void take(const FoundText& found) {
    if (!found.found || (result_.found && !result_.is_thought && found.is_thought)) return;
    if (result_.found && result_.is_thought && !found.is_thought) result_.text.clear();
    result_.text += found.text;
    result_.found = true;
    result_.place = found.place;
    result_.is_thought = found.is_thought;
    result_.is_delta = result_.is_delta || found.is_delta;
  }

  FoundText result_;
  std::string place_;
};

}  // namespace

void add_words(std::string_view name, Words& words) {
  std::string word;
  const auto end = [&word, &words] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  char before = '\0';
  for (const char c : name) {
    const bool begins = is_large(c) && is_small(before);
    before = c;
    if (is_large(c)) {
      if (begins) end();
      word.push_back(static_cast<char>(c - 'A' + 'a'));
    } else if (is_small(c) || is_digit(c)) {
      word.push_back(c);
    } else {
      end();
    }
  }
  end();
}

bool has_any(const Words& words, std::initializer_list<std::string_view> looked_for) {
  return std::any_of(words.begin(), words.end(), [looked_for](const std::string& word) {
    return std::find(looked_for.begin(), looked_for.end(), word) != looked_for.end();
  });
}

bool is_about_tools(const Words& words) {
  return has_any(words, {"tool", "tools", "function", "command", "exec", "mcp"});
}
bool is_about_thoughts(const Words& words) {
  return has_any(words, {"thinking", "thought", "thoughts", "reasoning"});
}

bool is_about_status(const Words& words) {
  return has_any(words, {"status", "log", "logs", "info", "debug", "trace", "warning", "warn",
                         "notice", "notification", "ping", "pong", "heartbeat", "keepalive",
                         "telemetry", "metrics", "hook"});
}

bool is_about_others(const Words& words) {
  return has_any(words, {"system", "prompt"}) ||
         std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word.find("user") != std::string::npos || word.find("human") != std::string::npos;
         });
}

bool is_of_log(const boost::json::object& line) {
  if (!has_level(line) || line.contains("role")) return false;
  constexpr std::array<std::string_view, 5> kMessages = {"message", "msg", "text", "event",
                                                         "fields"};
  return std::any_of(kMessages.begin(), kMessages.end(),
                     [&line](std::string_view field) { return line.contains(field); });
}

bool is_in_state(const boost::json::object& line) {
  std::string_view state;
  for (const std::string_view field : {"status", "state", "stage", "phase"}) {
    if (state.empty()) state = string_of(line, field);
  }
  const bool is_end = state == "ok" || state == "success" || state == "succeeded" ||
                      state == "done" || state == "complete" || state == "completed" ||
                      state == "finished" || state == "final";
  return !state.empty() && !is_end && !string_of(line, "message").empty() &&
         string_of(line, "role").empty();
}

FoundText find_text(const boost::json::object& event) {
  return TextSearch::in(event);
}

}  // namespace agent_doc::plugins
