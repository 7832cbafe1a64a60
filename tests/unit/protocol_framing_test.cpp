#include "protocol/framing.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::protocol {
namespace framing_test {

std::vector<std::string> bodies_of(FrameReader& reader) {
  std::vector<std::string> bodies;
  while (const auto body = reader.next()) bodies.emplace_back(*body);
  return bodies;
}

std::vector<std::string> read_all(std::string_view bytes) {
  FrameReader reader;
  reader.feed(bytes);
  return bodies_of(reader);
}

FramingError error_of(std::string_view bytes) {
  FrameReader reader;
  reader.feed(bytes);
  CHECK(bodies_of(reader).empty());
  return reader.error();
}

TEST_CASE("frame() writes what FrameReader reads") {
  CHECK(frame("{}") == "Content-Length: 2\r\n\r\n{}");
  CHECK(frame("") == "Content-Length: 0\r\n\r\n");
  CHECK(read_all(frame("{\"a\":\"\r\n\r\n\"}") + frame("") + frame("Å😀")) ==
        std::vector<std::string>{"{\"a\":\"\r\n\r\n\"}", "", "Å😀"});
}

TEST_CASE("a stream of frames cut at every byte") {
  const std::string stream = frame("first") + "content-length: 6\nX-Other: 1\n\nsecond" +
                             frame("") + frame("Content-Length: 1\r\n\r\n!");
  const std::vector<std::string> expected{"first", "second", "", "Content-Length: 1\r\n\r\n!"};
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    CAPTURE(cut);
    FrameReader reader;
    reader.feed(std::string_view(stream).substr(0, cut));
    std::vector<std::string> bodies = bodies_of(reader);
    reader.feed(std::string_view(stream).substr(cut));
    for (std::string& body : bodies_of(reader)) bodies.push_back(std::move(body));
    CHECK(bodies == expected);
    CHECK_FALSE(reader.mid_frame());
    CHECK(reader.error() == FramingError::None);
  }
}

TEST_CASE("a stream of frames byte by byte, with and without reading in between") {
  std::string stream;
  std::vector<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    expected.push_back(std::string(static_cast<std::size_t>(i), 'x') + std::to_string(i));
    stream += frame(expected.back());
  }
  FrameReader eager;
  FrameReader lazy;
  std::vector<std::string> bodies;
  for (const char byte : stream) {
    eager.feed(std::string_view(&byte, 1));
    lazy.feed(std::string_view(&byte, 1));
    while (const auto body = eager.next()) bodies.emplace_back(*body);
  }
  CHECK(bodies == expected);
  CHECK(bodies_of(lazy) == expected);
}

TEST_CASE("many small frames in one buffer cost one pass") {
  // Moving the rest of the buffer for each frame would move 50 GB here.
  constexpr int kFrames = 60'000;
  std::string stream;
  for (int i = 0; i < kFrames; ++i) stream += frame("{\"n\":1}");
  FrameReader reader;
  reader.feed(stream);
  int frames = 0;
  while (reader.next()) {
    ++frames;
    reader.feed("");
  }
  CHECK(frames == kFrames);
}

TEST_CASE("headers as other programs write them") {
  const std::string long_header = "X: " + std::string(kMaxHeaderLineBytes - 3, 'x');
  std::string many_headers;
  for (std::size_t i = 1; i < kMaxHeaderLines; ++i)
    many_headers += "X-" + std::to_string(i) + ": 1\r\n";
  for (const std::string& header : {
           std::string("Content-Length: 2\r\n\r\n"),
           std::string("Content-Length: 2\n\n"),
           std::string("Content-Length: 2\r\n\n"),
           std::string("CONTENT-LENGTH:2\r\n\r\n"),
           std::string("content-length: \t 2 \t\r\n\r\n"),
           std::string("Content-Length: 0002\r\n\r\n"),
           std::string("Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; "
                       "charset=utf-8\r\n\r\n"),
           std::string("Content-Type: x:y:z\r\nContent-Length: 2\r\n\r\n"),
           std::string("Empty:\r\nContent-Length: 2\r\n\r\n"),
           std::string("Content-Length: 2\r\ncontent-length: 2\r\n\r\n"),
           long_header + "\r\nContent-Length: 2\r\n\r\n",
           many_headers + "Content-Length: 2\r\n\r\n",
       }) {
    CAPTURE(header);
    CHECK(read_all(header + "{}" + header + "[]") == std::vector<std::string>{"{}", "[]"});
  }
}

