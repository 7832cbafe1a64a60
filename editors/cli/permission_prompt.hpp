// Asks an agent's permission questions on the person's terminal, one at a time, without blocking
// anything else. run_session.hpp handles the answers. Belongs to the thread of the io_context.
#pragma once

#include "editors/cli/question_text.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace agent_doc::cli {

class PermissionPrompt {
 public:
  /// Null means cancelled, which is a no.
  using Done = std::function<void(const AskedOption* chosen)>;

  /// Calls `before` before it writes to the terminal.
  PermissionPrompt(boost::asio::io_context& io, std::function<void()> before);
  PermissionPrompt(const PermissionPrompt&) = delete;
  PermissionPrompt& operator=(const PermissionPrompt&) = delete;

  /// Returns whether this process has a terminal and is in its foreground.
  static bool can_ask();

  /// Queues a question after the earlier ones. Calls `done` unless the question is withdrawn.
  std::uint64_t ask(AskedQuestion asked, Done done);
  void withdraw(std::uint64_t question);

 private:
  struct Question {
    std::uint64_t number = 0;
    AskedQuestion asked;
    Done done;
  };

  void show();
  void read();
  void line_typed(std::string_view line);
  void answered(const TypedAnswer& answer);
  void close();

  std::function<void()> before_;
  boost::asio::posix::stream_descriptor
      terminal_;  ///< opened for each question: O_NONBLOCK must not be shared
  std::deque<Question> questions_;
  std::uint64_t last_number_ = 0;
  std::string line_;
  std::array<char, 256> piece_{};
};

}  // namespace agent_doc::cli
