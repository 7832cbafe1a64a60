// Rules about the project's own files that no compiler checks. Each rule is tested on small texts
// first, then applied to everything.
#include "tests/unit/project_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lint_test {

namespace filesystem = std::filesystem;
using agent_doc::tests::code_of;
using agent_doc::tests::File;
using agent_doc::tests::Include;
using agent_doc::tests::includes_of;
using agent_doc::tests::is_cpp;
using agent_doc::tests::is_header;
using agent_doc::tests::is_name_character;
using agent_doc::tests::is_product;
using agent_doc::tests::is_source;
using agent_doc::tests::line_of;
using agent_doc::tests::project;
using Problems = std::vector<std::string>;

const File& file(std::string_view path) {
  const auto found = std::find_if(project().begin(), project().end(),
                                  [&](const File& f) { return f.path == path; });
  REQUIRE(found != project().end());
  return *found;
}

template <class Rule>
void apply_to_project(const Rule& rule) {
  for (const File& one : project()) {
    for (const std::string& problem : rule(one)) FAIL_CHECK(std::string(one.path + ": " + problem));
  }
}

bool starts_with_one_of(std::string_view text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return text.starts_with(prefix); });
}

// --- coroutines: g++ 12 destroys temporaries of a co_await expression twice ---

/// One co_await in a statement, and no brace or bracket (an aggregate, a list, a lambda) in it.
Problems coroutine_problems(std::string_view text) {
  constexpr std::string_view kAwait = "co_await";
  const std::string code = code_of(text);
  Problems problems;
  std::size_t counted_to = 0;
  for (std::size_t at = code.find(kAwait); at != std::string::npos;
       at = code.find(kAwait, at + 1)) {
    const std::size_t begin = at == 0 ? 0 : code.find_last_of(";{}", at - 1) + 1;
    const std::size_t end = std::min(code.find(';', at), code.size());
    const std::string_view statement = std::string_view(code).substr(begin, end - begin);
    const std::size_t first = std::min(statement.find_first_not_of(" \t\n"), statement.size() - 1);
    const bool goes_on_after_brace =
        begin > 0 && code[begin - 1] == '}' &&
        std::string_view(".,)]+-/%&|?:<>=").find(statement[first]) != std::string_view::npos;
    const std::string line = "line " + std::to_string(line_of(text, at)) + ": ";
    if (goes_on_after_brace || statement.find_first_of("{}[]") != std::string_view::npos)
      problems.push_back(line + "a brace or bracket in a statement with co_await");
    if (at < counted_to) problems.push_back(line + "a second co_await in a statement");
    counted_to = end;
  }
  return problems;
}

TEST_CASE("lint: the coroutine rule knows good and bad statements") {
  for (const char* good : {
           "auto x = co_await read(socket);",
           "co_await timer.async_wait(use_awaitable);",
           "if (ready) { auto n = co_await read(s); use(n); }",
           "{ Foo foo{1}; co_await send(std::move(foo)); }",
           "for (int i : {1, 2}) { co_await step(i); }",
           "auto f = [x] { return x; };\nco_await g(f);",
           "// co_await f({1})\nint a[2];",
           "log(\"co_await {\"); f({1});",
           "int million = 1'000; co_await wait(million); char c = '{';",
           "co_await one(); co_await two();",
       }) {
    CAPTURE(good);
    CHECK(coroutine_problems(good).empty());
  }
  for (const char* bad : {
           "co_await f(Agg{1});",
           "f(Agg{1}, co_await g());",
           "Agg{1}.send(co_await g());",
           "Agg a{co_await x(), 1};",
           "v.push_back(Agg{co_await x()});",
           "co_await [s]() { return s; }();",
           "co_await f([s] { use(s); });",
           "auto [error, size] = co_await read(s);",
           "f(values[0], co_await g());",
           "f(co_await g())[0];",
           "f({\"a\", co_await g()});",
           "if (co_await ready()) { go(); }",
           "f(co_await g(), co_await h());",
           "co_await f(co_await g());",
           "co_await f(\n  Agg{\"};\"});",
       }) {
    CAPTURE(bad);
    CHECK_FALSE(coroutine_problems(bad).empty());
  }
}

TEST_CASE("lint: coroutines") {
  apply_to_project([](const File& one) {
    return is_source(one.path) ? coroutine_problems(one.text) : Problems{};
  });
}

// --- who may include whom ---

struct Layer {
  std::string folder;
  std::vector<std::string> may_include;  ///< beginnings of paths; itself goes without saying
  bool is_pure = false;                  ///< no I/O, no clock, no threads
};

