// What it is: the place for a text that could not be written where it belongs, so that nothing is
// lost.
// What it is not: a backup; it is written only then, and never removed by us.
// Thread rule: blocks for as long as the disk takes.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace agent_doc::cli {

struct Rescued {
  std::string path;
  boost::system::error_code unconfirmed;  ///< set when the disk may still lose it
};

/// Writes `text` into a new file of `$XDG_STATE_HOME/agent-doc/rescued`, named after `document`.
boost::system::result<Rescued> rescue(const std::string& document, std::string_view text);

}  // namespace agent_doc::cli
