#include "server/session/region_writer.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::session {

namespace {

/// `reply` with `line_end` in place of each "\n", the only line end that a reply knows.
std::string with_line_ends(std::string_view reply, std::string_view line_end) {
  std::string result;
  result.reserve(reply.size());
  for (const char c : reply) {
    if (c == '\n') {
      result += line_end;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

RegionWriter::RegionWriter(sync::SyncEngine& engine, std::string line_end)
    : engine_(engine), parts_{{0, 0, std::move(line_end)}} {}

void RegionWriter::write_again(sync::RegionId region, std::string line_end, std::size_t standing) {
  region_ = region;
  writes_over_ = false;
  engine_.append(region_, std::string_view(with_line_ends(written_, line_end)).substr(standing));
  parts_ = {{0, 0, std::move(line_end)}};
}

void RegionWriter::go_on_in(sync::RegionId region, std::string_view standing) {
  const std::string line_end = std::move(parts_.back().line_end);
  region_ = region;
  written_.clear();
  parts_.clear();
  for (std::size_t at = 0; at < standing.size();) {
    const std::size_t end = std::min(standing.find_first_of("\r\n", at), standing.size());
    const std::string_view there =
        standing.substr(end, standing.substr(end).starts_with("\r\n") ? 2 : 1);
    const bool is_other = !there.empty() && !parts_.empty() && parts_.back().line_end != there;
    if (parts_.empty() || is_other)
      parts_.push_back({written_.size(), at, there.empty() ? line_end : std::string(there)});
    written_.append(standing, at, end - at);
    if (!there.empty()) written_ += '\n';
    at = end + there.size();
  }
  if (parts_.empty() || parts_.back().line_end != line_end)
    parts_.push_back({written_.size(), standing.size(), line_end});
}

std::size_t RegionWriter::engine_offset(std::size_t offset) const {
  const auto behind =
      std::upper_bound(parts_.begin() + 1, parts_.end(), offset,
                       [](std::size_t at, const Part& part) { return at < part.begin; });
  const Part& part = *(behind - 1);
  const std::size_t length = part.engine_begin + (offset - part.begin);
  if (part.line_end.size() == 1) return length;
  const auto at = [this](std::size_t i) {
    return written_.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const auto line_ends = static_cast<std::size_t>(std::count(at(part.begin), at(offset), '\n'));
  return length + line_ends * (part.line_end.size() - 1);
}

/// Parts begin at `offset` at the latest; the last kind of line end stays that of what comes.
void RegionWriter::cut_parts(std::size_t offset) {
  if (parts_.back().begin <= offset) return;
  Part last{offset, engine_offset(offset), std::move(parts_.back().line_end)};
  while (parts_.size() > 1 && parts_.back().begin >= offset) parts_.pop_back();
  parts_.push_back(std::move(last));
}

void RegionWriter::adopt_line_ends(std::size_t engine_offset, std::string line_end) {
  while (parts_.size() > 1 && parts_.back().engine_begin >= engine_offset) parts_.pop_back();
  const Part& part = parts_.back();
  std::size_t offset = part.begin;
  for (std::size_t at = part.engine_begin; at < engine_offset && offset < written_.size();
       ++offset) {
    at += written_[offset] == '\n' ? part.line_end.size() : 1;
  }
  parts_.push_back({offset, engine_offset, std::move(line_end)});
}

void RegionWriter::write(std::size_t offset, std::string_view text) {
  if (offset == written_.size() && !writes_over_) {
    written_ += text;
    engine_.append(region_, with_line_ends(text, parts_.back().line_end));
    return;
  }
  writes_over_ = false;
  const std::size_t in_engine = engine_offset(offset);
  cut_parts(offset);
  written_.resize(offset);
  written_ += text;
  engine_.replace_from(region_, in_engine, with_line_ends(text, parts_.back().line_end));
}

}  // namespace agent_doc::session
