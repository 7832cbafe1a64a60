#include "server/session/compact_plan.hpp"

#include "server/markdown/front_matter.hpp"
#include "server/markdown/numbered_turns.hpp"
#include "server/text/edit.hpp"
#include "server/text/line_ends.hpp"
#include "server/text/lines.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace agent_doc::session {

namespace {

using markdown::FrontMatter;
using markdown::read_front_matter;

constexpr std::string_view kArchive = "agent_doc_archive";
constexpr std::string_view kArchiveOf = "agent_doc_archive_of";
constexpr std::string_view kArchived = "agent_doc_archived";
constexpr std::string_view kIndent = "  ";

bool apply_if(std::string& text, const std::optional<text::Edit>& edit) {
  if (edit) text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  return edit.has_value();
}

std::string_view front_matter_text(std::string_view document, const FrontMatter& front_matter) {
  if (!front_matter.present) return {};
  return document.substr(front_matter.begin, front_matter.body_begin - front_matter.begin);
}

std::string indented(std::string_view text) {
  std::string result;
  text::LineWalker lines(text);
  while (const std::optional<text::LineSpan> line = lines.next())
    result.append(kIndent).append(text.substr(line->begin, line->next - line->begin));
  return result;
}

std::string without_indent(std::string_view text) {
  std::string result;
  text::LineWalker lines(text);
  while (const std::optional<text::LineSpan> line = lines.next()) {
    const std::string_view whole = text.substr(line->begin, line->next - line->begin);
    result.append(whole.substr(whole.starts_with(kIndent) ? kIndent.size() : 0));
  }
  return result;
}

/// Returns `document` without its older turns as it names the archive and forgets its sessions: the
/// one that it goes on with, and the one that it would fork.
std::string linked(std::string_view document, std::string_view archive) {
  std::string text(document);
  const FrontMatter front_matter = read_front_matter(text);
  if (!front_matter.present) {
    const std::string line_end(text::most_frequent_line_end(document));
    std::string block = "---" + line_end;
    block += "---" + line_end + line_end;
    text.insert(front_matter.body_begin, block);
  }
  while (apply_if(text, markdown::remove_key(text, "resume"))) {
  }
  const FrontMatter now = read_front_matter(text);
  const markdown::FrontMatterEntry* forked = now.find("forked_from");
  if (forked != nullptr && forked->map.count("session") != 0)
    apply_if(text, markdown::remove_key(text, "forked_from", "session"));
  apply_if(text, markdown::set_value(text, kArchive, archive));
  return text;
}

std::string archive_text(std::string_view front_matter, std::string_view turns,
                         std::string_view document_name, std::string_view line_end) {
  std::string text = "---";
  text.append(line_end).append("---").append(line_end).append(line_end).append(turns);
  apply_if(text, markdown::set_value(text, kArchiveOf, document_name));
  if (front_matter.empty()) return text;
  std::string before(kArchived);
  before.append(": |").append(line_end).append(indented(front_matter));
  return text.insert(read_front_matter(text).close_begin, before);
}

struct Archive {
  std::string front_matter;  ///< of the document, before
  std::string_view turns;
  std::string_view line_end;
};

std::optional<Archive> read_archive(std::string_view text, std::string_view document_name) {
  const FrontMatter own = read_front_matter(text);
  if (!own.present || own.value_of(kArchiveOf) != document_name) return std::nullopt;
  Archive archive;
  archive.line_end = text.substr(own.begin).starts_with("---\r\n") ? "\r\n"
                     : text.substr(own.begin).starts_with("---\r") ? "\r"
                                                                   : "\n";
  archive.turns = text.substr(own.body_begin);
  if (archive.turns.starts_with(archive.line_end))
    archive.turns.remove_prefix(archive.line_end.size());
  if (const markdown::FrontMatterEntry* before = own.find(kArchived)) {
    const std::size_t first = text.find_first_of("\r\n", before->line_begin);
    const std::size_t begin = first + archive.line_end.size();
    const auto next = std::find_if(own.entries.begin(), own.entries.end(), [&](const auto& entry) {
      return entry.line_begin > before->line_begin;
    });
    const std::size_t end = next == own.entries.end() ? own.close_begin : next->line_begin;
    if (first == std::string_view::npos || begin > end) return std::nullopt;
    archive.front_matter = without_indent(text.substr(begin, end - begin));
  }
  return archive;
}

/// Returns what `document` was before linked(), if it is just what that made of it.
std::optional<std::string> unlinked(std::string_view document, const std::string& before,
                                    std::string_view archive_name) {
  const FrontMatter now = read_front_matter(document);
  if (!now.present) return std::nullopt;
  std::string text(document.substr(0, now.begin));
  text.append(before).append(document.substr(now.body_begin));
  if (before.empty()) {
    const std::string_view line_end = text::most_frequent_line_end(text);
    if (!std::string_view(text).substr(now.begin).starts_with(line_end)) return std::nullopt;
    text.erase(now.begin, line_end.size());
  }
  return linked(text, archive_name) == document ? std::optional(text) : std::nullopt;
}

/// Returns `document` without its link to the archive, or with the link that it had before.
std::string with_earlier_link(std::string_view document, const std::string& before) {
  std::string text(document);
  const std::string earlier = read_front_matter(before).value_of(kArchive);
  apply_if(text, earlier.empty() ? markdown::remove_key(text, kArchive)
                                 : markdown::set_value(text, kArchive, earlier));
  return text;
}

/// Returns where the older turns belong: above the first heading of a turn.
std::size_t place_of_turns(std::string_view document) {
  const FrontMatter front_matter = read_front_matter(document);
  for (const markdown::InlineTurn& turn :
       markdown::find_turns(document, front_matter.body_begin).turns) {
    if (turn.heading_begin < turn.body_begin) return turn.heading_begin;
  }
  return document.size();
}

std::size_t count_turns(std::string_view document) {
  return markdown::numbered_turns(document, read_front_matter(document)).size();
}

/// Returns whether no turn was cut, and restored() gives `document` back.
bool is_safe(std::string_view document, const Compacted& made, const ArchiveNames& names) {
  if (count_turns(made.archive) != made.turns) return false;
  if (count_turns(made.document) != count_turns(document) - made.turns) return false;
  const auto back = restored(made.document, made.archive, names);
  const auto* whole = std::get_if<Restored>(&back);
  return whole != nullptr && whole->document == document && whole->archive_is_used_up;
}

}  // namespace

