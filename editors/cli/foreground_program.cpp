#include "editors/cli/foreground_program.hpp"

#include "editors/cli/question.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/file/user_directories.hpp"
#include "server/process/file_descriptor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace agent_doc::cli {

namespace {

constexpr int kCannotStart = 127;

/// Leaves Ctrl-C to the other program while it has the terminal.
class KeysAreForIt {
 public:
  KeysAreForIt() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
  ~KeysAreForIt() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }
  KeysAreForIt(const KeysAreForIt&) = delete;
  KeysAreForIt& operator=(const KeysAreForIt&) = delete;

 private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

[[noreturn]] void become(const std::vector<std::string>& command, int input) {
  for (const int number : {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ}) std::signal(number, SIG_DFL);
  if (input >= 0) ::dup2(input, STDIN_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  ::_exit(kCannotStart);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return kCannotStart;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

bool is_on_path(const std::string& program) {
  const std::string path = search_path();
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (::access((path.substr(at, end - at) + "/" + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

/// Returns the person's editor, or the first that is installed.
std::string chosen(std::initializer_list<const char*> variables,
                   std::initializer_list<const char*> usual) {
  for (const char* name : variables) {
    if (std::string value = variable(name); !value.empty()) return value;
  }
  for (const char* program : usual) {
    if (is_on_path(program)) return program;
  }
  return {};
}

/// A file that only this person can read.
class PrivateFile {
 public:
  explicit PrivateFile(const std::string& text) {
    const std::string folder = file::runtime_directory() + "/questions";
    if (file::make_private_directory(folder)) return;
    path_ = folder + "/question-XXXXXX.md";
    const process::FileDescriptor descriptor(::mkostemps(path_.data(), 3, O_CLOEXEC));
    is_made_ = descriptor.is_open();
    is_good_ = is_made_ && write_all(descriptor.get(), text);
  }
  ~PrivateFile() {
    if (is_made_) ::unlink(path_.c_str());
  }
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  bool is_good() const { return is_good_; }
  const std::string& path() const { return path_; }

  /// Returns the text, or an empty optional if the file is gone or longer than a question may be.
  std::optional<std::string> read() const {
    const process::FileDescriptor descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor.is_open()) return std::nullopt;
    std::string text;
    std::array<char, 65536> piece{};
    for (;;) {
      const ssize_t size = ::read(descriptor.get(), piece.data(), piece.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 || text.size() > kMaxQuestionBytes) return std::nullopt;
      if (size == 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(size));
    }
  }

 private:
  std::string path_;
  bool is_made_ = false;
  bool is_good_ = false;
};

}  // namespace

std::optional<std::vector<std::string>> split_command(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && at + 1 < command.size()) {
      words.back() += command[++at];
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0' || words.empty() || words.front().empty()) return std::nullopt;
  return words;
}

int run_in_foreground(const std::vector<std::string>& command, const std::string* input) {
  std::array<int, 2> ends{-1, -1};
  if (input != nullptr && ::pipe2(ends.data(), O_CLOEXEC) != 0) return kCannotStart;
  process::FileDescriptor out(ends[0]);
  process::FileDescriptor in(ends[1]);
  const KeysAreForIt keys;
  const pid_t child = ::fork();
  if (child < 0) return kCannotStart;
  if (child == 0) become(command, out.get());
  out = process::FileDescriptor();
  if (input != nullptr) write_all(in.get(), *input);  // fails if the person left the pager early
  in = process::FileDescriptor();
  return wait_for(child);
}

EditedText edit_in_editor(const std::string& text) {
  const std::string editor = chosen({"VISUAL", "EDITOR"}, {"editor", "nano", "vim", "vi"});
  if (editor.empty()) return {{}, "no editor was found: set EDITOR, for example to nano."};
  std::optional<std::vector<std::string>> command = split_command(editor);
  if (!command) return {{}, "EDITOR is no command: " + editor};
  const PrivateFile file(text);
  if (!file.is_good())
    return {{},
            "no file could be made to write the question in: " + std::string(std::strerror(errno)) +
                "."};
  command->push_back(file.path());
  const int code = run_in_foreground(*command);
  if (code == kCannotStart) return {{}, "the editor could not be started: " + editor};
  if (code != 0)
    return {{},
            "the editor ended with exit code " + std::to_string(code) + ", so nothing was sent."};
  std::optional<std::string> edited = file.read();
  if (!edited) return {{}, "what the editor wrote could not be read."};
  return {std::move(*edited), {}};
}

bool show_in_pager(const std::string& text) {
  const std::optional<std::vector<std::string>> command =
      split_command(chosen({"PAGER"}, {"less", "more"}));
  // less ends by itself if all fits, and leaves it on the screen. Never use -R, which passes escape
  // sequences on.
  ::setenv("LESS", "FX", 0);
  return command && run_in_foreground(*command, &text) != kCannotStart;
}

}  // namespace agent_doc::cli
