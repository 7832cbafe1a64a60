// What it is: a client's text in which every byte that ever stood in it knows who wrote it and who
// took it out: the truth that a run is judged by.
// What it is not: anything that the engine sees.
// Thread rule: not thread-safe; one per run.
#pragma once

#include "server/text/edit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::simulation {

enum class Author : std::uint8_t { Person, Server };
enum class Part : std::uint8_t {
  Plain,
  Head,
  Reply,
  Tail,
  FrontMatter,
  LineEnds,  ///< put where a reply would have stood in one line with its heading or with what
             ///< follows it
};
inline constexpr int kNoRegion = -1;

using GlyphId = std::uint32_t;

/// One byte of the text and its history.
struct Glyph {
  char byte = 0;
  Author author = Author::Person;
  Part part = Part::Plain;
  int region = kNoRegion;    ///< index of the wanted region
  std::uint64_t flight = 0;  ///< number of the edit that brought it
  bool visible = true;
  bool removed_by_server = false;  ///< else, if not visible, a person took it out
  std::uint64_t removed_by = 0;    ///< number of the edit that did it
  bool coincides =
      false;  ///< typed by the person, and just what the server would have put there, or had
  bool astray = false;  ///< brought or taken out by an edit that the client applied to a text that
                        ///< it was not made for
  bool restored = false;            ///< taken out by a person and put back, or told so
  bool was_restored = false;        ///< before it was put back the last time
  bool came_back = false;           ///< the same, even where there is no doubt whose it is
  bool kept_by_correction = false;  ///< by one that a person undid
  std::uint64_t known_changes = 0;  ///< who wrote it knew of so many changes of the text
  std::optional<GlyphId> twin;      ///< cut out here, and pasted as this
  std::optional<GlyphId> origin;    ///< what was written first, of a pasted one
  /// White space that was the end of its reply when a person took it out: what is written from this
  /// id on brings it back.
  GlyphId trimmed_before = 0;
  std::uint64_t trimmed_by = 0;  ///< the change that did it
};

/// Who makes a change. A frame has its head and tail at its ends.
struct Authorship {
  Author author = Author::Person;
  Part part = Part::Plain;
  int region = kNoRegion;
  std::uint64_t flight = 0;
  std::size_t head_length = 0;
  std::size_t tail_length = 0;
  bool astray = false;
  std::uint64_t known_changes = 0;

  Part part_at(std::size_t offset, std::size_t length) const;
};

class AuthoredText {
 public:
  /// What one change took out and put in, so that it can be undone.
  struct Change {
    std::vector<GlyphId> inserted;
    std::vector<GlyphId> removed;
  };

  explicit AuthoredText(std::string_view text);

  const std::string& text() const { return text_; }
  /// Of text(), byte by byte.
  const std::vector<GlyphId>& visible() const { return visible_; }
  /// All that ever were, in the order of the text.
  const std::vector<GlyphId>& order() const { return order_; }
  const Glyph& glyph(GlyphId id) const { return glyphs_[id]; }
  /// Ids are given in the order of writing.
  GlyphId next_id() const { return static_cast<GlyphId>(glyphs_.size()); }
  /// Of all kinds, so far.
  std::uint64_t changes() const { return changes_; }
  const Glyph& at(std::size_t offset) const { return glyphs_[visible_[offset]]; }

  Change replace(const text::Edit& edit, const Authorship& by);
  /// A person pastes what was cut: it is still whose it was. All of it must be out of the text.
  Change paste(std::size_t offset, const std::vector<GlyphId>& cut);
  /// Whether `id` was cut, and something that was pasted stands for it.
  bool is_replaced_by_twin(GlyphId id) const;
  /// A person takes `change` back, or makes it again. The edits are to be applied one after the
  /// other.
  std::vector<text::Edit> undo(const Change& change);
  std::vector<text::Edit> redo(const Change& change);
  /// A person brings back the text that showed exactly `shown`.
  std::vector<text::Edit> become(const std::vector<GlyphId>& shown);

  /// A person took out just these, which stood side by side: white space at the end of a reply is
  /// no undo.
  void note_trimmed(const std::vector<GlyphId>& removed);
  void mark_coinciding(GlyphId id) { glyphs_[id].coincides = true; }
  void mark_kept_by_correction(GlyphId id) { glyphs_[id].kept_by_correction = true; }
  void mark_restored(GlyphId id) { glyphs_[id].restored = glyphs_[id].came_back = true; }
  /// From now on all of it is the person's: the server that wrote it is gone.
  void hand_to_person();

 private:
  std::size_t order_index(std::size_t offset, const Authorship& by) const;
  void show(GlyphId id);
  void hide(GlyphId id);
  /// A whole reply with its heading, all at once, leaves no doubt whose it is.
  void note_block_is_back(const std::vector<GlyphId>& shown);
  void remember_visibility();
  std::vector<text::Edit> changed_visibility();

  std::vector<Glyph> glyphs_;
  std::vector<GlyphId> order_;
  std::string text_;
  std::vector<GlyphId> visible_;
  std::vector<bool> was_visible_;
  std::uint64_t changes_ = 0;
};

}  // namespace agent_doc::simulation
