// The part of Writer that notes what nobody at the server's side could know, because two histories
// tell the same messages (ARCHITECTURE, "What nobody can know").

#include "server/text/line_ends.hpp"
#include "tests/simulation/client_positions.hpp"
#include "tests/simulation/writer.hpp"

#include <algorithm>
#include <limits>
#include <variant>

namespace agent_doc::simulation {

namespace writer_doubts_internal {

void apply(std::string& text, const sync::ContentChange& change, text::PositionEncoding encoding) {
  if (const auto* all = std::get_if<sync::ReplaceAll>(&change)) {
    text = all->text;
  } else if (const auto* edit = std::get_if<text::Edit>(&change)) {
    text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  } else {
    const auto& ranged = std::get<sync::ReplaceRange>(change);
    const std::size_t begin = offset_in(text, ranged.range.start, encoding);
    text.replace(begin, offset_in(text, ranged.range.end, encoding) - begin, ranged.text);
  }
}

/// A whole text as the replacement of what differs from the text `before` it.
sync::ContentChange as_replacement(const sync::ContentChange& change, const std::string& before,
                                   text::PositionEncoding encoding) {
  const auto* all = std::get_if<sync::ReplaceAll>(&change);
  if (all == nullptr) return change;
  const text::Edit edit = text::minimise({0, before.size(), all->text}, before);
  return sync::ReplaceRange{
      {position_in(before, edit.begin, encoding), position_in(before, edit.end, encoding)},
      edit.replacement};
}

/// What `change` brings; nothing of a whole text.
std::string brought_by(const sync::ContentChange& change) {
  if (const auto* ranged = std::get_if<sync::ReplaceRange>(&change)) return ranged->text;
  const auto* edit = std::get_if<text::Edit>(&change);
  return edit == nullptr ? std::string() : edit->replacement;
}

std::string without_line_ends_around(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of("\r\n"), text.size());
  return text.substr(begin, text.find_last_not_of("\r\n") + 1 - begin);
}

/// Whether `change` brings `text`, and maybe more, or most of it in one piece: the rest may have
/// been taken out before it was told. What the person types may have other line ends than the edit.
bool holds_most(const sync::ContentChange& change, const std::string& edit) {
  constexpr std::size_t kChance = 4;
  const auto* ranged = std::get_if<sync::ReplaceRange>(&change);
  const std::string text = text::with_line_ends(edit, "\n");
  if (ranged == nullptr || text.empty()) return false;
  const std::string brought = text::with_line_ends(ranged->text, "\n");
  const std::size_t most = std::min(text.size(), std::max(kChance, (text.size() + 1) / 2));
  // Or it is torn in two by what was typed inside, maybe over some of it.
  if (4 * (text::common_prefix(brought, text) + text::common_suffix(brought, text)) >=
      3 * text.size())
    return true;
  for (std::size_t begin = 0; begin + most <= text.size(); ++begin) {
    if (brought.find(text.substr(begin, most)) != std::string::npos) return true;
  }
  return false;
}

bool may_be_several(const sync::ContentChange& change) {
  const auto* ranged = std::get_if<sync::ReplaceRange>(&change);
  return ranged == nullptr || (ranged->range.start.line != ranged->range.end.line &&
                               ranged->text.find('\n') != std::string::npos);
}

}  // namespace writer_doubts_internal

/// When a text that was not saved is thrown away, a reply that has not begun opens where a diff
/// says.
void Writer::note_places_thrown_away(const FromClient& message) {
  if (message.text == engine_.shadow().text()) return;
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    if (wanted_[i].state != sync::RegionState::Opening) continue;
    wanted_[i].above.clear();
    wanted_[i].below.clear();
  }
}

/// Before the engine hears of them.
void Writer::note_changes(const FromClient& message) {
  note_landing_by_hand(message);
  note_redo_by_hand(message);
  note_told_again(message);
  note_pasted_white_space(message);
  note_line_ends_alike(message);
  note_reply_below_tail(message);
  in_doubt_ = in_doubt_ || std::any_of(message.changes.begin(), message.changes.end(),
                                       writer_doubts_internal::may_be_several);
}