const std::vector<Layer>& layers() {
  static const std::vector<Layer> all{
      {"protocol/", {"server/text/"}, true},
      {"plugins/", {"server/text/", "protocol/json_repair.hpp", "protocol/version.hpp"}, true},
      {"server/text/", {}, true},
      {"server/sync/", {"server/text/"}, true},
      {"server/markdown/", {"server/text/"}, true},
      {"server/turn/", {"server/text/", "server/markdown/", "plugins/agent.hpp"}, true},
      {"server/store/journal.hpp", {"server/store/records.hpp"}, true},
      {"server/store/records.hpp", {}, true},
      {"server/store/", {"server/file/local_time.hpp", "server/file/user_directories.hpp"}},
      {"server/session/",
       {"server/text/", "server/sync/", "server/markdown/", "server/turn/",
        "server/process/child.hpp", "server/process/launch_error.hpp", "server/store/journal.hpp",
        "server/store/records.hpp", "plugins/"},
       true},
      {"server/process/", {"server/text/", "plugins/agent.hpp"}},
      {"server/file/", {"server/text/", "server/process/file_descriptor.hpp"}},
      {"server/lsp/",
       {"server/text/", "server/sync/", "server/markdown/", "server/turn/", "server/session/",
        "server/process/child.hpp", "plugins/agent.hpp", "protocol/"},
       true},
      {"server/app/", {"server/", "plugins/", "protocol/"}},
      {"editors/cli/",
       {"server/app/", "server/file/", "server/lsp/", "server/markdown/", "server/process/",
        "server/session/", "server/store/", "server/text/", "server/turn/", "plugins/",
        "protocol/"}},
      {"tests/", {"server/", "plugins/", "protocol/", "editors/"}},
  };
  return all;
}

struct Library {
  std::string header;                ///< beginning of its headers
  std::vector<std::string> folders;  ///< who may include them
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> all{
      {"boost/asio", {"server/process/", "server/app/", "editors/cli/", "tests/"}},
      {"boost/process", {"server/process/"}},
      {"boost/json",
       {"protocol/", "plugins/", "server/lsp/", "server/app/", "editors/cli/", "tests/"}},
      {"spdlog/", {"server/app/"}},
      {"toml++/", {"server/app/", "tests/"}},
      {"CLI/", {"editors/cli/"}},
      {"utf8proc", {"server/text/", "tests/"}},
      {"sqlite3", {"server/store/", "tests/"}},
      {"yaml-cpp", {"tests/"}},
      {"cmark", {"editors/cli/", "tests/"}},
  };
  return all;
}

bool is_outside_world(std::string_view header) {
  static const std::vector<std::string> prefixes{"sys/",     "unistd.h", "fcntl.h",    "poll.h",
                                                 "signal.h", "csignal",  "fstream",    "iostream",
                                                 "thread",   "mutex",    "filesystem", "future"};
  return starts_with_one_of(header, prefixes);
}

Problems layering_problems(const File& one) {
  if (!is_source(one.path)) return {};
  const auto layer = std::find_if(layers().begin(), layers().end(),
                                  [&](const Layer& l) { return one.path.starts_with(l.folder); });
  if (layer == layers().end()) return {"is in no folder that the table of layers knows"};
  Problems problems;
  for (const Include& include : includes_of(one.text)) {
    if (!include.of_system) {
      const bool allowed = include.path.starts_with(layer->folder) ||
                           starts_with_one_of(include.path, layer->may_include);
      if (!allowed) problems.push_back("may not include " + include.path);
      continue;
    }
    if (layer->is_pure && is_outside_world(include.path))
      problems.push_back("does no I/O, but includes <" + include.path + ">");
    for (const Library& library : libraries()) {
      const bool allowed = !include.path.starts_with(library.header) ||
                           starts_with_one_of(one.path, library.folders);
      if (!allowed) problems.push_back("may not include <" + include.path + ">");
    }
  }
  if (layer->is_pure && code_of(one.text).find("_clock::now") != std::string::npos)
    problems.push_back("knows no clock, but reads one");
  return problems;
}

