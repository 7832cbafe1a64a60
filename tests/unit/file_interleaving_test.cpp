// A reply that grows in a file, and a program that changes the file with what it had read before, a
// system call at a time: each of its steps may come between any two of ours, also between the
// exchange of two names and the look at what came out. Seeded, in one thread.
#include "server/file/file_buffer.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::file {

namespace file_interleaving_test {

using Step = FileBuffer::Step;

const std::string kPrompt =
    "---\nagent: fake\n---\n\n# Title of this\n\nSome words above.\n\n## User\n\nTell me a long "
    "story, please.\n";
constexpr std::string_view kHead = "\n## Assistant\n\n";
constexpr std::string_view kFoot = "\n\n## User\n\n";

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

 private:
  std::mt19937 random_;
};

/// Reads the file, puts a word of its own above, in or below the reply, and writes it back: in
/// place or by another file. A step is one system call.
class OtherProgram {
 public:
  OtherProgram(const tests::TemporaryFolder& folder, Dice& dice)
      : path_(folder / "a.md"), new_path_(folder / "new.md"), dice_(dice) {}

  void steps(std::size_t count) {
    for (; count > 0; --count) step();
  }
  void finish() {
    stops_ = true;
    while (next_ != Next::Read) step();
  }
  const std::vector<std::string>& words() const { return words_; }

 private:
  enum class Next { Read, Open, OpenFound, Write, Close, WriteNew, Rename };

  void step() {
    switch (next_) {
      case Next::Read:
        return read();
      case Next::Open:
        file_ = process::FileDescriptor(
            ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK));
        // Under a lease the kernel would let it wait here, with the file that it had found.
        if (file_.is_open()) next_ = Next::Write;
        return file_.is_open() ? void() : find();
      case Next::OpenFound:
        file_ = process::FileDescriptor(
            ::open(("/proc/self/fd/" + std::to_string(found_.get())).c_str(),
                   O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK));
        if (file_.is_open()) next_ = Next::Write;
        return;
      case Next::Write:
        REQUIRE(::write(file_.get(), text_.data(), text_.size()) ==
                static_cast<ssize_t>(text_.size()));
        next_ = Next::Close;
        return;
      case Next::Close:
        file_ = process::FileDescriptor();
        next_ = Next::Read;
        return;
      case Next::WriteNew:
        tests::write_file(new_path_, text_);
        next_ = Next::Rename;
        return;
      case Next::Rename:
        REQUIRE(std::rename(new_path_.c_str(), path_.c_str()) == 0);
        next_ = Next::Read;
        return;
    }
  }

  void read() {
    if (stops_ || words_.size() == 30) return;
    text_ = tests::read_file(path_);
    const std::vector<std::size_t> places = places_in(text_);
    if (places.empty()) return;
    words_.push_back(" <" + std::to_string(words_.size()) + ">");
    text_.insert(places[dice_.below(places.size())], words_.back());
    next_ = dice_.below(2) == 0 ? Next::WriteNew : Next::Open;
    if (next_ == Next::Open && dice_.below(12) == 0) find();
  }

  /// What a program has that the kernel suspends between looking the name up and opening it.
  void find() {
    found_ = process::FileDescriptor(::open(path_.c_str(), O_PATH | O_CLOEXEC));
    REQUIRE(found_.is_open());
    next_ = Next::OpenFound;
  }

  /// In turns above, in and below the reply; not before a space at the end of a line, where no diff
  /// can tell the side of the reply's end.
  std::vector<std::size_t> places_in(const std::string& text) const {
    const std::size_t reply = text.find("## Assistant");
    const std::size_t next = text.find("## User", reply == std::string::npos ? 0 : reply);
    std::size_t begin = 0;
    std::size_t end = text.size();
    if (reply != std::string::npos && next != std::string::npos) {
      const std::size_t borders[] = {0, reply, reply + 12, next - 1, next + 7, text.size()};
      begin = borders[2 * (words_.size() % 3)];
      end = borders[2 * (words_.size() % 3) + 1];
    }
    std::vector<std::size_t> places;
    for (std::size_t at = begin; at < end; ++at) {
      const bool ends_line =
          text[at] == ' ' && at + 1 < text.size() && (text[at + 1] == '\n' || text[at + 1] == ' ');
      if ((text[at] == ' ' && !ends_line) || text[at] == '\n') places.push_back(at);
    }
    return places;
  }

  std::string path_;
  std::string new_path_;
  Dice& dice_;
  Next next_ = Next::Read;
  bool stops_ = false;
  std::string text_;
  process::FileDescriptor file_;
  process::FileDescriptor found_;
  std::vector<std::string> words_;
};

