#include "tests/simulation/oracle.hpp"

#include "server/text/utf8.hpp"
#include "tests/simulation/text_judge.hpp"
#include "tests/simulation/trace.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace agent_doc::simulation {

namespace oracle_internal {

/// A byte that the server wrote and did not take back. An optional one may or may not be part of
/// what is wanted now.
struct Item {
  char byte;
  bool optional;
};

bool may_be_incomplete(const WantedRegion& region) {
  return region.abandoned || region.state == sync::RegionState::Paused ||
         region.state == sync::RegionState::Detached;
}

std::string wanted_text(const WantedRegion& region) {
  return region.frame.head + region.reply + region.frame.tail;
}

bool is_stale(const Glyph& glyph, const WantedRegion& region) {
  return region.replaced && glyph.flight <= region.replaced_after;
}

/// Whether `items` are `region`'s text, all of it or, where it stopped, up to some byte of the
/// reply.
bool matches(const std::vector<Item>& items, const WantedRegion& region) {
  const std::string wanted = wanted_text(region);
  const std::size_t reply_begin = region.frame.head.size();
  const std::size_t reply_end = reply_begin + region.reply.size();
  const bool cut = may_be_incomplete(region);
  std::vector<char> reached(wanted.size() + 1, 0);
  reached[0] = 1;
  const auto skip_rest_of_reply = [&] {
    if (!cut) return;
    for (std::size_t j = reply_begin; j < reply_end; ++j) {
      if (reached[j]) reached[reply_end] = 1;
    }
  };
  for (const Item& item : items) {
    skip_rest_of_reply();
    for (std::size_t j = wanted.size() + 1; j-- > 0;) {
      const bool follows = j > 0 && reached[j - 1] && wanted[j - 1] == item.byte;
      reached[j] = static_cast<char>(follows || (item.optional && reached[j]));
    }
  }
  skip_rest_of_reply();
  return reached[wanted.size()] != 0;
}

std::string as_text(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) text += item.byte;
  return text;
}

/// Those of which anything was ever written, as they stand in the text: what is where it was meant
/// says so best, then what is visible at all, then what is no line end, for of equal ones nobody
/// knows which were there before.
std::vector<int> regions_in_order(const AuthoredText& text) {
  std::map<int, std::pair<int, std::size_t>> place;  // how little it says, and where
  for (std::size_t i = 0; i < text.order().size(); ++i) {
    const Glyph& glyph = text.glyph(text.order()[i]);
    if (glyph.region == kNoRegion) continue;
    const bool is_line_end = glyph.byte == '\n' || glyph.byte == '\r';
    const std::pair<int, std::size_t> here{
        (glyph.visible ? 0 : 4) + (glyph.astray ? 2 : 0) + (is_line_end ? 1 : 0), i};
    const auto [at, is_new] = place.emplace(glyph.region, here);
    if (!is_new) at->second = std::min(at->second, here);
  }
  std::vector<int> in_order;
  for (const auto& [region, at] : place) in_order.push_back(region);
  std::sort(in_order.begin(), in_order.end(),
            [&](int a, int b) { return place[a].second < place[b].second; });
  return in_order;
}

/// Whether `part` is what is left of `whole` when some of its characters are taken out.
bool is_rest_of(std::string_view part, std::string_view whole) {
  while (!part.empty() && !whole.empty()) {
    const std::string_view wanted = part.substr(0, text::sequence_length(part, 0));
    if (whole.substr(0, wanted.size()) == wanted) part.remove_prefix(wanted.size());
    whole.remove_prefix(text::sequence_length(whole, 0));
  }
  return part.empty();
}

