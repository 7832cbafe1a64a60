// What it is: the places of a document that are not as its agent has them, kept while a person
// types. It compares again only what was changed since it looked last, from the first turn that
// differs to the last one: the text above a prompt that is being typed costs a look at its bytes.
// What it is not: what is sent (prompt.hpp), or what the agent has (session/seen_by_agents).
// Thread rule: not thread-safe; one per document.
#pragma once

#include "server/turn/tidier.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {

/// A place of the document that differs. There are as many of them as hunks in what a run sends.
struct UnseenPlace {
  std::size_t begin = 0;  ///< bytes of the text that was looked at
  std::size_t end = 0;    ///< behind its last line, before the line end; equal to `begin`, where a
                          ///< line begins, when lines were only taken out
  std::size_t had_begin = 0;  ///< bytes of what the agent has
  std::size_t had_end = 0;
  std::string now;  ///< what stands here instead, in the form of as_seen()
  bool operator==(const UnseenPlace& other) const = default;
};

class UnseenChanges {
 public:
  /// The agent has `earlier` (turn::earlier_text()). There are no places until look().
  void begin(std::string earlier);
  const std::string& earlier() const { return earlier_; }

  /// Compares `above`, which is the document up to its open prompt. `turns`: where its turns begin,
  /// ascending; what is before the first of them is one, too.
  void look(std::string_view above, const std::vector<std::size_t>& turns);
  /// Returns the places of the last look, in ascending order.
  const std::vector<UnseenPlace>& places() const { return places_; }

 private:
  /// A turn of the text, and what it adds to the text as an agent sees it.
  struct Section {
    std::size_t begin = 0;
    std::size_t seen_size = 0;
    Tidier at_begin;
  };
  /// Sections at an end of the text that are equal to so many bytes at that end of `earlier_`.
  struct Equal {
    std::size_t sections = 0;
    std::size_t bytes = 0;
  };
  class Reading;

  static void take_over(const Section& old, Section& section);
  Equal equal_at_front(const std::vector<Section>& next, std::string_view above,
                       std::size_t same) const;
  Equal equal_at_back(const std::vector<Section>& next, std::string_view above, std::size_t same,
                      std::size_t front) const;
  const Section& from_end(std::size_t count) const { return sections_[sections_.size() - count]; }
  Tidier tidier_behind_front() const;
  /// The part of `earlier_` that is not known to be equal.
  std::string_view had() const;
  void read_what_differs(Reading& reading, std::size_t sections);
  void find_places(const Reading& reading);
  void note_what_is_equal(const Reading& reading);

  std::string earlier_;
  std::string text_;  ///< that was looked at last
  std::vector<Section> sections_;
  Tidier at_end_;
  Equal front_;  ///< does not reach into back_
  Equal back_;
  std::vector<UnseenPlace> places_;
};

/// `earlier` as it is when `places`, which are ascending, count as seen. `mark`: a byte of
/// `earlier` that is moved with its text, to the begin of a place that it is inside of.
struct CountedAsSeen {
  std::string text;
  std::size_t mark = 0;
};
CountedAsSeen count_as_seen(std::string_view earlier, const std::vector<UnseenPlace>& places,
                            std::size_t mark);

}  // namespace agent_doc::turn
