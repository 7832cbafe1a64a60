#include "server/markdown/front_matter_syntax.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::markdown {

namespace {

class FlowReader {
 public:
  FlowReader(std::string_view text, std::size_t begin, std::size_t limit)
      : text_(text.substr(0, limit)), at_(begin + 1) {}

  std::optional<FlowMap> read() {
    FlowMap map;
    while (true) {
      skip_space();
      if (take('}')) {
        map.end = at_;
        return map;
      }
      std::optional<MapItem> item = read_item();
      if (!item) return std::nullopt;
      map.items.push_back(std::move(*item));
      skip_space();
      if (!take(',') && peek() != '}') return std::nullopt;
    }
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  /// Skips spaces, line ends and comments.
  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool comment = c == '#' && (text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t' ||
                                        text_[at_ - 1] == '\n' || text_[at_ - 1] == '\r');
      if (comment) {
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::optional<MapItem> read_item() {
    const Scalar key = read_scalar(text_, at_, text_.size(), ScalarContext::Flow);
    if (key.begin == key.end || !key.problem.empty()) return std::nullopt;
    MapItem item{
        key.value, key.begin, key.end, false, {key.end, key.end, ScalarStyle::Plain, {}, {}}};
    at_ = key.end;
    skip_space();
    if (!take(':')) return item;

    item.has_colon = true;
    item.value.begin = item.value.end = at_;
    const std::size_t after_colon = at_;
    skip_space();
    if (peek() == '{' || peek() == '[') {
      item.value.begin = at_;
      if (!skip_nested()) return std::nullopt;
      item.value.end = at_;
    } else if (peek() != ',' && peek() != '}') {
      item.value = read_scalar(text_, at_, text_.size(), ScalarContext::Flow);
      if (item.value.begin == item.value.end || !item.value.problem.empty()) return std::nullopt;
      at_ = item.value.end;
    } else {
      at_ = after_colon;
    }
    item.end = item.value.end;
    return item;
  }

  bool skip_nested() {
    std::string closing;
    do {
      const char c = peek();
      if (c == '{' || c == '[') closing += c == '{' ? '}' : ']';
      const bool at_value =
          std::string_view(" \t\r\n[{,:").find(text_[at_ - 1]) != std::string_view::npos;
      if ((c == '"' || c == '\'') && at_value) {
        const Scalar quoted = read_scalar(text_, at_, text_.size(), ScalarContext::Flow);
        if (!quoted.problem.empty()) return false;
        at_ = quoted.end;
        continue;
      }
      if (c == '}' || c == ']') {
        if (closing.back() != c) return false;
        closing.pop_back();
      }
      ++at_;
    } while (!closing.empty() && at_ < text_.size());
    return closing.empty();
  }

  std::string_view text_;
  std::size_t at_;
};

}  // namespace

std::optional<FlowMap> read_flow_map(std::string_view text, std::size_t begin, std::size_t limit) {
  return FlowReader(text, begin, limit).read();
}

}  // namespace agent_doc::markdown