/// What the person wrote and an edit took out: where only sums of changes are told it may look like
/// the server's own, if it is the same, or is what was left of the text of one edit when the person
/// had taken out some of it.
bool lost_is_like_ours(const AuthoredText& text, const std::vector<WantedRegion>& wanted) {
  std::map<std::uint64_t, std::string> written;  // by each edit
  std::string all;
  std::vector<std::string> lost(1);
  std::uint64_t lost_by = 0;
  for (const GlyphId id : text.order()) {
    const Glyph& glyph = text.glyph(id);
    const bool ours = glyph.author == Author::Server || glyph.flight != 0;
    if (ours) all += glyph.byte;
    if (ours) written[glyph.flight] += glyph.byte;
    if (!ours && glyph.removed_by_server && !glyph.astray) {
      if (!lost.back().empty() && glyph.removed_by != lost_by) lost.emplace_back();
      lost_by = glyph.removed_by;
      lost.back() += glyph.byte;
    } else if (!lost.back().empty()) {
      lost.emplace_back();
    }
  }
  return std::all_of(lost.begin(), lost.end(), [&](const std::string& run) {
    const auto is_rest = [&run](const auto& edit) { return is_rest_of(run, edit.second); };
    const auto said_it = [&run](const WantedRegion& region) {
      const auto holds = [&run](const std::string& reply) {
        return reply.find(run) != std::string::npos;
      };
      return holds(region.reply) || std::any_of(region.said.begin(), region.said.end(), holds);
    };
    if (std::any_of(wanted.begin(), wanted.end(), said_it)) return true;
    return all.find(run) != std::string::npos ||
           std::any_of(written.begin(), written.end(), is_rest);
  });
}

/// What the person wrote goes into `demand`; what need not be there, or not as often, into its
/// margins.
void add_glyph(TextDemand& demand, const Glyph& glyph, const std::vector<WantedRegion>& wanted,
               Evidence evidence) {
  if (glyph.part == Part::LineEnds) {
    if (glyph.visible) ++demand.extras;
    return;
  }
  const bool lost = !glyph.visible && glyph.removed_by_server;
  if (glyph.author == Author::Person) {
    const bool once_the_servers = glyph.flight != 0;
    // What the server took back and a person brought again may be taken for the server's once more;
    // then it goes with it.
    const bool gone_again = once_the_servers && !glyph.visible && !glyph.removed_by_server;
    if (glyph.coincides || gone_again) ++demand.holes;
    if (glyph.coincides || once_the_servers ||
        (lost && (glyph.astray || evidence == Evidence::Repeats))) {
      ++demand.extras;
    } else if (glyph.visible || lost) {
      demand.person += glyph.byte;
    }
    return;
  }
  if (glyph.region == kNoRegion) return;
  // Where only sums of changes are told, of what the server took back it may take the person's like
  // in its place.
  const bool may_be_missing = !glyph.removed_by_server || glyph.astray ||
                              glyph.kept_by_correction || evidence == Evidence::Repeats;
  // What a correction kept that was undone may stand for what the reply goes on with.
  if ((!glyph.visible && may_be_missing) || (glyph.visible && glyph.kept_by_correction))
    ++demand.holes;
  if (!glyph.visible) return;
  if (glyph.restored) {
    ++demand.holes;
    ++demand.extras;
  }
  if (glyph.astray && evidence >= Evidence::EditsAstray)
    ++demand.holes;  // it need not stand in order
  if (glyph.astray || is_stale(glyph, wanted[static_cast<std::size_t>(glyph.region)]))
    ++demand.extras;
}

void add_region(TextDemand& demand, const WantedRegion& region) {
  const std::size_t begin = demand.server.size();
  const std::size_t reply_begin = begin + region.frame.head.size();
  demand.holes += static_cast<int>(region.may_be_unwritten);
  demand.server += wanted_text(region);
  if (region.ending == WantedRegion::Ending::Retracted)
    demand.cuts.emplace_back(begin, demand.server.size());
  if (may_be_incomplete(region))
    demand.cuts.emplace_back(reply_begin, reply_begin + region.reply.size());
}

