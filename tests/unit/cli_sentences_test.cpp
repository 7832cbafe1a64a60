// What went wrong is said in one breath: what, why, what to do. Every sentence of the command line
// and of a refusal is read from the sources, with names of a usual length in it; those that are put
// together from others are made for real.
#include "plugins/registry.hpp"
#include "server/app/config.hpp"
#include "server/process/launch_error.hpp"
#include "server/text/columns.hpp"
#include "tests/unit/project_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli_sentences_test {

using agent_doc::tests::File;
using agent_doc::tests::is_name_character;
using agent_doc::tests::line_of;
using agent_doc::tests::project;
namespace app = agent_doc::app;
namespace plugins = agent_doc::plugins;

constexpr std::size_t kMaxSentence = 200;
/// What stands for a value that only a run knows: "notes/ideas-of-monday.md".
constexpr std::size_t kUsualName = 24;
constexpr std::string_view kSentenceMakers[] = {"complain(", "Refusal{", "protocol::refused(",
                                                "FileErrorKind::", "StoreErrorKind::"};

/// Returns where the literal at `at` ends, and adds to `length` what it is long.
std::size_t end_of_literal(std::string_view code, std::size_t at, std::size_t& length) {
  for (++at; at < code.size() && code[at] != '"'; ++at) {
    if (code[at] == '\\') ++at;
    if ((static_cast<unsigned char>(code[at]) & 0xC0U) != 0x80U) ++length;
  }
  return at + 1;
}

bool is_value(std::string_view code) {
  return std::any_of(code.begin(), code.end(), [](char c) { return is_name_character(c); });
}

/// Returns the length of the sentence whose call begins at `at`, behind its bracket, and nothing
/// when no literal is in it. Of two literals between which `?` and `:` choose, both count: no
/// sentence has so many words that it matters.
std::optional<std::size_t> sentence_at(std::string_view code, std::size_t at) {
  std::size_t length = 0;
  bool has_literal = false;
  std::size_t depth = 1;
  // The first argument is a code, and no word of the sentence. A kind that nothing follows is
  // compared, not told.
  at = std::min(code.find_first_of(",;{}", at), code.size());
  if (at == code.size() || code[at] != ',') return std::nullopt;
  std::size_t value_from = at;
  for (; at < code.size() && depth > 0;) {
    const char c = code[at];
    if (c == '"') {
      if (is_value(code.substr(value_from, at - value_from))) length += kUsualName;
      at = end_of_literal(code, at, length);
      value_from = at;
      has_literal = true;
      continue;
    }
    if (c == '(' || c == '{') ++depth;
    if (c == ')' || c == '}') --depth;
    if (c == ';') break;
    ++at;
  }
  if (is_value(code.substr(value_from, at - value_from))) length += kUsualName;
  return has_literal ? std::optional(length) : std::nullopt;
}

/// "file:line: length" of every sentence in `file` that is too long.
std::vector<std::string> long_sentences(const File& file) {
  std::vector<std::string> found;
  for (const std::string_view maker : kSentenceMakers) {
    for (std::size_t at = file.text.find(maker); at != std::string::npos;
         at = file.text.find(maker, at + 1)) {
      const auto length = sentence_at(file.text, at + maker.size());
      if (length && *length > kMaxSentence)
        found.push_back(file.path + ":" + std::to_string(line_of(file.text, at)) + ": " +
                        std::to_string(*length) + " characters");
    }
  }
  return found;
}

std::unique_ptr<agent_doc::session::AgentDirectory> directory_of(const std::string& toml) {
  return app::make_agent_directory(
      app::parse_config(toml, "/home/anna/.config/agent-doc/config.toml"), "/usr/bin/agent-doc",
      "/usr/bin");
}

}  // namespace cli_sentences_test

using namespace cli_sentences_test;  // NOLINT: this file's own names

TEST_CASE("sentences: how they are measured") {
  const std::string words(150, 'w');
  CHECK(sentence_at("complain(kUsage, \"ab\\\"c\" + name);", 9) == 4 + kUsualName);
  CHECK(sentence_at("complain(kUsage, file.error().message);", 9) == std::nullopt);
  CHECK(long_sentences({"a.cpp", "\n\nreturn complain(kUsage, a + \"" + words + "\" + b + \"–\");"})
            .empty());
  CHECK(long_sentences(
            {"a.cpp", "\n\nreturn Refusal{Kind::Busy, a + \"" + words + "\" + b + \"….\" + c};"}) ==
        std::vector<std::string>{"a.cpp:3: 224 characters"});
}

TEST_CASE("sentences: each of them is short") {
  std::size_t count = 0;
  for (const File& one : project()) {
    if (!agent_doc::tests::is_product(one.path)) continue;
    ++count;
    for (const std::string& problem : long_sentences(one)) FAIL_CHECK(problem);
  }
  CHECK(count > 200);
}

TEST_CASE("sentences: an agent that is not there, whichever it is") {
  using agent_doc::process::LaunchError;
  const auto directory =
      directory_of("[agents.mine]\ndialect = \"acp\"\ncommand = \"/home/anna/bin/my-own-agent\"\n");
  const std::string why = make_error_code(LaunchError::CommandNotFound).message();
  for (const std::string& name : directory->names()) {
    const std::string sentence = "agent-doc: the agent " + name + " could not be started (`" +
                                 directory->find(name)->command + "`: " + why + "). " +
                                 directory->how_to_get(name);
    CAPTURE(sentence);
    CHECK(agent_doc::text::width_of(sentence) <= kMaxSentence);
  }
  CHECK(directory->how_to_get("mine") ==
        "Correct `command` in [agents.mine] of agent-doc's config.toml.");
  CHECK(directory->how_to_get("cluade") ==
        "did you mean claude? `agent-doc agents` lists all of them");
  CHECK(directory->how_to_get("nobody") == "`agent-doc agents` lists all of them");
}
