#include "tests/e2e/protocol_examples.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <stdexcept>
#include <utility>

namespace agent_doc::e2e {
namespace protocol_examples_internal {

namespace json = boost::json;

constexpr std::string_view kAnything = "<any>";
constexpr std::string_view kMoreFields = "…";

// --- placeholders ---

struct Placeholder {
  std::size_t begin;
  std::size_t end;
};

/// The next `<name>` of small letters, digits and dashes.
std::optional<Placeholder> next_placeholder(std::string_view text, std::size_t from) {
  for (std::size_t begin = text.find('<', from); begin != std::string_view::npos;
       begin = text.find('<', begin + 1)) {
    const std::size_t end =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", begin + 1);
    if (end != std::string_view::npos && end > begin + 1 && text[end] == '>')
      return Placeholder{begin, end + 1};
  }
  return std::nullopt;
}

std::optional<std::string> whole_placeholder(std::string_view text) {
  const auto found = next_placeholder(text, 0);
  if (!found || found->begin != 0 || found->end != text.size()) return std::nullopt;
  return std::string(text);
}

/// A text with placeholders inside. A new one reaches to the next place where the text behind it
/// goes on.
bool matches_text(std::string_view pattern, std::string_view actual, Captures& captures) {
  const auto found = next_placeholder(pattern, 0);
  if (!found) return pattern == actual;
  if (!actual.starts_with(pattern.substr(0, found->begin))) return false;
  actual.remove_prefix(found->begin);
  const std::string name(pattern.substr(found->begin, found->end - found->begin));
  pattern.remove_prefix(found->end);

  if (const auto known = captures.find(name); known != captures.end()) {
    const std::string text =
        known->second.is_string() ? std::string(known->second.get_string()) : std::string();
    return actual.starts_with(text) && matches_text(pattern, actual.substr(text.size()), captures);
  }
  const auto behind = next_placeholder(pattern, 0);
  const std::string_view literal = pattern.substr(0, behind ? behind->begin : pattern.size());
  const std::size_t length =
      behind ? actual.find(literal) : actual.size() - std::min(actual.size(), literal.size());
  if (length == std::string_view::npos) return false;
  if (name != kAnything) captures.insert_or_assign(name, json::string(actual.substr(0, length)));
  return matches_text(pattern, actual.substr(length), captures);
}

bool matches_string(std::string_view pattern, const json::value& actual, Captures& captures) {
  if (pattern == kAnything) return true;
  if (const auto name = whole_placeholder(pattern))
    return captures.try_emplace(*name, actual).first->second == actual;
  return actual.is_string() && matches_text(pattern, actual.get_string(), captures);
}

bool matches_object(const json::object& pattern, const json::object& actual, Captures& captures) {
  const bool may_have_more = pattern.contains(kMoreFields);
  if (!may_have_more && pattern.size() != actual.size()) return false;
  for (const auto& field : pattern) {
    if (field.key() == kMoreFields) continue;
    // A key may hold a placeholder, too: `changes` of a WorkspaceEdit are named by URI.
    const json::value key = filled_in(json::string(field.key()), captures);
    const json::value* value = actual.if_contains(key.get_string());
    if (value == nullptr || !matches(field.value(), *value, captures)) return false;
  }
  return true;
}

std::string fill_text(std::string_view text, const Captures& captures) {
  std::string filled;
  std::size_t done = 0;
  while (const auto found = next_placeholder(text, done)) {
    const std::string_view name = text.substr(found->begin, found->end - found->begin);
    const auto known = captures.find(name);
    if (known == captures.end() || !known->second.is_string())
      throw std::runtime_error("nothing is known of " + std::string(name));
    filled.append(text.substr(done, found->begin - done)).append(known->second.get_string());
    done = found->end;
  }
  return filled.append(text.substr(done));
}

// --- the document ---

constexpr std::string_view kSetup = "### Setup: ";
constexpr std::string_view kExample = "### Example: ";
constexpr std::string_view kStartsWith = "Starts with the setup \"";
constexpr std::string_view kNotShown = "Not shown: ";

constexpr std::string_view kRestart = "```text restart";

const std::map<std::string_view, StepKind> kFences{
    {"```json client", StepKind::Client}, {"```text client", StepKind::ClientRaw},
    {"```json server", StepKind::Server}, {"```text exit", StepKind::Exit},
    {kRestart, StepKind::Restart},
};

class Reader {
 public:
  void line(std::string_view text) {
    ++line_;
    if (in_fence_) {
      fence_line(text);
    } else if (text.starts_with("```")) {
      open_fence(text);
    } else if (text.starts_with(kSetup)) {
      begin(setups_.emplace_back(), text.substr(kSetup.size()));
    } else if (text.starts_with(kExample)) {
      begin(examples_.emplace_back(), text.substr(kExample.size()));
    } else if (text.starts_with("#")) {
      current_ = nullptr;
    } else if (text.starts_with(kStartsWith)) {
      start_with(text.substr(kStartsWith.size()));
    } else if (text.starts_with(kNotShown)) {
      add_not_shown(text);
    }
  }

