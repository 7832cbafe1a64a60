#include "editors/cli/permission_prompt.hpp"

#include "editors/cli/standard_streams.hpp"
#include "server/process/file_descriptor.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace agent_doc::cli {

namespace permission_prompt_internal {

/// More than that typed at a question is no answer.
constexpr std::size_t kMaxLineBytes = 1024;

process::FileDescriptor open_terminal() {
  process::FileDescriptor terminal(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  // In the background a read would stop the whole program.
  if (terminal.is_open() && ::tcgetpgrp(terminal.get()) != ::getpgrp()) return process::FileDescriptor();
  return terminal;
}

}  // namespace permission_prompt_internal

PermissionAnswer read_answer(std::string_view line, bool offers_always) {
  std::string word;
  for (const char c : line) {
    if (c != ' ' && c != '\t' && c != '\r') word.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
  }
  if (word == "y" || word == "yes") return PermissionAnswer::Yes;
  if (offers_always && (word == "a" || word == "always")) return PermissionAnswer::Always;
  return PermissionAnswer::No;
}

PermissionPrompt::PermissionPrompt(boost::asio::io_context& io, std::function<void()> before) : before_(std::move(before)), terminal_(io) {}

bool PermissionPrompt::can_ask() {
  return permission_prompt_internal::open_terminal().is_open();
}

std::uint64_t PermissionPrompt::ask(std::string message, bool offers_always, std::function<void(PermissionAnswer)> done) {
  questions_.push_back({++last_number_, std::move(message), offers_always, std::move(done)});
  if (questions_.size() == 1) show();
  return last_number_;
}

void PermissionPrompt::withdraw(std::uint64_t question) {
  const auto found = std::find_if(questions_.begin(), questions_.end(), [question](const Question& one) { return one.number == question; });
  if (found == questions_.end()) return;
  const bool shown = found == questions_.begin();
  questions_.erase(found);
  if (!shown) return;
  if (terminal_.is_open()) write_all(terminal_.native_handle(), "\n(no longer asked)\n");
  close();
  if (!questions_.empty()) show();
}

void PermissionPrompt::show() {
  process::FileDescriptor terminal = permission_prompt_internal::open_terminal();
  if (!terminal.is_open()) return answered(PermissionAnswer::No);
  before_();
  // What was typed before the question was there is no answer to it.
  ::tcflush(terminal.get(), TCIFLUSH);
  std::string text;
  turn::Sanitiser().feed(questions_.front().message, text);
  write_all(terminal.get(), text + (questions_.front().offers_always ? "\nAllow? [y]es, [a]lways, [N]o: " : "\nAllow? [y]es, [N]o: "));
  terminal_.assign(terminal.release());
  read();
}

void PermissionPrompt::read() {
  const std::uint64_t question = questions_.front().number;
  terminal_.async_read_some(boost::asio::buffer(piece_), [this, question](const boost::system::error_code& error, std::size_t size) {
    if (questions_.empty() || questions_.front().number != question) return;
    if (error) return answered(PermissionAnswer::No);
    line_.append(piece_.data(), size);
    const std::size_t end = line_.find('\n');
    if (end != std::string::npos) return answered(read_answer(std::string_view(line_).substr(0, end), questions_.front().offers_always));
    if (line_.size() > permission_prompt_internal::kMaxLineBytes) return answered(PermissionAnswer::No);
    read();
  });
}

void PermissionPrompt::answered(PermissionAnswer answer) {
  const Question question = std::move(questions_.front());
  questions_.pop_front();
  close();
  question.done(answer);
  if (!questions_.empty()) show();
}

void PermissionPrompt::close() {
  line_.clear();
  if (!terminal_.is_open()) return;
  boost::system::error_code ignored;
  terminal_.close(ignored);
}

}  // namespace agent_doc::cli