/// The text may become by the person's hand what an edit would have made of it that was never
/// applied. Nobody can tell that from a landing.
void Writer::note_landing_by_hand(const FromClient& message) {
  if (!engine_.in_flight()) return;
  if (client_.had_applied(sent_, message)) {
    note_typed_beside_edit(message);
    return;
  }
  const text::PositionEncoding encoding = client_.model().encoding;
  std::string text = engine_.shadow().text();
  bool looks_landed = false;
  for (const sync::ContentChange& told : message.changes) {
    // Before an edit is made that was said to be made, each change is the person's.
    const bool is_made_late = client_.model().makes == Makes::AfterItsAnswer;
    const sync::ContentChange change =
        is_made_late ? writer_doubts_internal::as_replacement(told, text, encoding) : told;
    const std::size_t begin = offset_in(text, last_request_.range.start, encoding);
    const std::size_t end = offset_in(text, last_request_.range.end, encoding);
    std::string literal = text;
    literal.replace(begin, std::max(begin, end) - begin, last_request_.text);
    looks_landed = looks_landed || holds_edit(change, begin, text);
    writer_doubts_internal::apply(text, change, encoding);
    looks_landed = looks_landed || text == last_request_.expected || text == literal;
    // A client that claims what it did not do leaves no other proof than the text.
    const bool is_believed = client_.model().stale == StaleAnswer::ClaimsApplied ||
                             client_.model().answers == Answers::Never || is_made_late;
    // Line ends at the ends of it may have been there before.
    const std::string core = writer_doubts_internal::without_line_ends_around(last_request_.text);
    looks_landed =
        looks_landed || (is_believed && writer_doubts_internal::holds_most(
                                            change, core.empty() ? last_request_.text : core));
    // What is typed may be just what is in the air, where it belongs by now.
    const std::string brought = writer_doubts_internal::brought_by(change);
    const auto lf = [](const std::string& one) { return text::with_line_ends(one, "\n"); };
    looks_landed = looks_landed || (!brought.empty() && lf(brought) == lf(last_request_.text));
  }
  if (!looks_landed) return;
  looked_landed_ = sent_;
  const std::vector<GlyphId> typed = typed_for(message);
  coinciding_.insert(coinciding_.end(), typed.begin(), typed.end());
  // What makes the text so may have been typed key by key.
  for (const GlyphId id : message.glyphs) {
    if (message.text == last_request_.expected && id >= first_typed_beside_ &&
        client_.content().glyph(id).author == Author::Person)
      coinciding_.push_back(id);
  }
  // Several undo steps in one notification may do it without any typing. A client that claims to
  // have applied what it dropped leaves it at that.
  const bool claims =
      client_.model().stale == StaleAnswer::ClaimsApplied && last_request_.by.region != kNoRegion;
  if (claims && typed.size() < last_request_.text.size())
    wanted_[static_cast<std::size_t>(last_request_.by.region)].may_be_unwritten +=
        last_request_.text.size() - typed.size();
}

/// Where edits are applied beside what was not told yet, the person may have typed the same at the
/// same place: then it is the same who wrote which.
void Writer::note_typed_beside_edit(const FromClient& message) {
  if (client_.model().versions != Versions::CountReports || last_request_.text.empty()) return;
  const std::vector<GlyphId> typed = typed_for(message);
  in_doubt_ = in_doubt_ || !typed.empty();
  std::string text;
  for (const GlyphId id : typed) text += client_.content().glyph(id).byte;
  const std::size_t found = text.find(last_request_.text);
  if (found == std::string::npos) return;
  const auto begin = typed.begin() + static_cast<std::ptrdiff_t>(found);
  coinciding_.insert(coinciding_.end(), begin,
                     begin + static_cast<std::ptrdiff_t>(last_request_.text.size()));
}

