#include "tests/fakes/fake_claude.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace agent_doc::fakes {

namespace fake_claude_internal {

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) std::exit(1);
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void pause_for(std::chrono::milliseconds time) {
  timespec left{time.count() / 1000, static_cast<long>(time.count() % 1000) * 1'000'000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

void append(const std::string& file, std::string_view bytes) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) usage_error("fake agent", "cannot write the file " + file);
  write_all(fd, bytes);
  ::close(fd);
}

}  // namespace fake_claude_internal

void usage_error(std::string_view program, std::string_view message) {
  fake_claude_internal::write_all(STDERR_FILENO,
                                  std::string(program) + ": " + std::string(message) + '\n');
  std::exit(2);
}

std::uint64_t number(std::string_view program, std::string_view option, const char* text) {
  const std::string_view digits = text != nullptr ? text : "";
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
    usage_error(program,
                std::string(option) + " needs a number, not \"" + std::string(digits) + '"');
  }
  return value;
}

void append_pid(const std::string& file) {
  if (!file.empty()) fake_claude_internal::append(file, std::to_string(::getpid()) + '\n');
}

boost::json::value parse(std::string_view line) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse({line.data(), line.size()}, error);
  return error ? boost::json::value() : value;
}

std::string text_at(const boost::json::value& value, std::string_view pointer) {
  boost::system::error_code error;
  const boost::json::value* found = value.find_pointer({pointer.data(), pointer.size()}, error);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::string kind_of(const boost::json::value& frame) {
  const std::string type = text_at(frame, "/type");
  if (type == "user" || type == "control_response") return type;
  return type == "control_request" ? type + '/' + text_at(frame, "/request/subtype")
                                   : std::string();
}

std::string control_response(std::string_view request_id) {
  const boost::json::object frame{
      {"type", "control_response"},
      {"response", boost::json::object{
                       {"subtype", "success"},
                       {"request_id", request_id},
                       {"response", boost::json::object{{"still_queued", boost::json::array()}}}}}};
  return boost::json::serialize(frame) + '\n';
}

// --- Input ---

void Input::catch_interrupts() {
  sigset_t interrupt;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  ::sigprocmask(SIG_BLOCK, &interrupt, nullptr);
  signals_ = ::signalfd(-1, &interrupt, SFD_CLOEXEC);
}

Input::Event Input::wait(std::optional<std::chrono::milliseconds> limit) {
  return wait_on(true, limit);
}

Input::Event Input::wait_for_interrupt() {
  return wait_on(!ended_, std::nullopt);
}

Input::Event Input::wait_on(bool standard_input, std::optional<std::chrono::milliseconds> limit) {
  while (true) {
    if (standard_input && take_line()) return Event::Line;
    if (standard_input && ended_) return Event::End;
    std::array<pollfd, 2> sources{pollfd{standard_input ? STDIN_FILENO : -1, POLLIN, 0},
                                  pollfd{signals_, POLLIN, 0}};
    const int ready =
        ::poll(sources.data(), sources.size(), limit ? static_cast<int>(limit->count()) : -1);
    if (ready == 0) return Event::Time;
    if (ready < 0) continue;
    if (sources[1].revents != 0) {
      signalfd_siginfo info;
      if (::read(signals_, &info, sizeof info) == sizeof info) return Event::Interrupt;
    }
    if (sources[0].revents == 0) continue;
    std::array<char, 65536> piece;
    const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (count > 0) partial_.append(piece.data(), static_cast<std::size_t>(count));
    if (count == 0) ended_ = true;
  }
}

bool Input::take_line() {
  const std::size_t newline = partial_.find('\n');
  if (newline == std::string::npos) return false;
  lines_.push_back(partial_.substr(0, newline));
  partial_.erase(0, newline + 1);
  return true;
}

// --- Output ---

void Output::print(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t length = shape_.chunk;
    if (length == 0) length = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    write_piece(bytes.substr(0, length));
    bytes.remove_prefix(std::min(length, bytes.size()));
  }
}

void Output::write_piece(std::string_view piece) {
  const bool cut = shape_.cut_at && written_ + piece.size() >= *shape_.cut_at;
  if (cut) piece = piece.substr(0, *shape_.cut_at - written_);
  // Before the other side can act on it.
  if (!shape_.copy.empty()) fake_claude_internal::append(shape_.copy, piece);
  fake_claude_internal::write_all(STDOUT_FILENO, piece);
  written_ += piece.size();
  if (cut) std::exit(1);
  if (shape_.delay.count() > 0) fake_claude_internal::pause_for(shape_.delay);
}

}  // namespace agent_doc::fakes
