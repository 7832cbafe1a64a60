#include "plugins/acp_preset.hpp"

#include <algorithm>
#include <array>

namespace agent_doc::plugins {
namespace acp_preset_internal {

using Note = AcpPreset::Note;
using MissingFile = AcpPreset::MissingFile;
using Fork = AcpPreset::Fork;

constexpr std::array<AcpPreset, 4> kPresets = {{
    {"gemini", "--acp", AcpUpdates::Flavour::Gemini, Note::InFirstPrompt, MissingFile::ReadsEmpty, Fork::Never},
    {"opencode", "acp", AcpUpdates::Flavour::Standard, Note::InFirstPrompt, MissingFile::Fails, Fork::AsAdvertised},
    {"claude-code-acp", "", AcpUpdates::Flavour::Standard, Note::InSystemPrompt, MissingFile::Fails, Fork::AsAdvertised},
    {"acp", "", AcpUpdates::Flavour::Standard, Note::InFirstPrompt, MissingFile::Fails, Fork::AsAdvertised},
}};

}  // namespace acp_preset_internal

const AcpPreset& acp_preset_of(std::string_view dialect) {
  const auto& presets = acp_preset_internal::kPresets;
  const auto found = std::find_if(presets.begin(), presets.end(), [dialect](const AcpPreset& preset) { return preset.dialect == dialect; });
  return found != presets.end() ? *found : presets.back();
}

}  // namespace agent_doc::plugins