/// Whether `change` of `text` puts all of an edit that the client claims to have made in place of
/// what stood around its place: Emacs tells a key and an edit like that, and what the person typed
/// over a selection may be the same.
bool Writer::holds_edit(const sync::ContentChange& change, std::size_t place,
                        const std::string& text) const {
  const auto* ranged = std::get_if<sync::ReplaceRange>(&change);
  if (ranged == nullptr || client_.model().stale != StaleAnswer::ClaimsApplied ||
      last_request_.text.empty())
    return false;
  const std::size_t begin = offset_in(text, ranged->range.start, client_.model().encoding);
  const std::size_t end = offset_in(text, ranged->range.end, client_.model().encoding);
  return begin < end && begin <= place && place <= end &&
         ranged->text.find(last_request_.text) != std::string::npos;
}

/// A block is pasted of whose reply white space had gone: of equal line ends behind it either may
/// be the one that went. Where that is told as one change with the cutting, either may have moved.
void Writer::note_pasted_white_space(const FromClient& message) {
  const AuthoredText& truth = client_.content();
  bool was_pasted = false;
  for (GlyphId id = next_glyph_; id < message.next_glyph; ++id)
    was_pasted = was_pasted || truth.glyph(id).origin.has_value();
  if (!was_pasted) return;
  // The block was back before, without a line end of the person's that is pasted in it.
  bool has_more = false;
  for (GlyphId id = next_glyph_; id < message.next_glyph; ++id) {
    const Glyph& glyph = truth.glyph(id);
    const bool is_persons = glyph.author == Author::Person && glyph.flight == 0;
    has_more =
        has_more || (glyph.origin && is_persons && glyph.came_back && is_line_end(glyph.byte));
  }
  const bool tells_sums =
      client_.model().shape != ChangeShape::Exact && client_.model().reports != Reports::AtOnce;
  for (GlyphId id = next_glyph_; (tells_sums || has_more) && id < message.next_glyph; ++id) {
    const Glyph& glyph = truth.glyph(id);
    if (glyph.origin && (glyph.byte == '\n' || glyph.byte == '\r')) told_again_.push_back(id);
  }
  in_doubt_ = in_doubt_ || has_more;
  in_doubt_ = in_doubt_ || std::any_of(truth.order().begin(), truth.order().end(), [&](GlyphId id) {
                return truth.glyph(id).trimmed_before != 0;
              });
}

/// Of the line ends below a heading some went: then one that was below the reply, or that the
/// person typed, ends the heading's line, and the reply goes on behind it. Of equal ones nobody
/// knows which were meant for what.
void Writer::note_line_ends_alike(const FromClient& message) {
  const AuthoredText& truth = client_.content();
  std::vector<bool> some_gone(wanted_.size(), false);
  for (const GlyphId id : truth.order()) {
    const Glyph& glyph = truth.glyph(id);
    const bool is_of_frame =
        glyph.region != kNoRegion && (glyph.part == Part::Head || glyph.part == Part::Tail);
    const bool is_gone = !glyph.visible && !glyph.removed_by_server && !glyph.twin;
    if (is_of_frame && is_gone && is_line_end(glyph.byte))
      some_gone[static_cast<std::size_t>(glyph.region)] = true;
  }
  bool is_below_heading = false;
  for (const GlyphId id : message.glyphs) {
    const Glyph& glyph = truth.glyph(id);
    if (!is_line_end(glyph.byte)) {
      is_below_heading = glyph.part == Part::Head && glyph.region != kNoRegion &&
                         some_gone[static_cast<std::size_t>(glyph.region)];
    } else if (is_below_heading && glyph.part != Part::Head) {
      in_doubt_ = true;
      if (glyph.author == Author::Person && glyph.flight == 0) coinciding_.push_back(id);
    }
  }
}

