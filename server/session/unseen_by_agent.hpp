// What it is: the places of a document that the agent of its next run has not seen, as of the last
// look, and whose knowledge they are compared with.
// What it is not: what that agent has (seen_by_agents.hpp), nor when it is looked at: at a rest of
// the keyboard, and never while a turn runs.
// Thread rule: not thread-safe; one per document.
#pragma once

#include "plugins/agent.hpp"
#include "server/turn/unseen_changes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

struct DocumentParts;
enum class SessionUse;

/// Whose knowledge of a document is compared with it.
struct Knower {
  std::string agent;
  std::string session;
  std::string document;  ///< its id
  plugins::SessionStart start = plugins::SessionStart::New;
  SessionUse use = SessionUse();
  bool operator==(const Knower& other) const = default;
};

class UnseenByAgent {
 public:
  bool compares_with(const Knower& knower) const { return knower_ == knower; }
  /// `earlier`: what `knower` has; nothing: that is not known.
  void compare_with(Knower knower, std::optional<std::string> earlier);
  /// There is nobody to compare with, or what they have is going to change, or the text is another.
  void forget();

  /// Looks at `document`, whose text has changed `changes` times.
  void look(std::string_view document, const DocumentParts& parts, std::uint64_t changes);

  /// Precondition: there are places.
  const std::string& agent() const { return knower_->agent; }
  std::size_t count() const { return changes_.places().size(); }
  /// Returns true when nothing was typed since the last look.
  bool is_of(std::uint64_t changes) const { return changes == looked_at_; }
  /// Returns where the open prompt begins, with its heading, in the document that was looked at.
  std::size_t prompt_begin() const { return prompt_begin_; }
  /// Returns the places in bytes of the document that was looked at.
  const std::vector<turn::UnseenPlace>& places() const { return places_; }
  /// Returns those of places() that are on the lines which [begin, end] touches.
  std::vector<std::size_t> places_at(std::string_view document, std::size_t begin,
                                     std::size_t end) const;
  /// Returns what the agent has when the places with these numbers count as seen.
  turn::CountedAsSeen counted(const std::vector<std::size_t>& numbers, std::size_t mark) const;

 private:
  std::optional<Knower> knower_;
  bool is_known_ = false;
  turn::UnseenChanges changes_;
  std::vector<turn::UnseenPlace> places_;
  std::size_t prompt_begin_ = 0;
  std::uint64_t looked_at_ = 0;  ///< 0: nothing was looked at
};

/// Returns how many questions have an answer above `place` of `document`: after that many a fork
/// begins before the change. 0: there is no such place.
std::size_t turns_before(std::string_view document, const DocumentParts& parts,
                         const turn::UnseenPlace& place);

}  // namespace agent_doc::session
