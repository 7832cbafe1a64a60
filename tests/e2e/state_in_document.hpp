// The state that a recorded turn must have in a document, from its entry in EXPECTED.json.
#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace agent_doc::e2e {

/// Returns `in_document` where the entry has it, or else `state`. They differ for a turn that the
/// agent called done without a word: agent-doc calls it failed (turn::Heard).
inline std::string state_in_document(const boost::json::object& turn) {
  const boost::json::value* own = turn.if_contains("in_document");
  return (own != nullptr ? *own : turn.at("state")).as_string().c_str();
}

}  // namespace agent_doc::e2e