/// Where a client tells what the text became: an equal line end that was typed below a heading may
/// be taken for the heading's own. Then the reply stands below the frame's next one.
void Writer::note_reply_below_tail(const FromClient& message) {
  const ChangeShape shape = client_.model().shape;
  if (shape == ChangeShape::Exact || shape == ChangeShape::ChangedLines) return;
  const AuthoredText& truth = client_.content();
  std::vector<GlyphId> below_heading;
  int region = kNoRegion;
  for (const GlyphId id : message.glyphs) {
    const Glyph& glyph = truth.glyph(id);
    if (glyph.part == Part::Head && glyph.region != region) below_heading.clear();
    if (glyph.part == Part::Head) region = glyph.region;
    if (region == kNoRegion || glyph.region != region) continue;
    if (glyph.part == Part::Tail && is_line_end(glyph.byte)) below_heading.push_back(id);
    if (glyph.part == Part::Tail && !is_line_end(glyph.byte)) region = kNoRegion;
    if (glyph.part != Part::Reply || below_heading.empty()) continue;
    told_again_.insert(told_again_.end(), below_heading.begin(), below_heading.end());
    in_doubt_ = true;
    below_heading.clear();
  }
}

/// What the person wrote since the message before.
std::vector<GlyphId> Writer::typed_for(const FromClient& message) const {
  std::vector<GlyphId> typed;
  for (GlyphId id = next_glyph_; id < message.next_glyph; ++id) {
    if (client_.content().glyph(id).author == Author::Person) typed.push_back(id);
  }
  return typed;
}

/// Whether a person took out the end of a reply: while an edit is undecided nobody says "paused".
bool Writer::is_end_of_reply_gone() const {
  const AuthoredText& truth = client_.content();
  std::vector<bool> gone(wanted_.size(), false);
  for (const GlyphId id : truth.order()) {
    const Glyph& glyph = truth.glyph(id);
    if (glyph.part != Part::Reply || glyph.region == kNoRegion || glyph.removed_by_server) continue;
    gone[static_cast<std::size_t>(glyph.region)] = !glyph.visible && !glyph.twin;
  }
  return std::find(gone.begin(), gone.end(), true) != gone.end();
}

/// What is typed where text of the reply was undone may be the same text.
void Writer::note_redo_by_hand(const FromClient& message) {
  const AuthoredText& truth = client_.content();
  const bool was_trimmed = std::any_of(truth.order().begin(), truth.order().end(), [&](GlyphId id) {
    return truth.glyph(id).trimmed_before != 0;
  });
  if (!was_paused_ && !was_trimmed && !is_end_of_reply_gone()) return;
  std::string undone;
  for (const GlyphId id : truth.order()) {
    const Glyph& glyph = truth.glyph(id);
    if (glyph.part == Part::Reply && !glyph.visible && !glyph.removed_by_server)
      undone += glyph.byte;
  }
  // Each piece that was typed in one place for itself.
  std::vector<GlyphId> piece;
  std::string typed;
  const auto note = [&](std::size_t begin, std::size_t end) {
    if (begin == end || undone.find(typed.substr(begin, end - begin)) == std::string::npos)
      return false;
    const auto at = [&](std::size_t offset) {
      return piece.begin() + static_cast<std::ptrdiff_t>(offset);
    };
    coinciding_.insert(coinciding_.end(), at(begin), at(end));
    in_doubt_ = true;
    return true;
  };
  const auto end_piece = [&] {
    // White space in it may have been typed for itself.
    constexpr std::string_view kWhite = " \t\r\n";
    const bool is_found = note(0, typed.size());
    for (std::size_t begin = typed.find_first_of(kWhite); !is_found && begin < typed.size();) {
      const std::size_t end = std::min(typed.find_first_not_of(kWhite, begin), typed.size());
      // And each key of it.
      for (std::size_t known = end; known > begin && !note(begin, known); --known) {
      }
      begin = typed.find_first_of(kWhite, end);
    }
    piece.clear();
    typed.clear();
  };
  for (const GlyphId id : message.glyphs) {
    if (id < next_glyph_ || truth.glyph(id).author != Author::Person) {
      end_piece();
      continue;
    }
    piece.push_back(id);
    typed += truth.glyph(id).byte;
  }
  end_piece();
}

