#include "editors/cli/standard_input.hpp"

#include "editors/cli/question.hpp"
#include "server/text/utf8.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace agent_doc::cli {

InputText read_standard_input() {
  InputText input;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0)
      return {{}, "standard input could not be read: " + std::string(std::strerror(errno)) + "."};
    if (size == 0) break;
    input.text.append(piece.data(), static_cast<std::size_t>(size));
    if (input.text.size() > kMaxQuestionBytes) {
      return {{},
              "the text on standard input is longer than " +
                  std::to_string(kMaxQuestionBytes / (1024 * 1024)) + " MiB."};
    }
  }
  if (!text::is_valid_utf8(input.text)) return {{}, "the text on standard input is not UTF-8."};
  return input;
}

}  // namespace agent_doc::cli
