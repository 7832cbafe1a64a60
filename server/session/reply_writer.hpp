// What it is: carries a reply's edits into the document's engine, with the document's own line
// ends.
// What it is not: it decides nothing about the text; the reply does.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "server/sync/sync_engine.hpp"
#include "server/turn/reply.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

class ReplyWriter final : public turn::ReplyEdits {
 public:
  /// Gets every edit, in bytes of the reply (with "\n").
  using Listener = std::function<void(std::size_t offset, std::string_view text)>;

  ReplyWriter(sync::SyncEngine& engine, std::string line_end, Listener listener);

  void write_to(sync::RegionId region) { region_ = region; }
  /// Replaces what stands in `region` by the first text that comes.
  void write_over(sync::RegionId region) {
    region_ = region;
    writes_over_ = true;
  }
  sync::RegionId region() const { return region_; }
  /// Returns the reply so far, with "\n".
  const std::string& text() const { return written_; }

  /// Begins the reply anew in `region`, with `line_end`. Its first `standing` bytes (of the
  /// document) stand there already.
  void write_again(sync::RegionId region, std::string line_end, std::size_t standing);

  /// From the engine's byte `engine_offset` of the reply on its line ends are `line_end`.
  void adopt_line_ends(std::size_t engine_offset, std::string line_end);

  void append(std::string_view text) override;
  void replace_from(std::size_t offset, std::string_view text) override;

 private:
  /// A part of the reply that has one kind of line end; it goes on to the next one.
  struct Part {
    std::size_t begin = 0;         ///< in bytes of the reply
    std::size_t engine_begin = 0;  ///< in bytes of the engine's reply
    std::string line_end;
  };
  std::size_t engine_offset(std::size_t offset) const;
  void cut_parts(std::size_t offset);

  sync::SyncEngine& engine_;
  Listener listener_;
  sync::RegionId region_{};
  bool writes_over_ = false;
  std::string written_;      ///< the reply so far: needed to count line ends
  std::vector<Part> parts_;  ///< ascending, never empty
};

}  // namespace agent_doc::session
