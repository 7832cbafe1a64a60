// What it is: carries what is written into one region to the document's engine, with the document's
// own line ends.
// What it is not: it decides nothing about the text; the turn does.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "server/sync/sync_engine.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

class RegionWriter {
 public:
  RegionWriter(sync::SyncEngine& engine, std::string line_end);

  void write_to(sync::RegionId region) { region_ = region; }
  /// Replaces what stands in `region` by the first text that comes.
  void write_over(sync::RegionId region) {
    region_ = region;
    writes_over_ = true;
  }
  /// Goes on behind `standing`, text of the document that is the beginning of `region`'s.
  void go_on_in(sync::RegionId region, std::string_view standing);
  sync::RegionId region() const { return region_; }
  /// Returns what was written so far, with "\n".
  const std::string& text() const { return written_; }

  /// Begins the reply anew in `region`, with `line_end`. Its first `standing` bytes (of the
  /// document) stand there already.
  void write_again(sync::RegionId region, std::string line_end, std::size_t standing);

  /// From the engine's byte `engine_offset` of the reply on its line ends are `line_end`.
  void adopt_line_ends(std::size_t engine_offset, std::string line_end);

  /// The region's text (with "\n") is now its first `offset` bytes and `text`.
  void write(std::size_t offset, std::string_view text);

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
  sync::RegionId region_{};
  bool writes_over_ = false;
  std::string written_;      ///< the reply so far: needed to count line ends
  std::vector<Part> parts_;  ///< ascending, never empty
};

}  // namespace agent_doc::session
