#include "server/lsp/uri.hpp"

#include "server/lsp/workspace.hpp"

#include <doctest/doctest.h>

namespace lsp_uri_test {

using namespace agent_doc::lsp;

TEST_CASE("paths of file URIs, as clients spell them") {
  struct Case {
    std::string_view uri;
    std::optional<std::string> path;
  };
  const Case cases[] = {
      {"file:///w/doc.md", "/w/doc.md"},
      {"FILE:///w/doc.md", "/w/doc.md"},
      {"file://localhost/w/doc.md", "/w/doc.md"},
      {"file:///w/a%20b%2Bc.md", "/w/a b+c.md"},
      {"file:///w/%E6%97%A5.md", "/w/日.md"},
      {"file:///w/日.md", "/w/日.md"},
      {"file:///w/a+b.md", "/w/a+b.md"},
      {"file:///w/doc.md#L3", "/w/doc.md"},
      {"file:///w/50%25.md", "/w/50%.md"},
      {"file:///w/a%2fb.md", "/w/a/b.md"},
      {"file:///", "/"},
      {"file://server/share/doc.md", std::nullopt},
      {"file:/w/doc.md", std::nullopt},
      {"file://", std::nullopt},
      {"file:///w/%zz.md", std::nullopt},
      {"file:///w/%4", std::nullopt},
      {"file:///w/%00.md", std::nullopt},
      {"untitled:Untitled-1", std::nullopt},
      {"vscode-vfs://github/a/b.md", std::nullopt},
      {"", std::nullopt},
  };
  for (const Case& one : cases) {
    CAPTURE(one.uri);
    CHECK(path_of(one.uri) == one.path);
  }
}

TEST_CASE("a path survives the way to a URI and back") {
  for (const std::string path : {"/w/doc.md", "/w/a b/c+d%20.md", "/日本/ä?#&.md", "/w/~.-_.md"}) {
    CAPTURE(path);
    CHECK(path_of(uri_of(path)) == path);
  }
  CHECK(uri_of("/w/a b/日.md") == "file:///w/a%20b/%E6%97%A5.md");
}

TEST_CASE("all spellings of one document have one key") {
  CHECK(document_key("file:///w/a%20b%3A.md") == document_key("file:///w/a b:.md"));
  CHECK(document_key("untitled:Untitled-1") == "untitled:Untitled-1");
}

TEST_CASE("what is a markdown document") {
  CHECK(is_markdown("file:///w/a.md", "plaintext"));
  CHECK(is_markdown("file:///w/a.MD", ""));
  CHECK(is_markdown("file:///w/a.markdown", ""));
  CHECK(is_markdown("untitled:Untitled-1", "markdown"));
  CHECK_FALSE(is_markdown("file:///w/a.mdx", "mdx"));
  CHECK_FALSE(is_markdown("file:///w/md", ""));
  CHECK_FALSE(is_markdown("untitled:Untitled-1", "cpp"));
}

TEST_CASE("folders and names") {
  CHECK(folder_of("/w/x/doc.md") == "/w/x");
  CHECK(folder_of("/doc.md") == "/");
  CHECK(name_of_document("file:///w/a%20b.md") == "a b.md");
  CHECK(name_of_document("untitled:Untitled-1") == "Untitled-1");
}

TEST_CASE("a document belongs to the innermost folder that holds it") {
  Workspace workspace;
  CHECK_FALSE(workspace.first_folder());
  CHECK(workspace.folder_for("/w/x/doc.md") == "/w/x");
  workspace.add({{"file:///w/"}, {"file:///w/inner"}, {"file:///w"}, {"vscode-vfs://github/a"}});
  CHECK(workspace.first_folder() == "/w");
  CHECK(workspace.folder_for("/w/x/doc.md") == "/w");
  CHECK(workspace.folder_for("/w/inner/x/doc.md") == "/w/inner");
  CHECK(workspace.folder_for("/w/innermost/doc.md") == "/w");
  CHECK(workspace.folder_for("/elsewhere/doc.md") == "/elsewhere");
  workspace.remove({{"file:///w/inner"}});
  CHECK(workspace.folder_for("/w/inner/x/doc.md") == "/w");
}

}  // namespace lsp_uri_test