/// An undo brings back what a correction replaced, and the text is what it was before. What the
/// correction had kept behind that, because it is the same there, is what it was then, too.
void Writer::note_kept_by_correction(const FromClient& message) {
  bool is_behind = false;
  for (const GlyphId id : message.glyphs) {
    const Glyph& glyph = client_.content().glyph(id);
    if (is_behind && glyph.part == Part::Reply && !glyph.came_back)
      kept_by_correction_.push_back(id);
    is_behind = glyph.came_back || (is_behind && glyph.part == Part::Reply);
  }
}

/// Where a client tells what the text became, the same text may be made of other bytes than it was
/// before: then each may be taken for the one that was there.
void Writer::note_lookalike(const FromClient& message) {
  const bool is_by_result = message.kind == FromClient::Kind::Open || message.changes.size() > 1 ||
                            std::any_of(message.changes.begin(), message.changes.end(),
                                        [](const sync::ContentChange& change) {
                                          return std::holds_alternative<text::Edit>(change) ||
                                                 writer_doubts_internal::may_be_several(change);
                                        });
  for (auto earlier = earlier_.rbegin(); is_by_result && earlier != earlier_.rend(); ++earlier) {
    if (earlier->first != message.text) continue;
    note_kept_by_correction(message);
    for (std::size_t i = 0; i < message.glyphs.size(); ++i) {
      const GlyphId now = message.glyphs[i];
      if (now == earlier->second[i]) continue;
      (client_.content().glyph(now).author == Author::Person ? coinciding_ : told_again_)
          .push_back(now);
    }
    break;
  }
  earlier_.emplace_back(message.text, message.glyphs);
}

/// A client that compares texts tells of two changes what they became together: bytes that stayed
/// as taken out, and the same bytes as put in, or as having been there. Nobody could know that they
/// are the same ones, but where both are in one replacement and more than a few bytes (echo_order's
/// kChance).
void Writer::note_told_again(const FromClient& message) {
  constexpr std::size_t kChance = 4;
  constexpr GlyphId kNew = std::numeric_limits<GlyphId>::max();
  std::vector<bool> stayed(message.next_glyph, false);
  for (const GlyphId id : message.glyphs) stayed[id] = true;
  std::vector<GlyphId> ids = shadow_glyphs_;
  for (const sync::ContentChange& change : message.changes) {
    const auto* edit = std::get_if<text::Edit>(&change);
    if (edit == nullptr) return;
    std::vector<GlyphId> run;
    const auto end_run = [&] {
      std::string bytes;
      for (const GlyphId id : run) bytes += client_.content().glyph(id).byte;
      const bool can_be_known =
          run.size() > kChance && edit->replacement.find(bytes) != std::string::npos;
      if (!can_be_known) told_again_.insert(told_again_.end(), run.begin(), run.end());
      run.clear();
    };
    for (std::size_t i = edit->begin; i < edit->end; ++i) {
      if (ids[i] != kNew && stayed[ids[i]]) {
        run.push_back(ids[i]);
      } else {
        end_run();
      }
    }
    end_run();
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(edit->begin);
    const auto end = ids.begin() + static_cast<std::ptrdiff_t>(edit->end);
    ids.insert(ids.erase(begin, end), edit->replacement.size(), kNew);
  }
}

/// A frame that goes is as it was, but some of its line ends may be the person's, who took out
/// ours: a text cannot show that.
void Writer::note_restored_frame(const sync::OutgoingEdit& edit) {
  const std::string taken =
      engine_.shadow().text().substr(edit.edit.begin, edit.edit.end - edit.edit.begin);
  const bool is_frame =
      edit.edit.replacement.empty() &&
      std::any_of(wanted_.begin(), wanted_.end(), [&](const WantedRegion& region) {
        return region.ending == WantedRegion::Ending::Retracted &&
               region.frame.head + region.frame.tail == taken;
      });
  for (std::size_t i = edit.edit.begin; is_frame && i < edit.edit.end; ++i) {
    if (client_.content().glyph(shadow_glyphs_[i]).author != Author::Person) continue;
    coinciding_.push_back(shadow_glyphs_[i]);
    in_doubt_ = true;
  }
}

}  // namespace agent_doc::simulation