std::variant<Compacted, NoCompact> compacted(std::string_view document, std::size_t keep,
                                             const ArchiveNames& names) {
  const FrontMatter front_matter = read_front_matter(document);
  const std::vector<markdown::NumberedTurn> turns =
      markdown::numbered_turns(document, front_matter);
  const auto replied = static_cast<std::size_t>(
      std::count_if(turns.begin(), turns.end(), [](const auto& turn) { return turn.has_reply; }));
  if (keep == 0 || replied <= keep) return NoCompact::TooFewTurns;
  const std::size_t begin = turns.front().begin;
  const std::size_t end = turns[replied - keep].begin;

  Compacted made;
  made.turns = replied - keep;
  made.bytes = end - begin;
  made.archive =
      archive_text(front_matter_text(document, front_matter), document.substr(begin, end - begin),
                   names.document, text::most_frequent_line_end(document));
  made.document =
      linked(std::string(document.substr(0, begin)).append(document.substr(end)), names.archive);
  if (!is_safe(document, made, names)) return NoCompact::NotSafe;
  return made;
}

std::variant<Restored, NoRestore> restored(std::string_view document, std::string_view archive,
                                           const ArchiveNames& names) {
  const std::optional<Archive> found = read_archive(archive, names.document);
  if (!found) return NoRestore::NoArchive;
  const std::optional<std::string> before = unlinked(document, found->front_matter, names.archive);
  Restored result;
  result.is_front_matter_as_before = before.has_value();
  result.document = before ? *before : with_earlier_link(document, found->front_matter);
  result.document.insert(place_of_turns(result.document), found->turns);
  result.turns = count_turns(archive);
  result.archive_is_used_up =
      archive_text(found->front_matter, found->turns, names.document, found->line_end) == archive;
  return result;
}

std::string archive_name(std::string_view document, std::size_t attempt) {
  const std::size_t dot = document.rfind('.');
  const bool has_ending = dot != std::string_view::npos && dot > 0;
  std::string name(document.substr(0, has_ending ? dot : document.size()));
  name.append(".archive");
  if (attempt > 1) name.append("-").append(std::to_string(attempt));
  return name.append(has_ending ? document.substr(dot) : std::string_view());
}

}  // namespace agent_doc::session
