// What it is: the examples of protocol/PROTOCOL.md as data, and the patterns that they are written
// in: placeholders, `"…"`.
// What it is not: it starts nothing; protocol_examples_test.cpp replays them. It reads only what
// its own sentences about examples (PROTOCOL.md, "How to read the examples") promise; anything else
// in an example is an error.
// Thread rule: plain values and pure functions.
#pragma once

#include <boost/json/value.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::e2e {

enum class StepKind {
  Client,     ///< a message that the client sends
  ClientRaw,  ///< a body that is no JSON
  Server,     ///< a pattern for the next message of the server
  Exit,       ///< the server ends with the code `text`
  Restart,    ///< the connection breaks, and a new server is started with the same files
};

struct ExampleStep {
  StepKind kind = StepKind::Client;
  std::string text;
  int line = 0;  ///< of PROTOCOL.md
};

struct Example {
  std::string name;
  std::vector<ExampleStep> steps;  ///< those of its setup first
  std::set<std::string, std::less<>>
      not_shown;  ///< notifications of the server that may come in between
};

/// Throws std::runtime_error for an example that is not written as it should be.
std::vector<Example> read_examples(std::string_view markdown);

/// What the placeholders of one example stand for so far.
using Captures = std::map<std::string, boost::json::value, std::less<>>;

/// Whether `actual` is what `pattern` says. New placeholders are captured, also when the answer is
/// no.
bool matches(const boost::json::value& pattern, const boost::json::value& actual,
             Captures& captures);

/// `value` with what its placeholders stand for. Throws std::runtime_error for one that stands for
/// nothing yet.
boost::json::value filled_in(const boost::json::value& value, const Captures& captures);

}  // namespace agent_doc::e2e