  std::vector<Example> take() {
    if (in_fence_) fail("the last fence is not closed");
    return std::move(examples_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("PROTOCOL.md:" + std::to_string(line_) + ": " + what);
  }

  Example& current() const {
    if (current_ == nullptr) fail("this belongs into an example or a setup");
    return *current_;
  }

  void begin(Example& example, std::string_view name) {
    example.name = name;
    current_ = &example;
  }

  void start_with(std::string_view rest) {
    const std::string_view name = rest.substr(0, rest.find('"'));
    for (const Example& setup : setups_) {
      if (setup.name != name) continue;
      current().steps.insert(current().steps.begin(), setup.steps.begin(), setup.steps.end());
      current().not_shown.insert(setup.not_shown.begin(), setup.not_shown.end());
      return;
    }
    fail("there is no setup " + std::string(name));
  }

  void add_not_shown(std::string_view text) {
    std::size_t at = 0;
    while ((at = text.find('`', at)) != std::string_view::npos) {
      const std::size_t end = text.find('`', at + 1);
      if (end == std::string_view::npos) fail("a ` is missing");
      current().not_shown.emplace(text.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }

  void open_fence(std::string_view info) {
    in_fence_ = true;
    const auto known = kFences.find(info);
    fence_ = known == kFences.end() ? std::nullopt : std::optional(known->second);
    if (fence_) {
      current();
    } else if (current_ != nullptr) {
      fail("a fence of an example must be one of client, server, exit, restart");
    }
    body_.clear();
    if (info == kRestart) current().steps.push_back({StepKind::Restart, {}, line_});
  }

  void fence_line(std::string_view text) {
    const bool closed = text == "```";
    if (!closed && !text.empty()) {
      if (body_.empty()) body_line_ = line_;
      body_.append(body_.empty() ? "" : "\n").append(text);
      return;
    }
    // Several messages in one fence are separated by an empty line.
    if (fence_ && *fence_ == StepKind::Restart && !body_.empty()) fail("a restart has no text");
    if (fence_ && !body_.empty())
      current().steps.push_back({*fence_, std::exchange(body_, {}), body_line_});
    if (closed) in_fence_ = false;
  }

  int line_ = 0;
  bool in_fence_ = false;
  std::optional<StepKind> fence_;
  std::string body_;
  int body_line_ = 0;
  Example* current_ = nullptr;
  std::vector<Example> setups_;
  std::vector<Example> examples_;
};

}  // namespace protocol_examples_internal

std::vector<Example> read_examples(std::string_view markdown) {
  protocol_examples_internal::Reader reader;
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    reader.line(markdown.substr(0, end));
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
  }
  return reader.take();
}

bool matches(const boost::json::value& pattern, const boost::json::value& actual,
             Captures& captures) {
  namespace internal = protocol_examples_internal;
  if (pattern.is_string()) return internal::matches_string(pattern.get_string(), actual, captures);
  if (pattern.is_object())
    return actual.is_object() &&
           internal::matches_object(pattern.get_object(), actual.get_object(), captures);
  if (!pattern.is_array()) return pattern == actual;
  const boost::json::array* values = actual.if_array();
  if (values == nullptr || values->size() != pattern.get_array().size()) return false;
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (!matches(pattern.get_array()[i], (*values)[i], captures)) return false;
  }
  return true;
}

boost::json::value filled_in(const boost::json::value& value, const Captures& captures) {
  namespace internal = protocol_examples_internal;
  if (value.is_string()) {
    const auto name = internal::whole_placeholder(value.get_string());
    const auto known = name ? captures.find(*name) : captures.end();
    return known != captures.end()
               ? known->second
               : boost::json::string(internal::fill_text(value.get_string(), captures));
  }
  if (value.is_array()) {
    boost::json::array filled;
    for (const auto& element : value.get_array()) filled.push_back(filled_in(element, captures));
    return filled;
  }
  if (value.is_object()) {
    boost::json::object filled;
    for (const auto& field : value.get_object())
      filled[internal::fill_text(field.key(), captures)] = filled_in(field.value(), captures);
    return filled;
  }
  return value;
}

}  // namespace agent_doc::e2e
