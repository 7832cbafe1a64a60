// The part of Writer that notes edits into which the person wrote before they were told.

#include "tests/simulation/writer.hpp"

#include <string>
#include <vector>

namespace agent_doc::simulation {

/// Where several changes are told as one, and the person wrote into what an edit brought, or took
/// some of it out, before it was told, nobody can know it: what a client that rewrites tells may be
/// the same. Nor where as much was typed as an edit should have brought that the client claims to
/// have made. Counts such edits since the last one that can be known.
void Writer::note_torn_edit(const FromClient& message, bool was_in_flight) {
  const bool is_believed =
      client_.model().stale == StaleAnswer::ClaimsApplied && !client_.had_applied(sent_, message);
  if (is_believed && was_in_flight && seen_edit_ != sent_) {
    if (typed_edit_ != sent_) typed_ = 0;
    typed_edit_ = sent_;
    typed_ += typed_for(message).size();
    if (2 * typed_ < last_request_.text.size() || last_request_.text.empty()) return;
    seen_edit_ = sent_;
    ++torn_edits_;
    return;
  }
  const ChangeShape shape = client_.model().shape;
  const bool tells_sums =
      shape == ChangeShape::OneRange ||
      (shape == ChangeShape::WholeText && client_.model().reports != Reports::AtOnce);
  if (tells_sums) note_torn_late_edits(message);
  if (!tells_sums || seen_edit_ == sent_ || !client_.had_applied(sent_, message)) return;
  const std::string longest = longest_piece(message, sent_);
  seen_edit_ = sent_;
  const bool is_whole = !last_request_.text.empty() && longest == last_request_.text;
  torn_edits_ = is_whole ? 0 : torn_edits_ + 1;
  // So few bytes prove nothing among other changes.
  const bool is_alone = message.text == last_request_.expected;
  if (!is_whole || (!is_alone && last_request_.text.size() < sync::kConvincingBytes))
    torn_bytes_ += last_request_.text.size();
}

/// The longest piece of what `edit` brought that nobody wrote into.
std::string Writer::longest_piece(const FromClient& message, std::uint64_t edit) const {
  std::string run;
  std::string longest;
  for (const GlyphId id : message.glyphs) {
    const Glyph& glyph = client_.content().glyph(id);
    const bool goes_on = glyph.flight == edit && glyph.author == Author::Server && !glyph.origin;
    run = goes_on ? run + glyph.byte : std::string();
    if (run.size() > longest.size()) longest = run;
  }
  return longest;
}

/// The same of one that was given up, because the client did nothing for long.
void Writer::note_torn_late_edits(const FromClient& message) {
  std::erase_if(unseen_edits_, [&](const EditRequest& edit) {
    if (!client_.had_applied(edit.number, message)) return false;
    if (longest_piece(message, edit.number) != edit.text) torn_bytes_ += edit.text.size();
    return true;
  });
}

}  // namespace agent_doc::simulation
