// What it is: the person at a client: turns a step of a script into edits of the client's text, at
// the places where it can hurt.
// What it is not: it knows nothing of the server; it sees the same text as anybody.
// Thread rule: one object per run.
#pragma once

#include "tests/simulation/client.hpp"
#include "tests/simulation/script.hpp"
#include "tests/simulation/trace.hpp"

#include <cstddef>

namespace agent_doc::simulation {

class Person {
 public:
  Person(Client& client, const Setting& setting, Trace& trace)
      : client_(client), setting_(setting), trace_(trace) {}

  /// Takes `step` if it is one of a person.
  void act(const Step& step, Time now);

 private:
  std::size_t locate(const Step& step) const;
  std::size_t snapped(std::size_t offset) const;
  void write(std::size_t begin, std::size_t end, const std::string& text, Time now);
  void reformat(const Step& step, Time now);
  void cut_block(const Step& step, Time now);
  void trim_and_save(Time now);
  void tidy_blank_lines(const Step& step, Time now);

  Client& client_;
  const Setting& setting_;
  Trace& trace_;
};

}  // namespace agent_doc::simulation
