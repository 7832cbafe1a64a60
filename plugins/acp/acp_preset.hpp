// What it is: what has to be known of an ACP agent beyond the protocol.
// What it is not: the registry's rows: names, programs, advice.
// Thread rule: constants.
#pragma once

#include "plugins/acp/acp_service_words.hpp"
#include "plugins/acp/acp_updates.hpp"

#include <string_view>

namespace agent_doc::plugins {

struct AcpPreset {
  std::string_view dialect;
  std::string_view
      argument;  ///< that makes it speak ACP; empty: nothing is needed, or the configuration has it
  AcpUpdates::Flavour flavour;
  /// How the agent is told what every agent is told (system_note.hpp).
  enum class Note { InFirstPrompt, InSystemPrompt } note;
  /// It cannot create a file when the read of the missing file fails, as it should: it gets an
  /// empty text instead.
  enum class MissingFile { Fails, ReadsEmpty } missing_file;
  enum class Fork { AsAdvertised, Never } fork;
  std::string_view asking_mode =
      {};  ///< asks before it changes something, though its name does not say so
  AcpServiceWords::Telling service_words =
      AcpServiceWords::Telling::None;  ///< how its own words are told from its model's
};

/// That of `acp` for dialects without one of their own.
const AcpPreset& acp_preset_of(std::string_view dialect);

}  // namespace agent_doc::plugins
