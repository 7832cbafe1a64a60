// A reply that grows in a file by pieces of words, and a program that reads the file, lets our
// writes pass, and writes back what it had read with a word of its own: merged as the file client
// does it, over and over.
#include "server/file/merge.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::file {

namespace file_merge_test {

const std::string kHead =
    "# Title\n\nSome words above.\n\n## User\n\nTell me a story.\n\n## Assistant\n\n";
const std::string kFoot = "\n\n## User\n\n";

/// The text of our side, what the file had last, and where the reply goes on.
class OurSide {
 public:
  OurSide() : text_(kHead + "w0 " + kFoot), file_(text_), tail_(kHead.size() + 3), reply_("w0 ") {}

  void grow(std::string_view bytes) {
    text_.insert(tail_, bytes);
    tail_ += bytes.size();
    reply_ += bytes;
  }
  /// Reads what is in the file and writes ours.
  std::string write(const std::string& found) {
    if (found != file_) absorb(found);
    if (text_ != found) earlier_.push_front(found);
    file_ = text_;
    return file_;
  }
  const std::string& reply() const { return reply_; }
  std::size_t tail() const { return tail_; }

 private:
  void absorb(const std::string& theirs) {
    const std::vector<std::string_view> earlier(earlier_.begin(), earlier_.end());
    const std::optional<std::size_t> stale = version_read(theirs, file_, earlier);
    const std::vector<text::Edit> edits =
        merge(stale ? earlier[*stale] : std::string_view(file_), theirs, text_);
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
      if (edit->begin < tail_) tail_ += edit->replacement.size() - (edit->end - edit->begin);
      text_.replace(edit->begin, edit->end - edit->begin, edit->replacement);
    }
    earlier_.push_front(file_);
  }

  std::string text_;
  std::string file_;
  std::size_t tail_;
  std::string reply_;
  std::deque<std::string> earlier_;
};

std::string story(int words) {
  std::string text;
  for (int i = 1; i < words; ++i) text += "w" + std::to_string(i) + (i % 12 == 11 ? "\n" : " ");
  return text;
}

/// Offsets before a space or line end where a word can be put so that any diff can tell where it
/// was put: not where the reply goes on, and not before a space that ends a line.
std::vector<std::size_t> places_in(const std::string& text, std::size_t tail) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_near_tail = at + 3 >= tail && at <= tail + 1;
    const bool ends_line = text[at] == ' ' && at + 1 < text.size() && text[at + 1] == '\n';
    if (!is_near_tail && !ends_line && (text[at] == ' ' || text[at] == '\n')) places.push_back(at);
  }
  return places;
}

TEST_CASE(
    "seeded: a program that had not seen our last writes loses nothing of the reply, nor of its "
    "own") {
  const std::string story_text = story(2000);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t bound) {
      return static_cast<std::size_t>(random() % bound);
    };
    OurSide ours;
    std::string file = ours.write(kHead + "w0 " + kFoot);
    std::size_t told = 0;
    const auto grow = [&] {
      const std::size_t bytes = 1 + below(30);
      ours.grow(std::string_view(story_text).substr(told, bytes));
      told += bytes;
    };
    std::vector<std::string> words;
    for (int round = 0; round < 40; ++round) {
      std::string theirs = file;
      const std::vector<std::size_t> places = places_in(theirs, ours.tail());
      for (std::size_t lag = below(4); lag > 0; --lag) {
        grow();
        file = ours.write(file);
      }
      words.push_back(" <" + std::to_string(words.size()) + ">");
      theirs.insert(places[below(places.size())], words.back());
      if (below(2) == 0) grow();
      file = ours.write(theirs);
    }
    for (const std::string& word : words) {
      const std::size_t at = file.find(word);
      REQUIRE(at != std::string::npos);
      file.erase(at, word.size());
    }
    REQUIRE(file == kHead + ours.reply() + kFoot);
  }
}

}  // namespace file_merge_test
}  // namespace agent_doc::file
