#include "plugins/acp/acp_preset.hpp"

#include <algorithm>
#include <array>

namespace agent_doc::plugins {
namespace {

using Note = AcpPreset::Note;
using MissingFile = AcpPreset::MissingFile;
using Fork = AcpPreset::Fork;

constexpr AcpPreset standard(std::string_view dialect, std::string_view argument) {
  return {dialect,
          argument,
          AcpUpdates::Flavour::Standard,
          Note::InFirstPrompt,
          MissingFile::Fails,
          Fork::AsAdvertised};
}

constexpr AcpPreset of_claude(std::string_view dialect) {
  return {dialect,
          "",
          AcpUpdates::Flavour::Standard,
          Note::InSystemPrompt,
          MissingFile::Fails,
          Fork::AsAdvertised};
}

/// The mode "agent" asks before it uses a tool; "autopilot" does not.
constexpr AcpPreset of_copilot() {
  AcpPreset preset = standard("copilot", "--acp");
  preset.asking_mode = "agent";
  preset.service_words = AcpServiceWords::Telling::NoUsage;
  return preset;
}

/// The mode "act" asks before it uses a tool while the switch `auto_approve` is off (acp_mode.hpp).
constexpr AcpPreset of_cline() {
  AcpPreset preset = standard("cline", "--acp");
  preset.asking_mode = "act";
  return preset;
}

/// It reports usage at the end of each message.
constexpr AcpPreset of_claude_agent() {
  AcpPreset preset = of_claude("claude-agent-acp");
  preset.late_text = AcpPreset::LateText::EndsWithUsage;
  preset.message_ends = AcpPreset::MessageEnds::InModelStream;
  return preset;
}

constexpr AcpPreset with_words(AcpPreset preset, AcpServiceWords::Telling telling) {
  preset.service_words = telling;
  return preset;
}

constexpr std::array<AcpPreset, 12> kPresets = {{
    {"gemini", "--acp", AcpUpdates::Flavour::Gemini, Note::InFirstPrompt, MissingFile::ReadsEmpty,
     Fork::Never},
    standard("opencode", "acp"),
    of_claude("claude-code-acp"),
    of_claude_agent(),
    with_words(standard("codex-acp", ""), AcpServiceWords::Telling::ThreadStatus),
    standard("qwen", "--acp"),
    of_copilot(),
    standard("vibe", ""),
    of_cline(),
    standard("kilo", "acp"),
    with_words(standard("goose", "acp"), AcpServiceWords::Telling::NoMessageId),
    standard("acp", ""),
}};

}  // namespace

const AcpPreset& acp_preset_of(std::string_view dialect) {
  const auto& presets = kPresets;
  const auto found =
      std::find_if(presets.begin(), presets.end(),
                   [dialect](const AcpPreset& preset) { return preset.dialect == dialect; });
  return found != presets.end() ? *found : presets.back();
}

}  // namespace agent_doc::plugins
