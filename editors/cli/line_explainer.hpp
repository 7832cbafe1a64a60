// What it is: what each line of an agent was taken for, and why, in words for a person (`agent-doc
// doctor AGENT --explain`).
// What it is not: it changes nothing of how lines are read; what is explained are the events of the
// agent's own protocol.
// Thread rule: not thread-safe; one per agent process.
#pragma once

#include "plugins/generic/generic_lines.hpp"
#include "plugins/json_line.hpp"
#include "plugins/registry.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

/// Of a line, and of a text in it, in bytes.
inline constexpr std::size_t kMaxExplainedLine = 300;
inline constexpr std::size_t kMaxExplainedText = 100;

class LineExplainer {
 public:
  using Write = std::function<void(std::string_view)>;

  LineExplainer(const plugins::AgentSpec& spec, Write write);

  /// Before and behind the call in which the protocol reads it.
  void line_begins(std::string_view line);
  void line_ended();
  /// Of the line that is read; of none: at the end of the process.
  void event(const plugins::AgentEvent& event);

 private:
  void read_again(std::string_view line);

  Write write_;
  std::string line_;
  std::vector<std::string> findings_;
  bool in_line_ = false;
  std::size_t lines_ = 0;
  plugins::JsonLine json_;
  std::unique_ptr<plugins::GenericLines> generic_;  ///< reads it once more, for its reasons
};

}  // namespace agent_doc::cli
