#include "editors/cli/permission_prompt.hpp"

#include "editors/cli/standard_streams.hpp"
#include "server/process/file_descriptor.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace agent_doc::cli {

namespace {

/// A longer line is not an answer.
constexpr std::size_t kMaxLineBytes = 1024;

process::FileDescriptor open_terminal() {
  process::FileDescriptor terminal(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  // In the background, a read would stop the whole program.
  if (terminal.is_open() && ::tcgetpgrp(terminal.get()) != ::getpgrp())
    return process::FileDescriptor();
  return terminal;
}

}  // namespace

PermissionPrompt::PermissionPrompt(boost::asio::io_context& io, std::function<void()> before)
    : before_(std::move(before)), terminal_(io) {}

bool PermissionPrompt::can_ask() {
  return open_terminal().is_open();
}

std::uint64_t PermissionPrompt::ask(AskedQuestion asked, Done done) {
  questions_.push_back({++last_number_, std::move(asked), std::move(done)});
  if (questions_.size() == 1) show();
  return last_number_;
}

void PermissionPrompt::withdraw(std::uint64_t question) {
  const auto found =
      std::find_if(questions_.begin(), questions_.end(),
                   [question](const Question& one) { return one.number == question; });
  if (found == questions_.end()) return;
  const bool shown = found == questions_.begin();
  questions_.erase(found);
  if (!shown) return;
  if (terminal_.is_open()) write_all(terminal_.native_handle(), "\n(no longer asked)\n");
  close();
  if (!questions_.empty()) show();
}

void PermissionPrompt::show() {
  process::FileDescriptor terminal = open_terminal();
  if (!terminal.is_open()) return answered(read_answer({}, questions_.front().asked.options));
  before_();
  // Text typed before the question appeared is not an answer to it.
  ::tcflush(terminal.get(), TCIFLUSH);
  write_all(terminal.get(), question_text(questions_.front().asked, columns_of(terminal.get())));
  terminal_.assign(terminal.release());
  read();
}

void PermissionPrompt::read() {
  const std::uint64_t question = questions_.front().number;
  terminal_.async_read_some(
      boost::asio::buffer(piece_),
      [this, question](const boost::system::error_code& error, std::size_t size) {
        if (questions_.empty() || questions_.front().number != question) return;
        if (error) return answered(read_answer({}, questions_.front().asked.options));
        line_.append(piece_.data(), size);
        const std::size_t end = line_.find('\n');
        if (end != std::string::npos) return line_typed(std::string(line_, 0, end));
        if (line_.size() > kMaxLineBytes)
          return answered(read_answer({}, questions_.front().asked.options));
        read();
      });
}

void PermissionPrompt::line_typed(std::string_view line) {
  const AskedQuestion& asked = questions_.front().asked;
  const TypedAnswer answer = read_answer(line, asked.options);
  if (answer.kind != TypedAnswer::Kind::View) return answered(answer);
  line_.clear();
  const int columns = columns_of(terminal_.native_handle());
  write_all(terminal_.native_handle(), whole_question_text(asked, columns) +
                                           question_text({asked.tool, {}, asked.options}, columns));
  read();
}

void PermissionPrompt::answered(const TypedAnswer& answer) {
  const Question question = std::move(questions_.front());
  questions_.pop_front();
  close();
  question.done(answer.kind == TypedAnswer::Kind::Option ? &question.asked.options[answer.option]
                                                         : nullptr);
  if (!questions_.empty()) show();
}

void PermissionPrompt::close() {
  line_.clear();
  if (!terminal_.is_open()) return;
  boost::system::error_code ignored;
  terminal_.close(ignored);
}

}  // namespace agent_doc::cli
