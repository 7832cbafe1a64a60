// What it is: the one edit that was sent and is not yet decided, and the evidence gathered about it
// so far.
// What it is not: it does not decide; SyncEngine does.
// Thread rule: not thread-safe; a value.
#pragma once

#include "server/sync/delta.hpp"
#include "server/sync/marks.hpp"
#include "server/sync/region.hpp"
#include "server/text/edit.hpp"
#include "server/text/position.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_doc::sync {

/// What came back for an edit.
enum class Answer {
  Applied,   ///< `applied: true`. Not believed without an echo.
  Refused,   ///< `applied: false`
  Failed,    ///< a JSON-RPC error
  TimedOut,  ///< nothing came, or no echo; what the shadow shows decides
};

enum class FlightKind {
  Proposal,  ///< a change of the server's own front matter
  Frame,     ///< opens a region: head, the reply so far, tail
  Write,     ///< appends to the reply, in place of a stale span that ends there, if any
  Clean,     ///< deletes one stale span
  LineEnds,  ///< puts line ends where the reply would stand in one line with its heading or with
             ///< what follows it
  Retract,   ///< takes an untouched frame back
};

/// The edit's text was found where it belongs, or at the very position that was sent, in a text
/// that had changed before.
struct LiteralLanding {
  bool misplaced = false;  ///< it is not where it belongs
};

/// An insertion that was given up, because no version protects it and newer text came without it,
/// and that was never refused: a client that does nothing for long may still make it.
struct GivenUp {
  RegionId region{};
  text::Range literal;
  std::string text;
  bool is_known = false;  ///< by its text: it is a frame, or more than a person happens to type
};

/// What such an edit has inserted, in bytes of the text that it was made in.
struct LateLanding {
  std::size_t index = 0;  ///< among those that were given up
  RegionId region{};
  std::size_t begin = 0;
  std::size_t length = 0;
};

struct Flight {
  FlightKind kind = FlightKind::Proposal;
  RegionId region{};  ///< for all kinds but Proposal
  std::int64_t base_version = 0;
  text::Edit edit;            ///< minimised, in bytes of the base
  text::Range literal;        ///< where a client that does not check versions puts it
  std::size_t begin_now = 0;  ///< where the edit's range stands in the shadow now; for a Write or a
                              ///< Frame the marks say it better
  std::size_t end_now = 0;
  std::size_t begin_behind = 0;    ///< the same place, behind what was typed exactly there
  std::size_t begin_farthest = 0;  ///< … and behind what may have been, among equal bytes
  bool place_lost = false;         ///< the block that it is in is gone, to come back maybe
  Delta delta;                     ///< the same edit over the base
  std::size_t reply_begin = 0;     ///< the reply's bytes that it carries …
  std::size_t reply_length = 0;
  std::size_t reply_valid = 0;  ///< … of which so many are still wanted
  std::vector<OwnedSpan>
      carried;  ///< the same bytes: what becomes of each; `begin` counts from the first of them
  std::size_t written_at =
      0;  ///< for Write: where these bytes begin in the base (before a common prefix was taken off)

  std::optional<Answer> answer;
  bool seen = false;        ///< a newer version came
  bool echo = false;        ///< the text was, at some moment, what the edit makes of its base
  bool at_literal = false;  ///< the echo is only that its text was put where it belongs, or at the
                            ///< very position that was sent
  bool misplaced = false;   ///< it landed, but not where it belongs
  bool guessed = false;     ///< the echo was told together with other changes: it explains the text
                            ///< better, no more
  bool is_proven = false;   ///< … but what is there of its text is enough to prove it
  bool may_be_told =
      false;  ///< the guess waits: the client, which has answered, may tell the edit for itself yet
  Delta since_base;
  std::optional<LiteralLanding>
      literal_landing;   ///< counts when the notification that brought it shows no other echo
  std::string expected;  ///< the whole text, in debug builds only
};

}  // namespace agent_doc::sync
