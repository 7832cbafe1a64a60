#include "server/text/columns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace agent_doc::text {

namespace columns_test {

TEST_CASE("columns of text on a terminal, by wcwidth's rules") {
  struct Case {
    std::string_view text;
    std::size_t columns;
  };
  for (const Case& one :
       {Case{"", 0}, Case{"abc", 3}, Case{"naïve", 5}, Case{"e\u0301", 1}, Case{"表の列", 6},
        Case{"한국어", 6}, Case{"🙂", 2}, Case{"❤\uFE0F", 2}, Case{"👩\u200D💻", 4},
        Case{"ｆｕｌｌ", 8}, Case{"a\u200Bb", 2}, Case{"\x01", 0}}) {
    CAPTURE(one.text);
    CHECK(width_of(one.text) == one.columns);
  }
}

TEST_CASE("a grapheme cluster is one, however many code points it has, up to a limit") {
  CHECK(cluster_at("e\u0301x", 0).length == 3);
  CHECK(cluster_at("👩\u200D💻x", 0).length == 11);
  CHECK(cluster_at("ab", 1).length == 1);
  CHECK(cluster_at("\xff\xfe", 0).length == 1);
  std::string accents = "e";
  for (int i = 0; i < 1000; ++i) accents += "\u0301";
  CHECK(cluster_at(accents, 0).length <= kMaxClusterBytes);
}

}  // namespace columns_test
}  // namespace agent_doc::text
