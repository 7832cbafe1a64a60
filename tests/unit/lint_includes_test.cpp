#include "tests/unit/project_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lint_includes_test {

using agent_doc::tests::File;
using agent_doc::tests::Include;
using agent_doc::tests::includes_of;
using agent_doc::tests::is_header;
using agent_doc::tests::is_product;
using agent_doc::tests::is_source;
using agent_doc::tests::project;

/// Nine of ten headers of the product bring fewer headers of ours than this into a file.
constexpr std::size_t kMaxUsualIncludes = 20;

using Graph = std::map<std::string, std::vector<std::string>>;

Graph graph_of(const std::vector<File>& files) {
  Graph graph;
  for (const File& one : files) {
    if (!is_source(one.path)) continue;
    std::vector<std::string>& included = graph[one.path];
    for (const Include& include : includes_of(one.text)) {
      if (!include.of_system) included.push_back(include.path);
    }
  }
  return graph;
}

void collect(const Graph& graph, const std::string& path, std::set<std::string>& reached) {
  const auto at = graph.find(path);
  if (at == graph.end()) return;
  for (const std::string& next : at->second) {
    if (reached.insert(next).second) collect(graph, next, reached);
  }
}

std::set<std::string> reached_from(const Graph& graph, const std::string& path) {
  std::set<std::string> reached;
  collect(graph, path, reached);
  return reached;
}

TEST_CASE("lint: the graph of includes is found") {
  const Graph graph = graph_of({{"a.hpp", "#include \"b.hpp\"\n#include <vector>\n"},
                                {"b.hpp", "#include \"c.hpp\"\n"},
                                {"c.hpp", "#include \"b.hpp\"\n"},
                                {"README.md", "#include \"a.hpp\"\n"}});
  CHECK(graph.size() == 3);
  CHECK(reached_from(graph, "a.hpp") == std::set<std::string>{"b.hpp", "c.hpp"});
  CHECK(reached_from(graph, "b.hpp").contains("b.hpp"));
}

TEST_CASE("lint: no header includes itself, and headers bring few others with them") {
  const Graph graph = graph_of(project());
  std::vector<std::size_t> counts;
  for (const auto& [path, included] : graph) {
    const std::set<std::string> reached = reached_from(graph, path);
    if (reached.contains(path)) FAIL_CHECK(std::string(path + " includes itself"));
    if (is_product(path) && is_header(path)) counts.push_back(reached.size());
  }
  REQUIRE(counts.size() > 100);
  std::sort(counts.begin(), counts.end());
  CHECK(counts[counts.size() * 9 / 10] < kMaxUsualIncludes);
}

}  // namespace lint_includes_test
