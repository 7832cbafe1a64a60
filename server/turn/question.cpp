#include "server/turn/question.hpp"

#include "server/text/utf8.hpp"
#include "server/text/visible.hpp"
#include "server/turn/shown_change.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace agent_doc::turn {

namespace {

std::string name(std::string_view text) {
  return without_middle(text::visible_line(without_middle(text, kMaxQuestionName)),
                        kMaxQuestionName);
}

/// The first word of an option's words, in small letters.
std::string first_word(std::string_view label) {
  std::string word;
  for (const char c : label) {
    if (c == '\'') continue;
    const bool is_large = c >= 'A' && c <= 'Z';
    if (!is_large && (c < 'a' || c > 'z')) break;
    word.push_back(is_large ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return word;
}

/// An agent's own words for an option must not say the contrary of what it does.
std::string label_of(const plugins::PermissionOption& option) {
  constexpr std::array<std::string_view, 11> kNo = {"no",     "not",    "deny",   "denied",
                                                    "reject", "refuse", "cancel", "decline",
                                                    "never",  "dont",   "show"};
  constexpr std::array<std::string_view, 5> kYes = {"yes", "allow", "accept", "approve", "ok"};
  std::string label = name(option.label);
  const std::string word = first_word(label);
  const bool denies = option.kind == plugins::OptionKind::Deny;
  if (!denies && std::find(kNo.begin(), kNo.end(), word) != kNo.end()) return "Allow: " + label;
  if (denies && std::find(kYes.begin(), kYes.end(), word) != kYes.end()) return "Deny: " + label;
  return label;
}

/// Each line is made visible by itself: the marks before them are ours, and begin no line of the
/// agent's.
std::string change(const plugins::PermissionPart& part) {
  const std::string whole =
      without_middle(shown_change(*part.before, part.text), kMaxQuestionBytes);
  std::string lines = name(part.name) + ":";
  std::string_view rest = whole;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines += "\n    " + text::visible_line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

/// A short text behind its name; one of several lines below it, further in.
std::string part(const plugins::PermissionPart& part) {
  if (part.before) return change(part);
  const std::string text = text::visible(without_middle(part.text, kMaxQuestionBytes));
  if (text.empty()) return name(part.name);
  if (text.find('\n') == std::string::npos) return name(part.name) + ": " + text;
  std::string lines = name(part.name) + ":\n    ";
  for (const char c : text) {
    lines.push_back(c);
    if (c == '\n') lines.append("    ");
  }
  return lines;
}

}  // namespace

Permission shown(const plugins::PermissionAsked& asked) {
  Permission permission{std::string(asked.id), name(asked.tool),
                        text::visible(without_middle(asked.detail, kMaxQuestionBytes)),
                        asked.options};
  for (const plugins::PermissionPart& more : asked.more) {
    if (!permission.detail.empty()) permission.detail.push_back('\n');
    if (permission.detail.size() > kMaxQuestionBytes * 4) {
      permission.detail += "<… what follows is left out …>";
      break;
    }
    permission.detail += part(more);
  }
  permission.detail = without_middle(permission.detail, kMaxQuestionBytes);
  for (plugins::PermissionOption& option : permission.options) option.label = label_of(option);
  return permission;
}

std::string without_middle(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  const std::size_t head = text::floor_boundary(text, limit - limit / 3);
  const std::size_t tail = std::max(head, text::floor_boundary(text, text.size() - limit / 3));
  std::string kept(text.substr(0, head));
  kept += "<… " + std::to_string(tail - head) + " bytes are left out here …>";
  return kept.append(text.substr(tail));
}

}  // namespace agent_doc::turn
