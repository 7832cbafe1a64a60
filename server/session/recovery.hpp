// What it is: how a reply of the store comes back into a document that lacks it, and how the store
// comes to know that a reply is in the document, and in its file.
// What it is not: the command line's way for files that nobody has open (editors/cli/recover.cpp).
// Thread rule: Recovery: not thread-safe, one per document; the rest are pure functions.
#pragma once

#include "server/session/manuscript.hpp"
#include "server/store/journal.hpp"
#include "server/store/records.hpp"
#include "server/text/edit.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

/// What must be inserted into `document` so that the whole `reply` ("\n" only) to `prompt` stands
/// in it: the rest of it, where the reply to this prompt stands and ends too early; else all of it
/// in a frame of its own, below the prompt, or at the end where there is no such prompt any more.
/// Nothing when it is there already.
std::optional<text::Edit> recovery_edit(std::string_view document, std::string_view prompt,
                                        std::string_view reply);

/// The same for all that `missing` has: its reply, and those of the turns before it.
std::optional<text::Edit> recovery_edit(std::string_view document,
                                        const store::UnsavedReply& missing);

/// Returns the turns that are in `document` when recovery_edit() has nothing to do any more.
std::vector<std::string> turns_of(const store::UnsavedReply& missing);

/// Whether what the store has may be offered for `document`: something is missing, and where the
/// document has no id that proves it, it asks this prompt.
bool can_recover(std::string_view document, const store::UnsavedReply& reply);

/// The keys of the front matter that were lost with the reply, one edit after the other: the first
/// one that is still to be made, if any.
std::optional<text::Edit> identity_edit(std::string_view document,
                                        const store::UnsavedReply& reply);

/// The part that one document has in it.
class Recovery {
 public:
  Recovery(Manuscript& manuscript, store::Journal& journal)
      : manuscript_(manuscript), journal_(journal) {}

  /// Returns the reply of the store that `text` lacks, or null. `path`: the document's place there.
  const store::UnsavedReply* look(std::string_view text, const std::string& path);
  /// look() found something, and nobody has asked for it yet.
  bool is_offered() const { return state_.missing.has_value() && !state_.under_way; }
  /// Writes what is missing. Precondition: is_offered().
  void begin();
  /// Nothing more is written: what is missing is offered again. False when nothing was under way.
  bool give_up();
  /// Looks whether what is under way has landed. After everything that happened.
  void look_again();

  /// The whole reply of `turn` is in the client's text.
  void reply_landed(const std::string& turn);
  /// The client's text is in the file.
  void did_save();
  /// A turn begins: its reply is the last one now.
  void forget() { state_ = {}; }

 private:
  struct State {
    std::optional<store::UnsavedReply> missing;
    bool under_way = false;
    std::vector<std::string> placed;  ///< turns whose whole reply is in the text, until it is saved
  };

  Manuscript& manuscript_;
  store::Journal& journal_;
  State state_;
};

}  // namespace agent_doc::session
