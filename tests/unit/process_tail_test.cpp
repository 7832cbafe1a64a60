#include "server/process/tail.hpp"

#include <doctest/doctest.h>

#include <string>

namespace agent_doc::process {

TEST_CASE("Tail keeps the last bytes, in whole characters") {
  struct Case {
    const char* name;
    std::string bytes;
    std::string text;
  };
  const Case cases[] = {
      {"nothing", "", ""},
      {"less than the limit", "abc", "abc"},
      {"exactly the limit", "12345678", "12345678"},
      {"one more", "123456789", "23456789"},
      {"much more", std::string(1000, 'x') + "12345678", "12345678"},
      {"a character that was cut is left out",
       "\xF0\x9F\x98\x80"
       "1234567",
       "1234567"},
      {"ill-formed bytes are repaired", "a\xFFz", "a\xEF\xBF\xBDz"},
      {"continuation bytes at the start of the stream are ill-formed", "\x80z", "\xEF\xBF\xBDz"},
  };
  for (const Case& one : cases) {
    for (std::size_t piece = 1; piece <= 20; ++piece) {
      CAPTURE(one.name);
      CAPTURE(piece);
      Tail tail(8);
      for (std::size_t at = 0; at < one.bytes.size(); at += piece)
        tail.append(std::string_view(one.bytes).substr(at, piece));
      CHECK(tail.text() == one.text);
    }
  }
}

}  // namespace agent_doc::process
