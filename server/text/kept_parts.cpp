#include "server/text/kept_parts.hpp"

#include "server/text/diff.hpp"
#include "server/text/utf8.hpp"

#include <dtl/dtl.hpp>

namespace agent_doc::text {

namespace {

/// Returns the code points of `text`; a "\r\n" is one.
std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = text.substr(at).starts_with("\r\n") ? 2 : sequence_length(text, at);
    characters.push_back(text.substr(at, size));
    at += size;
  }
  return characters;
}

class PartList {
 public:
  void add(std::size_t before_begin, std::size_t after_begin, std::size_t length) {
    if (length == 0) return;
    if (!parts_.empty()) {
      KeptPart& last = parts_.back();
      if (last.before_begin + last.length == before_begin &&
          last.after_begin + last.length == after_begin) {
        last.length += length;
        return;
      }
    }
    parts_.push_back({before_begin, after_begin, length});
  }

  /// Adds what `after` has of `before`, which begin at these bytes.
  void add_common(std::string_view before, std::size_t before_begin, std::string_view after,
                  std::size_t after_begin) {
    const std::vector<std::string_view> from = characters_of(before);
    const std::vector<std::string_view> to = characters_of(after);
    if (from.size() * to.size() > kMaxComparedCharacters) return;
    dtl::Diff<std::string_view, std::vector<std::string_view>> solver(from, to);
    solver.compose();
    for (const auto& [character, info] : solver.getSes().getSequence()) {
      if (info.type == dtl::SES_COMMON) add(before_begin, after_begin, character.size());
      if (info.type != dtl::SES_ADD) before_begin += character.size();
      if (info.type != dtl::SES_DELETE) after_begin += character.size();
    }
  }

  std::vector<KeptPart> take() { return std::move(parts_); }

 private:
  std::vector<KeptPart> parts_;
};

}  // namespace

std::vector<KeptPart> kept_parts(std::string_view before, std::string_view after) {
  PartList parts;
  std::size_t before_at = 0;
  std::size_t after_at = 0;
  for (const Edit& edit : diff(before, after)) {
    parts.add(before_at, after_at, edit.begin - before_at);
    after_at += edit.begin - before_at;
    const std::string_view removed = before.substr(edit.begin, edit.end - edit.begin);
    parts.add_common(removed, edit.begin, edit.replacement, after_at);
    before_at = edit.end;
    after_at += edit.replacement.size();
  }
  parts.add(before_at, after_at, before.size() - before_at);
  return parts.take();
}

}  // namespace agent_doc::text