TEST_CASE("lint: the layering rule knows good and bad includes") {
  const auto problems = [](const char* path, const char* text) {
    return layering_problems({path, text}).size();
  };
  CHECK(problems("server/sync/a.cpp",
                 "#include \"server/sync/a.hpp\"\n#include \"server/text/edit.hpp\"\n#include "
                 "<vector>\n") == 0);
  CHECK(problems("server/text/a.cpp", "#include \"server/sync/a.hpp\"\n") == 1);
  CHECK(problems("server/turn/a.hpp",
                 "#include \"plugins/agent.hpp\"\n#include \"plugins/claude/claude.hpp\"\n") == 1);
  CHECK(problems("plugins/a.cpp",
                 "#include \"server/turn/turn.hpp\"\n#include <boost/json.hpp>\n") == 1);
  CHECK(problems("server/session/a.cpp",
                 "#include <boost/json/value.hpp>\n#include <boost/asio/post.hpp>\n#include "
                 "<unistd.h>\n") == 3);
  CHECK(problems("server/turn/a.cpp", "auto now = std::chrono::steady_clock::now();\n") == 1);
  CHECK(
      problems("server/process/a.cpp",
               "#include <boost/asio/post.hpp>\n#include <unistd.h>\nauto now = Clock::now();\n") ==
      0);
  CHECK(problems("server/store/a.cpp",
                 "#include <sqlite3.h>\n#include \"server/session/a.hpp\"\n") == 1);
  CHECK(problems("server/attic/a.cpp", "") == 1);
}

TEST_CASE("lint: layering") {
  apply_to_project(layering_problems);
}

// --- words and names ---

/// Put together here, so that this file does not break its own rules.
const std::string kWorkFolder =
    "/wo"
    "rk";
const std::string kSharedFolder =
    "/tmp"
    "/h";
const std::string kUsing =
    "using name"
    "space ";

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_name_character(text[at - 1]);
    if (begins && (end == text.size() || !is_name_character(text[end]))) return true;
  }
  return false;
}