/// The replies that are complete and stand inside of another one, and the first byte of each.
std::map<GlyphId, int> replies_inside(const AuthoredText& text,
                                      const std::vector<WantedRegion>& wanted) {
  std::map<int, std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < text.visible().size(); ++i) {
    const Glyph& glyph = text.at(i);
    if (glyph.region == kNoRegion || glyph.part == Part::LineEnds) continue;
    places.emplace(glyph.region, std::pair{i, i}).first->second.second = i;
  }
  std::map<GlyphId, int> inside;
  for (const auto& [region, place] : places) {
    const WantedRegion& wanted_region = wanted[static_cast<std::size_t>(region)];
    const bool is_complete =
        wanted_region.ending == WantedRegion::Ending::Finished && !may_be_incomplete(wanted_region);
    const auto is_around = [&, &here = place](const auto& other) {
      return other.second.first < here.first && here.second < other.second.second;
    };
    if (is_complete && std::any_of(places.begin(), places.end(), is_around))
      inside.emplace(text.visible()[place.first], region);
  }
  return inside;
}

bool accepts_by_text(const AuthoredText& text, const std::vector<WantedRegion>& wanted,
                     Evidence evidence, std::size_t may_be_repeated) {
  TextDemand demand;
  bool any_coincides = false;
  // A reply inside of another one stands in order with what the person wrote there.
  const std::map<GlyphId, int> inside = replies_inside(text, wanted);
  std::vector<int> in_order = regions_in_order(text);
  for (const GlyphId id : text.order()) {
    if (const auto begins = inside.find(id); begins != inside.end()) {
      std::erase(in_order, begins->second);
      demand.person += wanted_text(wanted[static_cast<std::size_t>(begins->second)]);
    }
    if (text.is_replaced_by_twin(id)) continue;
    any_coincides = any_coincides || text.glyph(id).coincides;
    add_glyph(demand, text.glyph(id), wanted, evidence);
  }
  for (const int index : in_order) add_region(demand, wanted[static_cast<std::size_t>(index)]);
  std::vector<bool> free;
  for (const GlyphId id : text.visible()) free.push_back(text.glyph(id).part == Part::FrontMatter);
  if (evidence == Evidence::Repeats) {
    demand.extras += static_cast<int>(may_be_repeated);
    if (!lost_is_like_ours(text, wanted)) return false;
  }
  const ServerBytes order =
      evidence >= Evidence::AnyOrder ? ServerBytes::InAnyOrder : ServerBytes::InOrder;
  // The cheaper way first.
  TextDemand of_bytes = demand;
  of_bytes.extras += static_cast<int>(std::count(free.begin(), free.end(), true));
  if ((evidence >= Evidence::EqualBytes || any_coincides) &&
      has_all_bytes(text.text(), of_bytes, order))
    return true;
  return evidence != Evidence::Repeats && accepts_text(std::move(demand), text.text(), free);
}

/// What the person took out of a reply before the rest was cut and pasted is left behind: it
/// belongs before what was written since.
void put_before_what_came_later(const AuthoredText& text, GlyphId first_pasted,
                                std::vector<GlyphId>& ids) {
  const auto is_reply = [&](GlyphId id) {
    return text.glyph(id).part == Part::Reply && !text.glyph(id).removed_by_server;
  };
  for (auto id = ids.begin(); id != ids.end(); ++id) {
    const Glyph& left = text.glyph(*id);
    if (left.visible || left.origin || left.twin || *id >= first_pasted || !is_reply(*id)) continue;
    const auto is_later = [&](GlyphId other) {
      return is_reply(other) && !text.glyph(other).origin && other >= first_pasted;
    };
    std::rotate(std::find_if(ids.begin(), id, is_later), id, id + 1);
  }
}

