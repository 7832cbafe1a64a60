// What it is: the judge who sees only bytes: whether a text is made of what the person and the
// server should have in it, whoever wrote which byte. What it is not: it does not decide what
// should be there, nor when bytes are all there is to go by (oracle.hpp). Thread rule: pure
// functions.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::simulation {

/// Everything that must be in the text, for a judge who sees only bytes.
struct TextDemand {
  std::string person;
  std::string server;
  std::vector<std::pair<std::size_t, std::size_t>>
      cuts;        ///< from any place in [first, second) of `server` one may go on at second
  int holes = 0;   ///< bytes of the server's that the person took out
  int extras = 0;  ///< bytes that may stand there without being demanded
};

/// Whether `text` is `demand.person` and `demand.server`, each in order, one among the other. A
/// byte that is `free` may stand there anyway.
bool accepts_text(TextDemand demand, const std::string& text, const std::vector<bool>& free);

enum class ServerBytes { InOrder, InAnyOrder };

/// Of every byte as many as there should be, and what the server wrote `order`ed.
bool has_all_bytes(const std::string& text, const TextDemand& demand, ServerBytes order);

}  // namespace agent_doc::simulation