/// As an absolute path, not as the end of another one.
bool names_folder(std::string_view text, const std::string& folder) {
  for (std::size_t at = text.find(folder + "/"); at != std::string_view::npos;
       at = text.find(folder + "/", at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    if (!is_name_character(before) &&
        std::string_view(".-~>}").find(before) == std::string_view::npos)
      return true;
  }
  return false;
}

/// The literals of the standard library cannot be had otherwise.
bool takes_in_namespace(std::string_view code) {
  for (std::size_t at = code.find(kUsing); at != std::string_view::npos;
       at = code.find(kUsing, at + 1)) {
    const std::string_view name =
        code.substr(at + kUsing.size(), code.substr(at + kUsing.size()).find(';'));
    if (!name.starts_with("std::") || !name.ends_with("literals")) return true;
  }
  return false;
}

Problems word_problems(const File& one) {
  Problems problems;
  for (const char* word : {"TO"
                           "DO",
                           "FIX"
                           "ME",
                           "XX"
                           "X"}) {
    if (has_word(one.text, word))
      problems.push_back("says that it is not finished: " + std::string(word));
  }
  for (const std::string& folder : {kWorkFolder, kSharedFolder}) {
    if (names_folder(one.text, folder))
      problems.push_back("names a folder of one machine: " + folder);
  }
  if ((is_product(one.path) || is_header(one.path)) && takes_in_namespace(code_of(one.text)))
    problems.push_back("takes in a whole namespace");
  return problems;
}

Problems name_problems(const File& one) {
  std::string path = one.path;
  std::transform(path.begin(), path.end(), path.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  Problems problems;
  for (const char* word : {"util", "manager", "helper"}) {
    if (path.find(word) != std::string::npos)
      problems.push_back("is named by a word that says nothing: " + std::string(word));
  }
  return problems;
}

TEST_CASE("lint: the rules about words know good and bad texts") {
  const auto count = [](const char* path, const std::string& text) {
    return word_problems({path, text}).size();
  };
  CHECK(count("server/text/a.cpp",
              "// mkstemp(\"XXXX"
              "XX\")\n// todo lists\nusing namespace std::string_literals;\n") == 0);
  CHECK(count("server/text/a.cpp",
              "// TO"
              "DO: more\n") == 1);
  CHECK(count("README.md",
              "FIX"
              "ME\n") == 1);
  CHECK(count("server/text/a.cpp",
              "using name"
              "space std;\n") == 1);
  CHECK(count("server/text/a.cpp",
              "// using name"
              "space std;\n") == 0);
  CHECK(count("tests/unit/a_test.cpp",
              "using name"
              "space agent_doc;\n") == 0);
  CHECK(count("tests/fakes/a.hpp",
              "using name"
              "space agent_doc;\n") == 1);
  CHECK(count("scripts/demo", "cd " + kWorkFolder + "/main\n") == 1);
  CHECK(count("tests/unit/a_test.cpp", "\"" + kSharedFolder + "/x\"") == 1);
  CHECK(count("tests/unit/a_test.cpp", "home" + kWorkFolder + "/x") == 0);
  CHECK(name_problems({"server/text/string_utils.hpp", ""}).size() == 1);
  CHECK(name_problems({"server/SessionManager/a.hpp", ""}).size() == 1);
  CHECK(name_problems({"server/text/utf8.hpp", ""}).empty());
}

TEST_CASE("lint: words") {
  apply_to_project(word_problems);
}
TEST_CASE("lint: names of files") {
  apply_to_project(name_problems);
}

// --- the header of a header ---

Problems header_comment_problems(const File& one) {
  if (!is_header(one.path)) return {};
  std::string_view text = one.text;
  std::string comment;
  while (text.starts_with("//")) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    comment += std::string(text.substr(2, end - 2));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  Problems problems;
  if (comment.find_first_not_of(" /") == std::string::npos)
    problems.push_back("does not begin with a comment that says what it is for");
  if (!text.starts_with("#pragma once\n"))
    problems.push_back("has no `#pragma once` right after its first comment");
  return problems;
}

TEST_CASE("lint: the rule about the first comment of a header") {
  const auto problems_of = [](const char* path, const char* text) {
    return header_comment_problems({path, text});
  };
  const std::string no_comment = "does not begin with a comment that says what it is for";
  const std::string no_pragma = "has no `#pragma once` right after its first comment";
  CHECK(problems_of("server/a.hpp", "// Reads a.\n//\n// Twice.\n#pragma once\n").empty());
  CHECK(problems_of("server/a.hpp", "#pragma once\n") == Problems{no_comment});
  CHECK(problems_of("server/a.hpp", "#pragma once\n// Reads a.\n") == Problems{no_comment});
  CHECK(problems_of("server/a.hpp", "//\n// \n///\n#pragma once\n") == Problems{no_comment});
  CHECK(problems_of("server/a.hpp", "// Reads a.\n\n#pragma once\n") == Problems{no_pragma});
  CHECK(problems_of("server/a.hpp", "// Reads a.") == Problems{no_pragma});
  CHECK(problems_of("server/a.hpp", "") == Problems{no_comment, no_pragma});
  CHECK(problems_of("server/a.cpp", "int x;\n").empty());
}

TEST_CASE("lint: the first comment of every header") {
  apply_to_project(header_comment_problems);
}

// --- nothing lies about that no build sees ---

/// The words of a CMakeLists.txt, without comments.
std::set<std::string> words_of_cmake(const std::string& text) {
  std::string code = text;
  for (std::size_t at = code.find('#'); at != std::string::npos; at = code.find('#', at))
    code.erase(at, code.find('\n', at) - at);
  std::set<std::string> words;
  for (std::size_t at = 0; (at = code.find_first_not_of(" \t\n()\"", at)) != std::string::npos;) {
    const std::size_t end = std::min(code.find_first_of(" \t\n()\"", at), code.size());
    words.insert(code.substr(at, end - at));
    at = end;
  }
  return words;
}

TEST_CASE("lint: every source is built") {
  CHECK(words_of_cmake("add(x a/b.cpp\n  c.cpp) # d.cpp\n") ==
        std::set<std::string>{"add", "x", "a/b.cpp", "c.cpp"});
  std::set<std::string> built;
  for (const File& one : project()) {
    if (!one.path.ends_with("CMakeLists.txt")) continue;
    const filesystem::path folder = filesystem::path(one.path).parent_path();
    for (const std::string& word : words_of_cmake(one.text)) {
      if (is_cpp(word)) built.insert((folder / word).lexically_normal());
    }
  }
  for (const File& one : project()) {
    if (is_cpp(one.path) && !built.contains(one.path))
      FAIL_CHECK(std::string(one.path + ": is in no CMakeLists.txt"));
  }
  for (const std::string& path : built) {
    CAPTURE(path);
    file(path);
  }
}

TEST_CASE("lint: every header is included, and every include of ours is there") {
  std::set<std::string> included;
  for (const File& one : project()) {
    if (!is_source(one.path)) continue;
    for (const Include& include : includes_of(one.text)) {
      if (!include.of_system) included.insert(include.path);
    }
  }
  for (const File& one : project()) {
    if (is_header(one.path) && !included.contains(one.path))
      FAIL_CHECK(std::string(one.path + ": nobody includes it"));
  }
  for (const std::string& path : included) {
    CAPTURE(path);
    file(path);
  }
}

TEST_CASE("lint: the project is there") {
  const auto count = [](auto is_one) {
    return std::count_if(project().begin(), project().end(),
                         [&](const File& one) { return is_one(one.path); });
  };
  CHECK(count(is_header) > 100);
  CHECK(count(is_cpp) > 100);
  file("CMakeLists.txt");
  file("protocol/PROTOCOL.md");
}

}  // namespace lint_test
