// The code spans of one paragraph (CommonMark 0.30, section 6.1): what stands between two runs of
// backticks of the same length is code.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>

namespace agent_doc::markdown {

/// Knows where runs of each length are last, so that a run that nothing closes costs no search to
/// the end. The paragraph must outlive it.
class CodeSpans {
 public:
  explicit CodeSpans(std::string_view paragraph) : paragraph_(paragraph) {}

  /// Returns the end of the code span that begins with the backtick at `at`, or the end of the run
  /// of backticks when it begins none. Offsets are bytes of the paragraph.
  std::size_t end_of(std::size_t at);

 private:
  void find_last();

  std::string_view paragraph_;
  std::map<std::size_t, std::size_t> last_;  ///< by the length of a run
};

}  // namespace agent_doc::markdown
