// What we know about particular ACP agents beyond the protocol. Names, programs and advice are in
// registry.cpp.
#pragma once

#include "plugins/acp/acp_service_words.hpp"
#include "plugins/acp/acp_updates.hpp"

#include <string_view>

namespace agent_doc::plugins {

struct AcpPreset {
  std::string_view dialect;
  /// The argument that makes it speak ACP; empty when none is needed or it is configured.
  std::string_view argument;
  AcpUpdates::Flavour flavour;
  /// How the agent gets the system note (system_note.hpp).
  enum class Note { InFirstPrompt, InSystemPrompt } note;
  /// ReadsEmpty: the agent cannot create a file when reading the missing file fails, so it gets an
  /// empty text.
  enum class MissingFile { Fails, ReadsEmpty } missing_file;
  enum class Fork { AsAdvertised, Never } fork;
  /// A mode that asks before it changes something, although its name does not say so.
  std::string_view asking_mode = {};
  /// How to distinguish its own words from its model's.
  AcpServiceWords::Telling service_words = AcpServiceWords::Telling::None;
  /// How to know that a message which comes after a turn is complete. It streams, so an agent that
  /// is idle between two pieces answers a request, too.
  enum class LateText { EndsWithAnswer, EndsWithUsage } late_text = LateText::EndsWithAnswer;
  /// How to know why each message of the model ended; ACP reports only the end of the whole turn.
  /// InModelStream: claude-agent-acp forwards the model's own stream to a client that wants it.
  enum class MessageEnds { Unknown, InModelStream } message_ends = MessageEnds::Unknown;
};

/// Returns the preset of `dialect`, or that of `acp`.
const AcpPreset& acp_preset_of(std::string_view dialect);

}  // namespace agent_doc::plugins
