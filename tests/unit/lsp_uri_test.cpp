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
      {"file:/w/doc.md", "/w/doc.md"},
      {"file:w/doc.md", std::nullopt},
      {"file:", std::nullopt},
      {"file:////w/doc.md", "/w/doc.md"},
      {"file:///w/./doc.md", "/w/doc.md"},
      {"file:///w//x/././/doc.md", "/w/x/doc.md"},
      {"file:///w/%2E/doc.md", "/w/doc.md"},
      {"file:///w/x/../doc.md", "/w/x/../doc.md"},
      {"file:///w/.../..doc.md", "/w/.../..doc.md"},
      {"file:///w/", "/w"},
      {"file:////", "/"},
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
  CHECK(document_key("UNTITLED:a%2db ü%c3%BC%2f") ==
        document_key("untitled:a-b%20%C3%BC%c3%bc%2F"));
  CHECK(document_key("untitled:Untitled-1") != document_key("untitled:untitled-1"));
  CHECK(document_key("vscode-vfs://host/a/b.md") != document_key("vscode-vfs://host/a%2Fb.md"));
  CHECK(document_key("untitled:50%") == "untitled:50%");
  CHECK(document_key("") == "");
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
  CHECK(name_of_document("untitled:My%20notes") == "My notes");
  CHECK(name_of_document("untitled:50%") == "50%");
  CHECK(name_of_document("file:///w/50%2525.md") == "50%25.md");
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
  const auto is_there = [](const std::string& folder) { return folder != "/w/inner"; };
  CHECK(workspace.folder_for("/w/inner/x/doc.md", is_there) == "/w");
  CHECK(workspace.folder_for("/elsewhere/doc.md", [](const std::string&) { return false; }) ==
        "/elsewhere");
  CHECK(workspace.first_folder([](const std::string& folder) { return folder != "/w"; }) ==
        "/w/inner");
  CHECK_FALSE(workspace.first_folder([](const std::string&) { return false; }));
  workspace.remove({{"file:///w/inner"}});
  CHECK(workspace.folder_for("/w/inner/x/doc.md") == "/w");
}

}  // namespace lsp_uri_test
