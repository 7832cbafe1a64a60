#include "editors/cli/standard_streams.hpp"

#include "editors/cli/line_writer.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace agent_doc::cli {

namespace {

constexpr int kUsualColumns = 80;

bool is_set(const char* variable) {
  return variable != nullptr && *variable != '\0';
}

bool is_on(const char* variable) {
  return is_set(variable) && std::string_view(variable) != "0";
}

}  // namespace

bool open_closed_standard_streams() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is the missing one: those below it are open by now.
    if (::open("/dev/null", O_RDWR) != descriptor) return false;
  }
  return true;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // Another process that shares the stream made it non-blocking.
      pollfd writable{descriptor, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

int complain(ExitCode code, const std::string& message) {
  write_all(STDERR_FILENO, "agent-doc: " + message + "\n");
  return code;
}

TerminalVariables terminal_variables() {
  return {std::getenv("TERM"), std::getenv("NO_COLOR"), std::getenv("CLICOLOR"),
          std::getenv("CLICOLOR_FORCE")};
}

StreamFacts facts_of(bool is_terminal, const TerminalVariables& variables) {
  StreamFacts facts;
  facts.live = is_terminal;
  facts.cursor =
      is_terminal && is_set(variables.term) && std::string_view(variables.term) != "dumb";
  const bool off = variables.colour != nullptr && !is_on(variables.colour);
  facts.colour = is_on(variables.colour_forced) || (facts.cursor && !off);
  if (is_set(variables.no_colour)) facts.colour = false;
  return facts;
}

StreamFacts facts_of(int descriptor) {
  return facts_of(::isatty(descriptor) == 1, terminal_variables());
}

std::string wrapped_for_terminal(const std::string& text, std::size_t indent) {
  if (!facts_of(STDOUT_FILENO).live) return text;
  return wrapped(text, static_cast<std::size_t>(columns_of(STDOUT_FILENO)), indent);
}

int columns_of(int descriptor) {
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

}  // namespace agent_doc::cli
