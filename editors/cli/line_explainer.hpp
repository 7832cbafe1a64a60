// Explains to a person how each line of an agent was understood, and why
// (`agent-doc doctor AGENT --explain`). It explains the events of the agent's protocol and does not
// change how lines are read. Not thread-safe; one per agent process.
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

/// The maximal length of a shown line, and of a text in it, in bytes.
inline constexpr std::size_t kMaxExplainedLine = 300;
inline constexpr std::size_t kMaxExplainedText = 100;

class LineExplainer {
 public:
  using Write = std::function<void(std::string_view)>;

  LineExplainer(const plugins::AgentSpec& spec, Write write);

  /// Called before and after the protocol reads a line.
  void line_begins(std::string_view line);
  void line_ended();
  /// An event of the current line, or of the end of the process.
  void event(const plugins::AgentEvent& event);

 private:
  void read_again(std::string_view line);

  Write write_;
  std::string line_;
  std::vector<std::string> findings_;
  bool in_line_ = false;
  std::size_t lines_ = 0;
  plugins::JsonLine json_;
  std::unique_ptr<plugins::GenericLines> generic_;  ///< reads each line again, for the reasons
};

}  // namespace agent_doc::cli
