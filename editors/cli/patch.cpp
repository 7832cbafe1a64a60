#include "editors/cli/commands.hpp"
#include "editors/cli/standard_input.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/closed_document.hpp"
#include "server/file/document_file.hpp"
#include "server/markdown/component_patch.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/text/line_ends.hpp"
#include "server/turn/sanitiser.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include <unistd.h>

namespace agent_doc::cli {

namespace {

/// The pause between two attempts while another program writes the file.
constexpr std::chrono::milliseconds kPatchPause{50};
constexpr int kMaxPatchAttempts = 40;
/// Of the components that a message lists.
constexpr std::size_t kMaxListed = 10;

std::string components_of(const markdown::Components& components) {
  if (components.found.empty())
    return "it has none; one begins with a line `<!-- agent:NAME -->` and ends with a line "
           "`<!-- /agent:NAME -->`.";
  std::string names;
  for (std::size_t i = 0; i < std::min(components.found.size(), kMaxListed); ++i)
    names += (i == 0 ? "" : ", ") + components.found[i].name;
  return "it has " + names + (components.found.size() > kMaxListed ? ", …" : "") + ".";
}

/// Returns the edit, or why there is none.
std::variant<text::Edit, std::string> edit_for(const std::string& document,
                                               const PatchOptions& options,
                                               const std::string& text) {
  const std::size_t body = markdown::read_front_matter(document).body_begin;
  const markdown::Components components = markdown::find_components(document, body);
  const markdown::Component* component = components.find(options.component);
  if (component == nullptr)
    return options.file + " has no component " + turn::one_line(options.component, 100) + ": " +
           components_of(components);
  markdown::ComponentSettings settings = markdown::settings_of(*component);
  if (!options.mode.empty()) settings.mode = *markdown::patch_mode_of(options.mode);
  const auto outcome = markdown::patch_component(document, body, *component, settings, text,
                                                 text::most_frequent_line_end(document));
  if (const auto* refused = std::get_if<markdown::NotPatched>(&outcome))
    return options.file + " is as it was: " + refused->reason + ". Put them into a code block.";
  return std::get<text::Edit>(outcome);
}

/// Returns why the file could not be written, or an empty string.
std::string save(lsp::ClosedFile& file) {
  for (int attempt = 1;; ++attempt) {
    const lsp::ClosedFile::SaveResult result = file.save(std::chrono::steady_clock::now());
    if (result.saved == lsp::ClosedFile::Saved::Yes) return {};
    if (result.saved == lsp::ClosedFile::Saved::No || attempt == kMaxPatchAttempts)
      return result.problem;
    std::this_thread::sleep_for(kPatchPause);
  }
}

}  // namespace

int patch(const PatchOptions& options) {
  const file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  InputText input{options.text, {}};
  if (options.text == "-") input = read_standard_input();
  if (!input.problem.empty()) return complain(kUsage, input.problem);
  auto file = app::open_closed_document(document->path());
  if (file.has_error()) return complain(kUsage, file.error());
  const auto edit = edit_for((*file)->text(), options, input.text);
  if (const auto* reason = std::get_if<std::string>(&edit)) return complain(kUsage, *reason);
  const text::Edit& change = std::get<text::Edit>(edit);
  if (change.is_no_op())
    return complain(kNothingToSend, options.component + " in " + options.file + " is as it was.");
  (*file)->apply(change);
  if (const std::string problem = save(**file); !problem.empty())
    return complain(kTurnFailed, problem);
  write_all(STDOUT_FILENO, "Patched " + options.component + " in " + options.file + ".\n");
  return kDone;
}

}  // namespace agent_doc::cli
