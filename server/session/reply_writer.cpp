#include "server/session/reply_writer.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::session {

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

ReplyWriter::ReplyWriter(sync::SyncEngine& engine, std::string line_end, Listener listener)
    : engine_(engine), line_end_(std::move(line_end)), listener_(std::move(listener)) {}

void ReplyWriter::append(std::string_view text) {
  if (writes_over_) return replace_from(0, text);
  listener_(length_, text);
  length_ += text.size();
  if (line_end_ == "\n") {
    engine_.append(region_, text);
    return;
  }
  written_ += text;
  engine_.append(region_, with_line_ends(text, line_end_));
}

void ReplyWriter::replace_from(std::size_t offset, std::string_view text) {
  writes_over_ = false;
  listener_(offset, text);
  length_ = offset + text.size();
  if (line_end_ == "\n") {
    engine_.replace_from(region_, offset, text);
    return;
  }
  const auto line_ends = static_cast<std::size_t>(std::count(written_.begin(), written_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  written_.resize(offset);
  written_ += text;
  engine_.replace_from(region_, offset + line_ends * (line_end_.size() - 1), with_line_ends(text, line_end_));
}

}  // namespace agent_doc::session
