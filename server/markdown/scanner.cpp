#include "server/markdown/scanner.hpp"

#include "server/markdown/block_parser.hpp"
#include "server/text/lines.hpp"

#include <algorithm>

namespace agent_doc::markdown {

Blocks scan_blocks(std::string_view text, std::size_t from) {
  constexpr std::size_t kUsualLineLength = 40;
  Blocks blocks;
  blocks.lines.reserve((text.size() - std::min(from, text.size())) / kUsualLineLength);
  BlockParser parser;
  text::LineWalker walker(text, from);
  while (const auto span = walker.next()) {
    Line line = parser.parse(text.substr(span->begin, span->end - span->begin), span->begin);
    line.begin = span->begin;
    line.end = span->end;
    line.content_begin += span->begin;
    line.content_end += span->begin;
    blocks.lines.push_back(line);
  }
  blocks.open = parser.open_block();
  return blocks;
}

std::vector<Line> scan(std::string_view text, std::size_t from) {
  return scan_blocks(text, from).lines;
}

std::string missing_closing_line(std::string_view text) {
  const std::optional<OpenBlock> open = scan_blocks(text, 0).open;
  return open ? open->closing_line : std::string();
}

}  // namespace agent_doc::markdown
