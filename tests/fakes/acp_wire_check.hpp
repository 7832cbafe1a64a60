// What it is: looks at the lines between agent-doc and an ACP agent, both ways, and says what of
// ours is not as the official schema of ACP v1 has it (tests/schemas/acp): a method, a field or a
// value that is not described, an answer to nothing.
// What it is not: a judge of the agent: its lines only tell what our answers belong to.
// Thread rule: one thread; one object per connection.
#pragma once

#include <boost/json/object.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::fakes {

class AcpWireCheck {
 public:
  /// A line of the agent's.
  void from_agent(std::string_view line);
  /// Returns what is wrong with a line of ours; nothing when it is right.
  std::vector<std::string> from_client(std::string_view line);

 private:
  std::vector<std::string> answer(const boost::json::object& line);

  std::map<std::string, std::string>
      asked_;  ///< method of each request of the agent's, by its id as JSON
};

}  // namespace agent_doc::fakes
