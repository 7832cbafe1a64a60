// Saves a text that could not be written to its document, so that nothing is lost. This is not a
// backup: it is written only then, and we never remove it. Blocks while the disk works.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace agent_doc::cli {

struct Rescued {
  std::string path;
  boost::system::error_code unconfirmed;  ///< set if the disk may still lose it
};

/// Writes `text` to a new file in `$XDG_STATE_HOME/agent-doc/rescued`, named after `document`.
boost::system::result<Rescued> rescue(const std::string& document, std::string_view text);

}  // namespace agent_doc::cli
