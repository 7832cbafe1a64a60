// What is told of a run that goes on in a process of its own (run_process.hpp): its events with the
// name of its file, and one line at its end. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::cli {

class RunSummary {
 public:
  /// Takes notice of an event of the run (`agent-doc run --json`).
  void note(const boost::json::object& event);

  const std::string& phase() const { return phase_; }
  /// Returns, for example, "✔ a.md · done · 3 s · 12 tokens written", with its newline.
  std::string last_line(const std::string& file, int exit_code) const;

 private:
  std::string phase_;
  std::int64_t elapsed_ms_ = 0;
  std::int64_t output_tokens_ = 0;
};

/// Returns `event` as one line of JSON, with its newline and the name of the file.
std::string event_line(const std::string& file, const boost::json::object& event);

/// Returns what a line says that is no event, or an event of kind "message" that is no mere
/// information; else an empty string.
std::string complaint_in(const boost::json::object& event);

}  // namespace agent_doc::cli
