// What it is: the judge of a finished run: everything the person wrote is there, every reply is
// there once and in order, nothing else is.
// What it is not: it does not look at the engine.
// Thread rule: pure functions.
#pragma once

#include "tests/simulation/authored_text.hpp"
#include "tests/simulation/writer.hpp"

#include <string>
#include <vector>

namespace agent_doc::simulation {

struct Verdict {
  std::string failure;  ///< empty: all is well
  bool by_text_only =
      false;  ///< who wrote what could not be told apart everywhere; the text alone was judged
};

/// How much the client leaves in doubt.
enum class Evidence {
  Exact,        ///< byte by byte
  EqualText,    ///< where the same bytes stand side by side, either author may own them
  EqualBytes,   ///< several changes are told as one: of equal lines nobody knows which was there
                ///< before
  EditsAstray,  ///< the client also applied edits where they were not meant: what they brought and
                ///< took is its doing
  AnyOrder,  ///< several changes are told as one, in a text of few letters: nobody knows what was
             ///< before what
  Repeats,   ///< the client cannot show what an edit has become: some of a reply may even stand
             ///< there more than once
};

/// Of a client that makes edits elsewhere than it was asked to: what went wrong when the text grew
/// without bound, or an edit that only inserts took out what the person wrote. Empty: nothing.
std::string judge_bounds(const AuthoredText& text, const std::vector<WantedRegion>& wanted);

/// `may_be_repeated`: so many bytes of the replies may stand there twice, with Evidence::Repeats.
Verdict judge(const AuthoredText& text, const std::vector<WantedRegion>& wanted, Evidence evidence,
              std::size_t may_be_repeated);

}  // namespace agent_doc::simulation
