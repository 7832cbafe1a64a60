#include "server/turn/patched_document.hpp"

#include "server/markdown/component_patch.hpp"
#include "server/text/line_ends.hpp"
#include "server/turn/patch_blocks.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::turn {

namespace {

class Parts final : public PatchPartWrites {
 public:
  void write_part(std::size_t part, std::size_t offset, std::string_view text) override {
    if (part == texts.size()) texts.emplace_back();
    texts[part].replace(offset, std::string::npos, text);
  }
  void withdraw_part(std::size_t) override { texts.pop_back(); }

  std::vector<std::string> texts{""};
};

PatchTarget target_in(const markdown::Components& components, std::size_t prompt,
                      std::string_view name) {
  if (std::ranges::find(components.open, name) != components.open.end()) return PatchTarget::Reply;
  const markdown::Component* component = components.find(name);
  if (component == nullptr) return PatchTarget::Nowhere;
  const bool is_around = component->opening_begin < prompt && prompt < component->closing_end;
  return is_around ? PatchTarget::Reply : PatchTarget::Component;
}

/// What one component gets: its blocks, joined as they are in a document.
struct Patch {
  std::string name;
  PatchKind kind = PatchKind::AsComponentSays;
  std::vector<std::string> texts;
};

struct SplitReply {
  std::string said;
  std::vector<Patch> patches;
};

SplitReply split(const markdown::Components& components, std::size_t prompt,
                 std::string_view reply) {
  Parts parts;
  PatchBlocks blocks([&](std::string_view name) { return target_in(components, prompt, name); },
                     parts);
  blocks.write(0, reply);
  blocks.finish();
  SplitReply result;
  result.said = std::move(parts.texts.front());
  for (std::size_t i = 0; i < blocks.blocks().size(); ++i) {
    const PatchBlock& block = blocks.blocks()[i];
    auto patch = std::ranges::find(result.patches, block.name, &Patch::name);
    if (patch == result.patches.end())
      patch = result.patches.insert(patch, Patch{block.name, block.kind, {}});
    patch->texts.push_back(std::move(parts.texts[i + 1]));
  }
  return result;
}

markdown::ComponentSettings settings_for(const markdown::Component& component, PatchKind kind) {
  markdown::ComponentSettings settings = markdown::settings_of(component);
  if (kind == PatchKind::Replace) settings.mode = markdown::PatchMode::Replace;
  return settings;
}

std::string joined(const Patch& patch, markdown::PatchMode mode) {
  if (mode == markdown::PatchMode::Replace) return patch.texts.back();
  std::string all;
  for (const std::string& text : patch.texts) {
    if (!all.empty() && !text.empty()) all += '\n';
    all += text;
  }
  return all;
}

/// Takes the beginning of `appended` out of the end of a component's body.
void take_out_begun(std::string& document, const markdown::Component& component,
                    std::string_view appended) {
  const std::size_t end = component.boundary.value_or(component.closing_begin);
  const std::string_view body =
      std::string_view(document).substr(component.body_begin, end - component.body_begin);
  const std::string_view text = body.substr(0, body.find_last_not_of("\r\n") + 1);
  for (std::size_t size = std::min(appended.size(), text.size()); size > 0; --size) {
    const std::size_t at = text.size() - size;
    const bool begins_line = at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r';
    if (!begins_line || text.substr(at) != appended.substr(0, size)) continue;
    document.erase(component.body_begin + at, body.size() - at);
    return;
  }
}

bool may_have_blocks(std::string_view reply) {
  return reply.find("patch:") != std::string_view::npos ||
         reply.find("replace:") != std::string_view::npos ||
         reply.find("agent:") != std::string_view::npos;
}

}  // namespace

PatchedDocument patched_document(std::string_view document, std::size_t body_begin,
                                 std::size_t prompt, std::string_view reply, BegunBlocks begun) {
  PatchedDocument result{std::string(document), {}};
  markdown::Components components;
  if (may_have_blocks(reply)) components = markdown::find_components(document, body_begin);
  if (components.found.empty() && components.open.empty()) {
    result.said = reply;
    return result;
  }
  SplitReply parts = split(components, prompt, reply);
  result.said = std::move(parts.said);
  const std::string_view line_end = text::most_frequent_line_end(document);
  for (const Patch& patch : parts.patches) {
    markdown::Components now = markdown::find_components(result.text, body_begin);
    const markdown::Component* component = now.find(patch.name);
    if (component == nullptr) continue;
    const markdown::ComponentSettings settings = settings_for(*component, patch.kind);
    const std::string text = joined(patch, settings.mode);
    if (begun == BegunBlocks::MayBeThere && settings.mode == markdown::PatchMode::Append) {
      take_out_begun(result.text, *component, text::with_line_ends(text, line_end));
      now = markdown::find_components(result.text, body_begin);
      component = now.find(patch.name);
    }
    const auto outcome =
        markdown::patch_component(result.text, body_begin, *component, settings, text, line_end);
    if (const auto* edit = std::get_if<text::Edit>(&outcome))
      result.text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  }
  return result;
}

bool has_patches(std::string_view document, std::size_t body_begin, std::size_t prompt,
                 std::string_view reply) {
  if (!may_have_blocks(reply)) return true;
  const markdown::Components components = markdown::find_components(document, body_begin);
  const std::vector<Patch> patches = split(components, prompt, reply).patches;
  return std::ranges::all_of(patches, [&](const Patch& patch) {
    const markdown::Component* component = components.find(patch.name);
    if (component == nullptr) return true;
    const std::string body = text::with_line_ends(
        document.substr(component->body_begin, component->closing_begin - component->body_begin),
        "\n");
    const markdown::PatchMode mode = settings_for(*component, patch.kind).mode;
    return body.find(joined(patch, mode)) != std::string::npos;
  });
}

}  // namespace agent_doc::turn
