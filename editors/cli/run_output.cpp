#include "editors/cli/run_output.hpp"

#include "editors/cli/standard_streams.hpp"
#include "editors/cli/terminal.hpp"
#include "protocol/json_text.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

Write writer_to(int descriptor) {
  return [descriptor](std::string_view bytes) { write_all(descriptor, bytes); };
}

Colour colour_of(const StreamFacts& facts) {
  return facts.colour ? Colour::On : Colour::Off;
}

/// A terminal that knows no escape sequences gets the markdown as it is.
Look look_of(const StreamFacts& out, Markdown markdown) {
  return markdown == Markdown::Rendered && out.live && out.cursor ? Look::Rendered : Look::Plain;
}

/// "$0.0123"
std::string dollars(std::int64_t micros) {
  const std::string digits = std::to_string((micros % 1'000'000 + 50) / 100 + 10'000);
  const std::int64_t whole = micros / 1'000'000 + (digits.front() == '2' ? 1 : 0);
  return "$" + std::to_string(whole) + "." + digits.substr(1);
}

/// The reply on standard output; everything else on standard error.
class TextOutput final : public RunOutput {
 public:
  TextOutput(const RunOptions& options, const StreamFacts& out, const StreamFacts& error)
      : verbosity_(options.verbosity),
        out_(out),
        error_(error),
        printer_(out.live ? Pace::Live : Pace::Block, colour_of(out), writer_to(STDOUT_FILENO),
                 look_of(out, options.markdown)),
        progress_(colour_of(error), writer_to(STDERR_FILENO)) {}

  void turn(const protocol::TurnParams& turn) override {
    if (verbosity_ == Verbosity::Verbose &&
        (!turn_ || turn.state != turn_->state || turn.status != turn_->status))
      tell(turn);
    turn_ = turn;
    told_at_ = Clock::now();
    show_progress();
  }

  void reply(const protocol::ReplyParams& reply) override {
    if (out_.live) progress_.clear();
    printer_.set_columns(columns_of(STDOUT_FILENO));
    printer_.reply(reply.offset, reply.text);
  }

  void message(Weight weight, std::string_view text) override {
    make_room();
    std::string line;
    turn::Sanitiser().feed(text, line);
    write_all(STDERR_FILENO, (weight == Weight::Info ? "" : "agent-doc: ") + line + "\n");
  }

  void make_room() override {
    progress_.clear();
    if (out_.live && error_.live) printer_.make_room();
  }

  void tick() override { show_progress(); }

  void reply_ended() override {
    progress_.clear();
    printer_.finish();
    ended_ = true;
  }

  void last_resort(std::string_view text) override { write_all(STDOUT_FILENO, text); }

  void end(int exit_code) override {
    if (!turn_) return;
    const bool verbose = verbosity_ == Verbosity::Verbose;
    if (verbose && !turn_->health.empty()) message(Weight::Info, turn_->health);
    if (verbose && printer_.discontinuities() > 0) {
      message(Weight::Info, "the text on the terminal was replaced " +
                                std::to_string(printer_.discontinuities()) + " times");
    }
    if (verbose || (error_.live && exit_code == kDone)) message(Weight::Info, summary());
  }

 private:
  using Clock = std::chrono::steady_clock;

  void tell(const protocol::TurnParams& turn) {
    std::string line = turn.agent + ": " + turn.state;
    if (!turn.phase.empty() && turn.phase != turn.state) line += ", " + turn.phase;
    if (!turn.status.empty() && turn.status != turn.phase) line += ": " + turn.status;
    message(Weight::Info, line);
  }

  void show_progress() {
    // On one terminal the line can only stand where no text of the reply does.
    const bool covered = out_.live && (!printer_.at_line_start() || turn_->phase == "writing");
    if (ended_ || !turn_ || !error_.cursor || covered || turn_->state == "waiting") return;
    const auto since =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - told_at_);
    const auto elapsed = std::chrono::milliseconds(turn_->elapsedMs) + since;
    progress_.show({turn_->agent, turn_->phase, turn_->status, elapsed, turn_->usage.output},
                   columns_of(STDERR_FILENO));
  }

  std::string summary() const {
    std::string line = turn_->agent + " · " + turn_->state + " · " +
                       duration(std::chrono::milliseconds(turn_->elapsedMs));
    const protocol::UsageParams& usage = turn_->usage;
    const std::int64_t input = usage.input + usage.cacheRead + usage.cacheWrite;
    if (input > 0) line += " · " + std::to_string(input) + " tokens read";
    if (usage.output > 0) line += " · " + std::to_string(usage.output) + " tokens written";
    if (usage.costMicros > 0) line += " · " + dollars(usage.costMicros);
    return line;
  }

  Verbosity verbosity_;
  StreamFacts out_;
  StreamFacts error_;
  ReplyPrinter printer_;
  ProgressLine progress_;
  std::optional<protocol::TurnParams> turn_;
  Clock::time_point told_at_;
  bool ended_ = false;
};

/// Every event is one line; the fields are those of the notifications (protocol/PROTOCOL.md).
class JsonOutput final : public RunOutput {
 public:
  void turn(const protocol::TurnParams& turn) override {
    print("turn", protocol::encode(turn).as_object());
  }
  void reply(const protocol::ReplyParams& reply) override {
    print("reply", protocol::encode(reply).as_object());
  }
  void message(Weight weight, std::string_view text) override {
    const std::string_view name = weight == Weight::Info      ? "info"
                                  : weight == Weight::Warning ? "warning"
                                                              : "error";
    print("message", {{"kind", name}, {"text", text}});
  }
  void make_room() override {}
  void tick() override {}
  void reply_ended() override {}
  void last_resort(std::string_view text) override { print("rescue", {{"text", text}}); }
  void end(int exit_code) override { print("end", {{"exitCode", exit_code}}); }

 private:
  static void print(std::string_view event, const json::object& fields) {
    json::object line{{"event", event}};
    for (const auto& field : fields) line[field.key()] = field.value();
    write_all(STDOUT_FILENO, protocol::serialise_json(line) + "\n");
  }
};

}  // namespace

std::unique_ptr<RunOutput> make_run_output(const RunOptions& options) {
  if (options.format == Format::Json) return std::make_unique<JsonOutput>();
  return std::make_unique<TextOutput>(options, facts_of(STDOUT_FILENO), facts_of(STDERR_FILENO));
}

}  // namespace agent_doc::cli