TEST_CASE("headers that end the connection") {
  std::string many_headers;
  for (std::size_t i = 0; i < kMaxHeaderLines; ++i)
    many_headers += "X-" + std::to_string(i) + ": 1\r\n";
  struct Case {
    std::string bytes;
    FramingError error;
  };
  for (const Case& it : {
           Case{"\r\n", FramingError::NoContentLength},
           Case{"Content-Type: 2\r\n\r\n{}", FramingError::NoContentLength},
           Case{"X-Content-Length: 2\r\n\r\n{}", FramingError::NoContentLength},
           Case{"{\"jsonrpc\":\"2.0\"}\n", FramingError::BadHeader},
           Case{"hello\r\n", FramingError::BadHeader},
           Case{": 2\r\n", FramingError::BadHeader},
           Case{"Content-Length : 2\r\n", FramingError::BadHeader},
           Case{" Content-Length: 2\r\n", FramingError::BadHeader},
           Case{std::string("Content-Length\0: 2\r\n", 20), FramingError::BadHeader},
           Case{"Content-Length:\r\n", FramingError::BadContentLength},
           Case{"Content-Length: -1\r\n", FramingError::BadContentLength},
           Case{"Content-Length: +1\r\n", FramingError::BadContentLength},
           Case{"Content-Length: 1.0\r\n", FramingError::BadContentLength},
           Case{"Content-Length: 0x10\r\n", FramingError::BadContentLength},
           Case{"Content-Length: 1 1\r\n", FramingError::BadContentLength},
           Case{"Content-Length: two\r\n", FramingError::BadContentLength},
           Case{"Content-Length: 2\r\r\n", FramingError::BadContentLength},
           Case{"Content-Length: 2\r\nContent-Length: 3\r\n", FramingError::BadContentLength},
           Case{"Content-Length: 99999999999999999999x\r\n", FramingError::BadContentLength},
           Case{"Content-Length: " + std::to_string(kMaxBodyBytes + 1) + "\r\n",
                FramingError::BodyTooLong},
           Case{"Content-Length: 10000000000000000\r\n", FramingError::BodyTooLong},
           Case{"Content-Length: 99999999999999999999\r\n", FramingError::BodyTooLong},
           Case{"X: " + std::string(kMaxHeaderLineBytes - 2, 'x') + "\r\n",
                FramingError::HeaderTooLong},
           Case{std::string(kMaxHeaderLineBytes + 1, 'x'), FramingError::HeaderTooLong},
           Case{many_headers + "Content-Length: 2\r\n", FramingError::TooManyHeaders},
       }) {
    CAPTURE(it.bytes);
    CHECK(error_of(it.bytes) == it.error);
    CHECK(describe(it.error) != describe(FramingError::None));
  }
}

TEST_CASE("frames before a broken one are delivered, nothing after it") {
  FrameReader reader;
  reader.feed(frame("one") + "garbage\r\n" + frame("two"));
  CHECK(bodies_of(reader) == std::vector<std::string>{"one"});
  CHECK(reader.error() == FramingError::BadHeader);
  reader.feed(frame("three"));
  CHECK(bodies_of(reader).empty());
  CHECK(reader.error() == FramingError::BadHeader);
  CHECK_FALSE(reader.mid_frame());
}

TEST_CASE("a line of the greatest length may still wait for its line end") {
  const std::string line = "X: " + std::string(kMaxHeaderLineBytes - 3, 'x');
  FrameReader reader;
  reader.feed(line + "\r");
  CHECK_FALSE(reader.next());
  CHECK(reader.error() == FramingError::None);
  reader.feed("\nContent-Length: 1\r\n\r\n!");
  CHECK(bodies_of(reader) == std::vector<std::string>{"!"});
}

TEST_CASE("the greatest body may be announced") {
  FrameReader reader;
  reader.feed("Content-Length: " + std::to_string(kMaxBodyBytes) + "\r\n\r\n");
  CHECK_FALSE(reader.next());
  CHECK(reader.error() == FramingError::None);
  CHECK(reader.mid_frame());
}

TEST_CASE("a body larger than the idle buffer, then a small one") {
  const std::string large(kMaxIdleBufferBytes * 3, 'x');
  FrameReader reader;
  reader.feed(frame(large) + frame("small"));
  CHECK(bodies_of(reader) == std::vector<std::string>{large, "small"});
  reader.feed(frame("later"));
  CHECK(bodies_of(reader) == std::vector<std::string>{"later"});
}

TEST_CASE("mid_frame tells whether bytes are missing") {
  const std::string stream = "Content-Length: 3\r\n\r\nabc";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    CAPTURE(cut);
    FrameReader reader;
    reader.feed(std::string_view(stream).substr(0, cut));
    CHECK(bodies_of(reader).size() == (cut == stream.size() ? 1 : 0));
    CHECK(reader.mid_frame() == (cut > 0 && cut < stream.size()));
  }
}

}  // namespace framing_test
}  // namespace agent_doc::protocol