/// What was ever written of `region`. What was cut and pasted, and what was written there since,
/// stands where it stood before.
std::vector<GlyphId> glyphs_of(const AuthoredText& text, int region,
                               const std::vector<std::size_t>& place_of) {
  std::vector<std::pair<std::size_t, GlyphId>> placed;
  std::optional<GlyphId> first_pasted;
  for (GlyphId id = 0; id < text.next_id(); ++id) {
    if (text.glyph(id).region == region && text.glyph(id).origin && !first_pasted)
      first_pasted = id;
  }
  std::optional<std::size_t> behind;  // where the pasted text that was passed last comes from
  for (const GlyphId id : text.order()) {
    const Glyph& glyph = text.glyph(id);
    if (glyph.region != region) continue;
    if (glyph.origin) behind = place_of[*glyph.origin];
    const bool is_there = first_pasted && id >= *first_pasted && behind;
    placed.emplace_back(is_there ? *behind : place_of[id], id);
  }
  std::stable_sort(placed.begin(), placed.end(), [&](const auto& a, const auto& b) {
    const Part first = text.glyph(a.second).part;
    const Part second = text.glyph(b.second).part;
    if (first_pasted && first != second) return first < second;  // head, reply, tail
    return a.first < b.first;
  });
  std::vector<GlyphId> ids;
  for (const auto& [place, id] : placed) ids.push_back(id);
  if (first_pasted) put_before_what_came_later(text, *first_pasted, ids);
  return ids;
}

/// White space that somebody trimmed from the end of a reply comes back with the next text: then
/// that is what must be there.
bool is_brought_back(const AuthoredText& text, const std::vector<GlyphId>& glyphs, std::size_t at) {
  const Glyph& trimmed = text.glyph(glyphs[at]);
  if (trimmed.visible || trimmed.trimmed_before == 0) return false;
  std::optional<GlyphId> next;
  for (auto id = glyphs.begin() + static_cast<std::ptrdiff_t>(at); id != glyphs.end(); ++id) {
    const Glyph& glyph = text.glyph(*id);
    const bool is_next = glyph.part == Part::Reply && *id >= trimmed.trimmed_before &&
                         !glyph.origin && !glyph.removed_by_server;
    if (is_next && (!next || *id < *next)) next = *id;
  }
  return next &&
         text.glyph(*next).known_changes >=
             trimmed
                 .trimmed_by;  // what was on its way already comes without it, then it is too late
}

/// A person who undid the frame of a reply without text took it back as the server wanted to; what
/// they redo is theirs.
bool is_frame_brought_back(const AuthoredText& text, const std::vector<GlyphId>& glyphs,
                           const std::vector<Item>& items, const WantedRegion& region) {
  const auto is_back = [&](GlyphId id) {
    return !text.glyph(id).visible || text.glyph(id).came_back;
  };
  return as_text(items) == region.frame.head + region.frame.tail &&
         std::all_of(glyphs.begin(), glyphs.end(), is_back);
}

