#include "server/app/generic_agent_config.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace agent_doc::app {
namespace {

using Format = plugins::GenericAgent::Format;
using TextMode = plugins::GenericAgent::TextMode;
using Problem = std::function<void(const toml::source_region&, const std::string&)>;

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

constexpr std::array kFormats = {Named<Format>{"ndjson", Format::Ndjson},
                                 Named<Format>{"text", Format::Text}};
constexpr std::array kTextModes = {Named<TextMode>{"auto", TextMode::Auto},
                                   Named<TextMode>{"deltas", TextMode::Deltas},
                                   Named<TextMode>{"snapshots", TextMode::Snapshots},
                                   Named<TextMode>{"messages", TextMode::Messages}};
constexpr std::array<std::string_view, 3> kPlaceholders = {plugins::kPromptFile, "{session_id}",
                                                           "{model}"};

class AgentTable {
 public:
  AgentTable(const toml::table& table, const std::string& place, const Problem& problem)
      : table_(table), place_(place), problem_(problem) {}

  plugins::GenericAgent read(const plugins::AgentSpec& spec) {
    plugins::GenericAgent agent;
    if (spec.command.empty())
      problem_(table_.source(),
               place_ + " needs a `command`: the dialect \"generic\" has no program of its own");
    agent.format = choice("format", kFormats, agent.format);
    agent.text_mode = choice("text_mode", kTextModes, agent.text_mode);
    agent.text_field = path("text_field");
    agent.session_id_field = path("session_id_field");
    agent.resume_args = strings("resume_args");
    agent.fork_args = strings("fork_args");
    check_placeholders("args", spec.args);
    check_placeholders("resume_args", agent.resume_args);
    check_placeholders("fork_args", agent.fork_args);
    if (agent.format == Format::Text) check_text(spec);
    return agent;
  }

 private:
  const toml::node* node(std::string_view key) const { return table_.get(key); }
  void wrong(std::string_view key, const std::string& what) {
    problem_(node(key)->source(), std::string(key) + " in " + place_ + " " + what);
  }

  template <class Value, std::size_t size>
  Value choice(std::string_view key, const std::array<Named<Value>, size>& choices,
               Value otherwise) {
    if (node(key) == nullptr) return otherwise;
    const auto name = node(key)->value<std::string>();
    const auto found = std::find_if(choices.begin(), choices.end(),
                                    [&name](const Named<Value>& one) { return name == one.name; });
    if (found != choices.end()) return found->value;
    std::string all;
    for (const Named<Value>& one : choices)
      all += (all.empty() ? "\"" : ", \"") + std::string(one.name) + "\"";
    wrong(key, "must be one of " + all);
    return otherwise;
  }

  /// Returns a path of names separated by dots.
  std::string path(std::string_view key) {
    if (node(key) == nullptr) return {};
    const auto names = node(key)->value<std::string>().value_or("");
    const bool is_path = node(key)->is_string() && !names.empty() && names.front() != '.' &&
                         names.back() != '.' && names.find("..") == std::string::npos;
    if (!is_path)
      wrong(key,
            "must be the name of a field, with dots where it is inside others: \"message.text\"");
    return is_path ? names : std::string();
  }

  std::vector<std::string> strings(std::string_view key) {
    if (node(key) == nullptr) return {};
    std::vector<std::string> result;
    const toml::array* array = node(key)->as_array();
    if (array == nullptr || !(array->empty() || array->is_homogeneous(toml::node_type::string))) {
      wrong(key, "must be a list of strings: [\"--session\", \"{session_id}\"]");
      return result;
    }
    for (const toml::node& one : *array) result.push_back(one.value<std::string>().value_or(""));
    return result;
  }

  /// A word in braces in the place of a value is a typo when it is no placeholder. Inside a longer
  /// argument it may belong to a program in another language.
  void check_placeholders(std::string_view key, const std::vector<std::string>& args) {
    for (const std::string& arg : args) {
      const std::size_t equals = arg.starts_with('-') ? arg.find('=') : std::string::npos;
      const std::string word = equals == std::string::npos ? arg : arg.substr(equals + 1);
      if (word.size() <= 2 || word.front() != '{' || word.back() != '}') continue;
      const bool is_word = std::all_of(word.begin() + 1, word.end() - 1,
                                       [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
      if (!is_word ||
          std::find(kPlaceholders.begin(), kPlaceholders.end(), word) != kPlaceholders.end())
        continue;
      wrong(key, "has " + word +
                     ", which stands for nothing: there are `{prompt_file}`, `{session_id}` and "
                     "`{model}`");
    }
  }

  void check_text(const plugins::AgentSpec& spec) {
    for (const std::string_view key :
         {"text_mode", "text_field", "session_id_field", "resume_args", "fork_args"}) {
      if (node(key) != nullptr)
        wrong(key, "is for format = \"ndjson\": plain text names no session and no fields");
    }
    const bool wants_session = std::any_of(
        spec.args.begin(), spec.args.end(),
        [](const std::string& arg) { return arg.find("{session_id}") != std::string::npos; });
    if (wants_session) wrong("args", "has {session_id}, but with format = \"text\" there is none");
  }

  const toml::table& table_;
  const std::string& place_;
  const Problem& problem_;
};

}  // namespace

plugins::GenericAgent read_generic_agent(
    const toml::table& table, const std::string& place, const plugins::AgentSpec& read,
    const std::function<void(const toml::source_region&, const std::string&)>& problem) {
  return AgentTable(table, place, problem).read(read);
}

}  // namespace agent_doc::app
