// What it is: the regions of a turn in components of its document, and what goes into them: the
// blocks of a reply that name a component, by that component's own mode.
// What it is not: the blocks' text (turn/patch_blocks.hpp); the reply itself
// (reply_in_document.hpp).
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "server/markdown/component_patch.hpp"
#include "server/session/manuscript.hpp"
#include "server/session/region_writer.hpp"
#include "server/turn/patch_block.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

class ComponentBodies {
 public:
  /// `line_end`: the document's.
  ComponentBodies(Manuscript& manuscript, std::string line_end)
      : manuscript_(manuscript), line_end_(std::move(line_end)) {}

  /// The run begins: what a person types into the components that a block may go to stays from here
  /// on when they are replaced.
  void remember_components(const std::function<bool(std::string_view name)>& may_be_written);
  /// A retry begins: what `earlier` appended goes when the new reply begins, where nobody has
  /// changed it. Called before any region of this turn is opened.
  void replace(const ComponentBodies& earlier);
  /// The first text of the reply came.
  void reply_began();
  /// Lets the body of a component be the region `name`. What is in it is the beginning of the
  /// region's text.
  void open(std::string name, const sync::ComponentBody& body);
  /// Writes into a region that was opened; ignores other names.
  void write(std::string_view name, std::size_t offset, std::string_view text);

  /// The text of the reply's block number `index` is now its first `offset` bytes and `text`. Opens
  /// the body of its component with the first text. Where the component is gone, the text stays in
  /// the store alone.
  void write_block(std::size_t index, const turn::PatchBlock& block, std::size_t offset,
                   std::string_view text);
  /// The reply has taken the block back; it was the last one.
  void withdraw_block(std::size_t index);

  /// No more will come for `blocks`.
  void finish(const std::vector<turn::PatchBlock>& blocks);
  /// All has landed: what components have more than their `max_lines` goes, whoever wrote it.
  void take_surplus_lines_out();
  void line_ends_changed(const sync::Notice& notice);
  /// The place of a region was deleted, or a person took text of it back.
  bool has_stopped() const;
  /// Returns the component that `region` is in, or an empty text.
  std::string_view name_of(sync::RegionId region) const;
  /// Returns where the regions are, without those that are not in the text.
  std::vector<sync::RegionExtent> extents() const;

 private:
  struct Body {
    std::string name;
    RegionWriter writer;
    markdown::ComponentSettings settings;
    std::string lead;         ///< before the first text, where that would not begin a line
    bool is_earlier = false;  ///< its text is that of the reply that is replaced
    bool keeps_max_lines = false;
  };
  /// What a replacement takes the place of, as it was when the run began.
  struct ComponentText {
    std::string name;
    std::string text;
  };
  struct Block {
    std::optional<std::size_t> body;      ///< nothing: there was no text yet, or it has no place
    bool has_no_place = false;            ///< its component was gone when its text began
    std::size_t begin = 0;                ///< of its text in the region's
    std::size_t before = 0;               ///< the size of the region's text when it began
    std::optional<std::string> replaced;  ///< the region's text that it took the place of
    std::string held;                     ///< its last line, where only whole lines are written
  };

  void open(std::string name, const sync::ComponentBody& body, std::string_view standing);
  bool has_region_in(const sync::ComponentBody& place) const;
  std::optional<std::size_t> body_for(const turn::PatchBlock& block);
  void empty_component(const turn::PatchBlock& block);
  std::optional<std::size_t> open_component(const turn::PatchBlock& block);
  void begin_block(Block& block, const turn::PatchBlock& patch);
  void write_lines(Block& block, std::size_t offset, std::string_view text);

  Manuscript& manuscript_;
  std::string line_end_;
  std::vector<ComponentText> at_begin_;  ///< in the order of the engine's standing texts
  std::vector<Body> bodies_;
  std::vector<Block> blocks_;
};

}  // namespace agent_doc::session
