// What it is: carries a reply's edits into the document's engine, with the document's own line ends.
// What it is not: it keeps no text; the reply does.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "server/sync/sync_engine.hpp"
#include "server/turn/reply.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace agent_doc::session {

/// `reply` ("\n" only) with `line_end` in place of each "\n".
std::string with_line_ends(std::string_view reply, std::string_view line_end);

class ReplyWriter final : public turn::ReplyEdits {
 public:
  /// Told about every edit, in bytes of the reply.
  using Listener = std::function<void(std::size_t offset, std::string_view text)>;

  ReplyWriter(sync::SyncEngine& engine, std::string line_end, Listener listener);

  void write_to(sync::RegionId region) { region_ = region; }
  /// What stands in `region` goes when the first text comes.
  void write_over(sync::RegionId region) {
    region_ = region;
    writes_over_ = true;
  }
  sync::RegionId region() const { return region_; }

  void append(std::string_view text) override;
  void replace_from(std::size_t offset, std::string_view text) override;

 private:
  sync::SyncEngine& engine_;
  std::string line_end_;
  Listener listener_;
  sync::RegionId region_{};
  bool writes_over_ = false;
  std::string written_;  ///< the reply so far: needed to count line ends, kept only when they are longer than one byte
  std::size_t length_ = 0;
};

}  // namespace agent_doc::session
