#include "server/app/closed_document.hpp"

#include "server/text/text_buffer.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>

namespace app_closed_document_test {

using namespace agent_doc;
using agent_doc::tests::read_file;
using agent_doc::tests::TemporaryFolder;
using agent_doc::tests::write_file;
using app::open_closed_document;
using lsp::ClosedFile;

const auto kNow = std::chrono::steady_clock::now();

TEST_CASE("edits reach the file") {
  const TemporaryFolder folder;
  write_file(folder / "doc.md", "Hellö\nend\n");
  const auto document = open_closed_document(folder / "doc.md");
  REQUIRE(document.has_value());
  CHECK((*document)->text() == "Hellö\nend\n");
  (*document)->apply({7, 7, "more\n"});
  const auto result = (*document)->save(kNow);
  CHECK(result.saved == ClosedFile::Saved::Yes);
  CHECK(result.foreign.empty());
  CHECK(read_file(folder / "doc.md") == "Hellö\nmore\nend\n");
  CHECK(folder.names() == std::vector<std::string>{"doc.md"});
}

TEST_CASE("what another program wrote meanwhile stays, and is told in bytes of the text") {
  const TemporaryFolder folder;
  write_file(folder / "doc.md", "日本\nend\n");
  const auto document = open_closed_document(folder / "doc.md");
  REQUIRE(document.has_value());
  text::TextBuffer known((*document)->text());
  write_file(folder / "doc.md", "ä 日本\nend!\n");
  const text::Edit own{7, 7, "more\n"};
  (*document)->apply(own);
  known.apply(own);
  auto result = (*document)->save(kNow);
  CHECK(result.saved == ClosedFile::Saved::Yes);
  for (const auto& change : result.foreign) known.apply(std::get<text::Edit>(change));
  CHECK(known.text() == "ä 日本\nmore\nend!\n");
  CHECK((*document)->text() == known.text());
  CHECK(read_file(folder / "doc.md") == known.text());
}

TEST_CASE("a file that is not there, or that no longer can be written, says why") {
  const TemporaryFolder folder;
  const auto missing = open_closed_document(folder / "doc.md");
  REQUIRE(missing.has_error());
  CHECK(missing.error().find("doc.md") != std::string::npos);

  write_file(folder / "doc.md", "text\n");
  const auto document = open_closed_document(folder / "doc.md");
  REQUIRE(document.has_value());
  std::filesystem::remove(folder / "doc.md");
  (*document)->apply({0, 0, "x"});
  const auto result = (*document)->save(kNow);
  CHECK(result.saved == ClosedFile::Saved::No);
  CHECK(result.problem.find("doc.md") != std::string::npos);
  CHECK(folder.names().empty());
}

}  // namespace app_closed_document_test