/// Lets the other program go on right before the file is opened, and right before and right after
/// every exchange of names.
class Interleaving : public FileCalls {
 public:
  Interleaving(OtherProgram& other, Dice& dice, std::size_t most)
      : other_(other), dice_(dice), most_(most) {}
  process::FileDescriptor open(const std::string& path) override {
    other_.steps(dice_.below(most_ + 1));
    return FileCalls::open(path);
  }
  int exchange(const std::string& one, const std::string& another) override {
    other_.steps(dice_.below(most_ + 1));
    const int code = FileCalls::exchange(one, another);
    other_.steps(dice_.below(most_ + 1));
    return code;
  }

 private:
  OtherProgram& other_;
  Dice& dice_;
  std::size_t most_;
};

/// Says the reply into a buffer, and follows where it goes on by the foreign edits, as a server
/// does.
class Speaker {
 public:
  explicit Speaker(FileBuffer& buffer) : buffer_(buffer), text_(buffer.text().text()) {}

  void say(std::size_t pieces) {
    if (!tail_) {
      tail_ = text_.text().size() + kHead.size();
      return apply(
          {text_.text().size(), text_.text().size(), std::string(kHead) + std::string(kFoot)});
    }
    std::string more;
    for (; pieces > 0; --pieces, ++said_)
      more += "w" + std::to_string(said_) + (said_ % 12 == 11 ? "\n" : " ");
    reply_ += more;
    const std::size_t at = *tail_;
    *tail_ += more.size();
    apply({at, at, std::move(more)});
  }

  void follow() {
    for (const FileBuffer::ForeignEdit& edit : buffer_.take_foreign_edits()) {
      const std::size_t begin = text_.offset_of(edit.range.start, text::PositionEncoding::Utf8);
      const std::size_t end = text_.offset_of(edit.range.end, text::PositionEncoding::Utf8);
      // The program only ever puts words in, so nothing of ours may be touched, and nothing of ours
      // may come back as its.
      REQUIRE(text_.text().substr(begin, end - begin).find_first_of("#w\n") == std::string::npos);
      REQUIRE(edit.replacement.find_first_of("#w\n") == std::string::npos);
      if (tail_ && begin < *tail_) *tail_ += edit.replacement.size() - (end - begin);
      text_.apply({begin, end, edit.replacement});
    }
    REQUIRE(text_.text() == buffer_.text().text());
  }

  std::string document() const {
    return tail_ ? kPrompt + std::string(kHead) + reply_ + std::string(kFoot) : kPrompt;
  }

 private:
  void apply(const text::Edit& own) {
    text_.apply(own);
    buffer_.apply(own);
  }

  FileBuffer& buffer_;
  text::TextBuffer text_;
  std::optional<std::size_t> tail_;
  std::size_t said_ = 0;
  std::string reply_;
};

void run(unsigned seed) {
  Dice dice(seed);
  const tests::TemporaryFolder folder(tests::TemporaryFolder::Place::Memory);
  const std::string path = folder / "a.md";
  tests::write_file(path, kPrompt);
  FileResult<DocumentFile> file = DocumentFile::open(path);
  REQUIRE(file.has_value());
  OtherProgram other(folder, dice);
  const std::size_t most = 1 + dice.below(2);
  Interleaving calls(other, dice, most);
  file->use_for_tests(calls);
  FileBuffer buffer(std::move(*file), kPrompt);
  Speaker speaker(buffer);

  FileBuffer::TimePoint now{};
  Step last = Step::InStep;
  for (int round = 0; round < 60; ++round) {
    now += std::chrono::milliseconds(2);
    other.steps(dice.below(most + 1));
    if (last == Step::InStep && dice.below(2) == 0) speaker.say(1 + dice.below(12));
    if (dice.below(2) == 0) continue;
    last = dice.below(3) == 0 ? buffer.look(now) : buffer.write(now);
    speaker.follow();
    if (last != Step::Undone) continue;
    last = buffer.write(now);
    speaker.follow();
  }
  other.finish();
  do {
    last = buffer.write(now);
    speaker.follow();
  } while (last != Step::InStep);

  std::string text = tests::read_file(path);
  CHECK(text == buffer.text().text());
  for (const std::string& word : other.words()) {
    CAPTURE(word);
    const std::size_t at = text.find(word);
    REQUIRE(at != std::string::npos);
    text.erase(at, word.size());
    REQUIRE(text.find(word) == std::string::npos);
  }
  REQUIRE(text == speaker.document());
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE("seeded: another program's system calls between any two of ours") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    run(seed);
  }
}

}  // namespace file_interleaving_test
}  // namespace agent_doc::file
