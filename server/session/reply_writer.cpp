#include "server/session/reply_writer.hpp"

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

ReplyWriter::ReplyWriter(sync::SyncEngine& engine, std::string line_end, Listener listener)
    : engine_(engine), listener_(std::move(listener)), parts_{{0, 0, std::move(line_end)}} {}

void ReplyWriter::write_again(sync::RegionId region, std::string line_end, std::size_t standing) {
  region_ = region;
  writes_over_ = false;
  engine_.append(region_, std::string_view(with_line_ends(written_, line_end)).substr(standing));
  parts_ = {{0, 0, std::move(line_end)}};
}

std::size_t ReplyWriter::engine_offset(std::size_t offset) const {
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
void ReplyWriter::cut_parts(std::size_t offset) {
  if (parts_.back().begin <= offset) return;
  Part last{offset, engine_offset(offset), std::move(parts_.back().line_end)};
  while (parts_.size() > 1 && parts_.back().begin >= offset) parts_.pop_back();
  parts_.push_back(std::move(last));
}

void ReplyWriter::adopt_line_ends(std::size_t engine_offset, std::string line_end) {
  while (parts_.size() > 1 && parts_.back().engine_begin >= engine_offset) parts_.pop_back();
  const Part& part = parts_.back();
  std::size_t offset = part.begin;
  for (std::size_t at = part.engine_begin; at < engine_offset && offset < written_.size();
       ++offset) {
    at += written_[offset] == '\n' ? part.line_end.size() : 1;
  }
  parts_.push_back({offset, engine_offset, std::move(line_end)});
}

void ReplyWriter::append(std::string_view text) {
  if (writes_over_) return replace_from(0, text);
  listener_(written_.size(), text);
  written_ += text;
  engine_.append(region_, with_line_ends(text, parts_.back().line_end));
}

void ReplyWriter::replace_from(std::size_t offset, std::string_view text) {
  writes_over_ = false;
  listener_(offset, text);
  const std::size_t in_engine = engine_offset(offset);
  cut_parts(offset);
  written_.resize(offset);
  written_ += text;
  engine_.replace_from(region_, in_engine, with_line_ends(text, parts_.back().line_end));
}

}  // namespace agent_doc::session
