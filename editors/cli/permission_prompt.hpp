// What it is: an agent's permission questions on the person's terminal: one at a time, without
// blocking anything else.
// What it is not: policy. What a question means and what becomes of the answer is run_session.hpp.
// Thread rule: the thread that runs the io_context.
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
  /// Null: cancelled, which is a no.
  using Done = std::function<void(const AskedOption* chosen)>;

  /// `before` is called before the terminal is written to.
  PermissionPrompt(boost::asio::io_context& io, std::function<void()> before);
  PermissionPrompt(const PermissionPrompt&) = delete;
  PermissionPrompt& operator=(const PermissionPrompt&) = delete;

  /// True when this process has a terminal and stands in its foreground.
  static bool can_ask();

  /// The question waits until those before it are answered. `done` is called unless it is
  /// withdrawn.
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
      terminal_;  ///< opened anew for each question: its O_NONBLOCK is nobody else's
  std::deque<Question> questions_;
  std::uint64_t last_number_ = 0;
  std::string line_;
  std::array<char, 256> piece_{};
};

}  // namespace agent_doc::cli