std::string judge_region(const AuthoredText& text, const WantedRegion& region, int index,
                         const std::vector<std::size_t>& place_of) {
  std::vector<Item> items;
  std::vector<Item> hidden_tail;  // where a hidden byte stands among visible ones of the person's
                                  // says nothing: a tail ends its region
  std::size_t first = text.order().size();
  std::size_t last = 0;
  bool any_visible = false;
  const std::vector<GlyphId> glyphs = glyphs_of(text, index, place_of);
  for (std::size_t at = 0; at < glyphs.size(); ++at) {
    const GlyphId id = glyphs[at];
    const Glyph& glyph = text.glyph(id);
    if (glyph.part == Part::LineEnds || (!glyph.visible && glyph.removed_by_server)) continue;
    if (is_brought_back(text, glyphs, at) || text.is_replaced_by_twin(id)) continue;
    const Item item{glyph.byte, is_stale(glyph, region)};
    if (!glyph.visible && glyph.part == Part::Tail) {
      hidden_tail.push_back(item);
      continue;
    }
    if (glyph.part == Part::Tail) items.insert(items.end(), hidden_tail.begin(), hidden_tail.end());
    if (glyph.part == Part::Tail) hidden_tail.clear();
    items.push_back(item);
    if (!glyph.visible) continue;
    any_visible = true;
    first = std::min(first, place_of[id]);
    last = std::max(last, place_of[id]);
  }
  items.insert(items.end(), hidden_tail.begin(), hidden_tail.end());
  const std::string name = "region " + std::to_string(index);
  if (!any_visible && (region.ending == WantedRegion::Ending::Retracted || region.abandoned))
    return {};
  if (items.empty() && region.state == sync::RegionState::Opening) return {};
  if (region.ending == WantedRegion::Ending::Retracted &&
      is_frame_brought_back(text, glyphs, items, region))
    return {};
  if (!matches(items, region)) {
    return name + " holds (with what the person took out) " + quoted(as_text(items)) +
           ", wanted is " + quoted(wanted_text(region));
  }
  const auto was_moved = [&](GlyphId id) {
    return text.glyph(id).region == index && text.glyph(id).twin.has_value();
  };
  if (std::any_of(text.order().begin(), text.order().end(), was_moved)) return {};
  const auto stands = [&](GlyphId id) {
    return text.glyph(id).visible && !text.glyph(id).came_back && any_visible;
  };
  if (std::any_of(region.above.begin(), region.above.end(),
                  [&](GlyphId id) { return stands(id) && place_of[id] > first; })) {
    return name + " stands above text that was above it";
  }
  if (std::any_of(region.below.begin(), region.below.end(),
                  [&](GlyphId id) { return stands(id) && place_of[id] < last; })) {
    return name + " stands below text that was below it";
  }
  return {};
}

}  // namespace oracle_internal

std::string judge_bounds(const AuthoredText& text, const std::vector<WantedRegion>& wanted) {
  constexpr std::size_t kFrontMatters = 1024;
  std::size_t written = 0;
  std::size_t most = kFrontMatters;
  for (const WantedRegion& region : wanted) most += 8 * oracle_internal::wanted_text(region).size();
  for (GlyphId id = 0; id < text.next_id(); ++id) {
    const Glyph& glyph = text.glyph(id);
    if (glyph.author == Author::Server) ++written;
    const bool is_persons =
        glyph.author == Author::Person && glyph.flight == 0 && glyph.part != Part::FrontMatter;
    if (is_persons && glyph.removed_by_server &&
        !glyph.astray)  // astray: by an edit that was made for another text
      return "the server took out " + quoted(std::string_view(&glyph.byte, 1)) +
             ", which the person wrote";
  }
  if (written > most)
    return "the server wrote " + std::to_string(written) + " bytes where no more than " +
           std::to_string(most) + " may be";
  return {};
}

Verdict judge(const AuthoredText& text, const std::vector<WantedRegion>& wanted, Evidence evidence,
              std::size_t may_be_repeated) {
  using namespace oracle_internal;
  Verdict verdict;
  std::vector<std::size_t> place_of(text.order().size());
  for (std::size_t i = 0; i < text.order().size(); ++i) place_of[text.order()[i]] = i;
  for (std::size_t i = 0; i < wanted.size() && verdict.failure.empty(); ++i) {
    if (!wanted[i].abandoned)
      verdict.failure = judge_region(text, wanted[i], static_cast<int>(i), place_of);
  }
  for (const GlyphId id : text.order()) {
    const Glyph& glyph = text.glyph(id);
    if (glyph.author != Author::Person || !glyph.removed_by_server || glyph.astray ||
        !verdict.failure.empty())
      continue;
    verdict.failure = "the server took out " + quoted(std::string_view(&glyph.byte, 1)) +
                      ", which the person wrote";
  }
  if (verdict.failure.empty() || evidence == Evidence::Exact) return verdict;
  verdict.by_text_only = true;
  if (accepts_by_text(text, wanted, evidence, may_be_repeated)) verdict.failure.clear();
  return verdict;
}

}  // namespace agent_doc::simulation
