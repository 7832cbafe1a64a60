#include "plugins/tour/tour_folder.hpp"

#include "server/text/shortened.hpp"

#include <algorithm>

namespace agent_doc::plugins::tour {

namespace {

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : several);
}

/// Returns `name` as code in a table cell; characters that would end either become "?".
std::string code(std::string_view name) {
  std::string out = "`";
  for (const char c : name)
    out += c == '`' || c == '|' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out + "`";
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

bool is_prose(std::string_view line) {
  constexpr std::string_view kOtherBlocks = "#<![|>-=*+~`";
  return !line.empty() && kOtherBlocks.find(line.front()) == std::string_view::npos;
}

std::string table_of(std::vector<FolderSight::Kind> kinds) {
  std::sort(kinds.begin(), kinds.end(), [](const FolderSight::Kind& a, const FolderSight::Kind& b) {
    return a.files != b.files ? a.files > b.files : a.name < b.name;
  });
  std::string out = "| kind | files |\n|:--|--:|\n";
  std::size_t rest = 0;
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    if (at < kMaxNamedKinds) {
      out += "| " + code(kinds[at].name) + " | " + std::to_string(kinds[at].files) + " |\n";
    } else {
      rest += kinds[at].files;
    }
  }
  if (rest > 0) out += "| others | " + std::to_string(rest) + " |\n";
  return out;
}

std::string about_agents(const std::vector<std::string>& agents) {
  if (agents.empty()) {
    return "I can count, but I cannot read code. A real agent can. None is installed here yet; "
           "`agent-doc agents` says how to get "
           "each, and afterwards the same question goes to it.\n";
  }
  std::string names;
  for (const std::string& agent : agents) names += (names.empty() ? "" : ", ") + code(agent);
  return "I can count, but I cannot read code. A real agent can, and there is one here: " + names +
         ". Ask it the same:\n\n```sh\nagent-doc new explained.md \"Explain this repository\" "
         "--agent " +
         agents.front() + " --run\n```\n";
}

}  // namespace

std::string opening_of(std::string_view markdown) {
  std::string out;
  enum class In { Text, FrontMatter, Fence };
  In in = In::Text;
  for (std::size_t begin = 0, number = 0; begin < markdown.size(); ++number) {
    const std::size_t end = std::min(markdown.find('\n', begin), markdown.size());
    const std::string_view line = trimmed(markdown.substr(begin, end - begin));
    begin = end + 1;
    if (number == 0 && line == "---") {
      in = In::FrontMatter;
    } else if (in == In::FrontMatter) {
      if (line == "---") in = In::Text;
    } else if (line.starts_with("```") || line.starts_with("~~~")) {
      if (!out.empty()) break;
      in = in == In::Fence ? In::Text : In::Fence;
    } else if (in == In::Text && is_prose(line)) {
      out += (out.empty() ? "" : " ") + std::string(line);
    } else if (!out.empty()) {
      break;
    }
  }
  if (out.size() <= kMaxOpeningBytes) return out;
  return std::string(text::beginning(out, kMaxOpeningBytes)) + "…";
}

std::string description_of(const FolderSight& sight) {
  std::string out = "### What I see here\n\nI looked into the folder " + code(sight.name) + ": " +
                    (sight.extent == FolderExtent::Whole ? "" : "at least ") +
                    counted(sight.files, "file", "files") + " in " +
                    counted(sight.folders + 1, "folder", "folders") + ".\n";
  if (!sight.kinds.empty()) out += "\n" + table_of(sight.kinds);
  if (const std::string opening = opening_of(sight.readme); !opening.empty()) {
    out += "\n" + code(sight.readme_name) + " begins:\n\n> " + opening + "\n";
  }
  return out + "\n" + about_agents(sight.agents);
}

}  // namespace agent_doc::plugins::tour
