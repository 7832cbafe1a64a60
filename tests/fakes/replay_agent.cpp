// What it is: a program that speaks like claude in its two-way stream-json mode, from a recording
// or, with --deltas, from a counter.
//
//   replay_agent [--chunk N | --cut-at BYTE] [--delay-ms N] [--copy FILE] [--pid-file FILE]
//   RECORDING [flags of claude, ignored] replay_agent --deltas N [--interval-ms N] [--think-ms N]
//   [--pid-file FILE] [flags of claude: --session-id, --resume are heeded]
//
// RECORDING.ndjson: the first user line starts it; its bytes come out exactly (--chunk: N bytes a
// write, else a line a write; --cut-at: the program ends after that byte with code 1, as in a
// crash; --copy: FILE gets them, too). RECORDING.exit says how it ends: a code, or "signal NAME".
// It ends at once when the code is not 0, a signal is named, or the recording has no result line;
// otherwise it stays until standard input closes, and plays again for a further user line.
// RECORDING.stderr is printed before the end. A recording without any output (wrong flags) waits
// for nothing at all. An interrupted recording is one whose only result comes after "[Request
// interrupted by user…": it is printed up to the first line that claude printed because of the
// interruption (that line itself, or the aborted message or the tool's result right before it);
// then it waits for SIGINT or for an interrupt request, prints the rest, and ends if it was SIGINT.
// RECORDING.duplex.ndjson has both directions ({"dir":"in"|"out","frame":…}): each `in` is waited
// for by its kind (user, control_response, control_request of a subtype); answers carry the request
// ids that were really sent. A recorded control_request that the other side does not make is passed
// over with its answer when a user line comes instead; one that is not recorded is answered with
// success. Malformed use ends with code 2.
#include "tests/fakes/delta_stream.hpp"
#include "tests/fakes/fake_claude.hpp"

#include <boost/json/object.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace agent_doc::fakes {

namespace replay_internal {

constexpr std::string_view kProgram = "replay_agent";

struct Options {
  OutputShape shape;
  std::string recording;
  std::string pid_file;
  std::optional<std::uint64_t> deltas;
  std::chrono::milliseconds interval{0};
  std::chrono::milliseconds thinking{0};
  std::string session_id;
};

/// One thing to do. Interruption is SIGINT or a control_request/interrupt.
struct Step {
  enum class Kind { Expect, ExpectInterruption, Print, Answer } kind = Kind::Print;
  std::string bytes;       ///< to print; for Expect the kind of frame
  std::string request_id;  ///< Expect of a control_request, Answer: the recorded one
};

struct Ending {
  int code = 0;
  int signal = 0;
  bool at_once = false;
  std::string stderr_text;
};

struct Recording {
  std::vector<Step> steps;
  Ending ending;
  bool repeats = false;  ///< a further user line plays it again
};

// --- loading ---

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

bool is_interruption(const boost::json::value& frame) {
  return text_at(frame, "/message/content/0/text").starts_with("[Request interrupted by user");
}

/// The first line that is there because of the interruption, or the number of lines.
std::size_t interruption_tail(const std::vector<std::string_view>& lines) {
  std::vector<boost::json::value> frames;
  for (const std::string_view line : lines) frames.push_back(parse(line));
  const auto found = std::find_if(frames.begin(), frames.end(), is_interruption);
  const bool result_before = std::any_of(
      frames.begin(), found, [](const auto& frame) { return text_at(frame, "/type") == "result"; });
  if (found == frames.end() || result_before || text_at(frames.back(), "/type") != "result")
    return lines.size();
  const auto results_after = std::count_if(
      found, frames.end(), [](const auto& frame) { return text_at(frame, "/type") == "result"; });
  if (results_after != 1) return lines.size();
  std::size_t index = static_cast<std::size_t>(found - frames.begin());
  if (index > 0) {
    const bool aborted = lines[index - 1].find("\"aborted\":true") != std::string_view::npos;
    if (aborted || text_at(frames[index - 1], "/message/content/0/type") == "tool_result") --index;
  }
  return index;
}

std::string joined(const std::vector<std::string_view>& lines, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) text += lines[i];
  return text;
}

std::vector<Step> plain_steps(const std::string& text) {
  const std::vector<std::string_view> lines = lines_of(text);
  const std::size_t tail = interruption_tail(lines);
  std::vector<Step> steps;
  if (!text.empty()) steps.push_back({Step::Kind::Expect, "user", {}});
  steps.push_back({Step::Kind::Print, joined(lines, 0, tail), {}});
  if (tail == lines.size()) return steps;
  steps.push_back({Step::Kind::ExpectInterruption, {}, {}});
  steps.push_back({Step::Kind::Print, joined(lines, tail, lines.size()), {}});
  return steps;
}

/// The frame as it was recorded, byte for byte: {"dir":"out","frame":FRAME}
std::string raw_frame(std::string_view line) {
  constexpr std::string_view kKey = "\"frame\":";
  const std::size_t start = line.find(kKey) + kKey.size();
  return std::string(line.substr(start, line.rfind('}') - start)) + '\n';
}

std::vector<Step> duplex_steps(const std::string& text) {
  std::vector<Step> steps;
  for (const std::string_view line : lines_of(text)) {
    const boost::json::value entry = parse(line);
    const boost::json::object* object = entry.if_object();
    const boost::json::value* frame = object != nullptr ? object->if_contains("frame") : nullptr;
    if (frame == nullptr) usage_error(kProgram, "the recording has a line without a frame");
    if (text_at(entry, "/dir") == "in") {
      steps.push_back({Step::Kind::Expect, kind_of(*frame), text_at(*frame, "/request_id")});
    } else if (kind_of(*frame) == "control_response") {
      steps.push_back(
          {Step::Kind::Answer, raw_frame(line), text_at(*frame, "/response/request_id")});
    } else if (!steps.empty() && steps.back().kind == Step::Kind::Print) {
      steps.back().bytes += raw_frame(line);
    } else {
      steps.push_back({Step::Kind::Print, raw_frame(line), {}});
    }
  }
  return steps;
}

Ending load_ending(const std::string& base, const std::string& text) {
  Ending ending;
  ending.stderr_text = read_file(base + ".stderr");
  std::string exit = read_file(base + ".exit");
  exit.erase(std::find(exit.begin(), exit.end(), '\n'), exit.end());
  const std::map<std::string, int> signals{{"signal SIGKILL", SIGKILL},
                                           {"signal SIGTERM", SIGTERM},
                                           {"signal SIGINT", SIGINT},
                                           {"signal SIGHUP", SIGHUP}};
  if (const auto named = signals.find(exit); named != signals.end()) {
    ending.signal = named->second;
  } else if (!exit.empty()) {
    ending.code = static_cast<int>(number(kProgram, base + ".exit", exit.c_str()));
  }
  ending.at_once = ending.code != 0 || ending.signal != 0 ||
                   text.find("\"type\":\"result\"") == std::string::npos;
  return ending;
}

Recording load(const std::string& path) {
  constexpr std::string_view kDuplex = ".duplex.ndjson";
  constexpr std::string_view kPlain = ".ndjson";
  if (!std::filesystem::is_regular_file(path))
    usage_error(kProgram, "there is no recording " + path);
  if (!path.ends_with(kPlain))
    usage_error(kProgram, "a recording is named NAME.ndjson or NAME.duplex.ndjson, not " + path);
  const bool duplex = path.ends_with(kDuplex);
  const std::string text = read_file(path);
  Recording recording;
  recording.steps = duplex ? duplex_steps(text) : plain_steps(text);
  recording.repeats = !duplex;
  recording.ending =
      load_ending(path.substr(0, path.size() - (duplex ? kDuplex : kPlain).size()), text);
  return recording;
}

// --- playing ---

class Player {
 public:
  Player(Recording recording, OutputShape shape)
      : recording_(std::move(recording)), output_(shape) {
    const auto& steps = recording_.steps;
    const bool interrupted = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
      return step.kind == Step::Kind::ExpectInterruption;
    });
    if (interrupted) input_.catch_interrupts();
  }

  [[noreturn]] void play() {
    do {
      done_.assign(recording_.steps.size(), false);
      for (at_ = 0; at_ < recording_.steps.size(); ++at_) {
        if (!done_[at_]) carry_out(recording_.steps[at_]);
      }
      if (recording_.ending.at_once || ended_by_signal_) end();
    } while (recording_.repeats);
    wait_for_frame({});
    usage_error(kProgram, "the recording has no further turn");
  }

 private:
  void carry_out(const Step& step) {
    switch (step.kind) {
      case Step::Kind::Expect:
        return expect(step);
      case Step::Kind::ExpectInterruption:
        return expect_interruption();
      case Step::Kind::Print:
        return output_.print(step.bytes);
      case Step::Kind::Answer:
        return;  // its request was not made
    }
  }

  void expect(const Step& step) {
    const boost::json::value frame = wait_for_frame(step.bytes);
    if (frame.is_object()) answer(step.request_id, text_at(frame, "/request_id"));
  }

  /// Prints the recorded answer at once, as claude does, with the id that was really sent.
  void answer(const std::string& recorded_id, const std::string& id) {
    for (std::size_t i = at_ + 1; i < recording_.steps.size() && !recorded_id.empty(); ++i) {
      const Step& step = recording_.steps[i];
      if (step.kind != Step::Kind::Answer || step.request_id != recorded_id) continue;
      std::string bytes = step.bytes;
      bytes.replace(bytes.find('"' + recorded_id + '"') + 1, recorded_id.size(), id);
      output_.print(bytes);
      done_[i] = true;
      return;
    }
  }

  /// The next frame of this kind, from those that came already or from standard input; null when a
  /// user line came in place of an expected control_request. Other control_requests are answered
  /// with success. An empty kind takes user lines only.
  boost::json::value wait_for_frame(const std::string& kind) {
    while (true) {
      for (auto line = input_.lines().begin(); line != input_.lines().end();) {
        const boost::json::value frame = parse(*line);
        const std::string found = kind_of(frame);
        if (frame.is_null()) refuse_line();
        const bool instead = found == "user" && kind.starts_with("control_request/") &&
                             kind != "control_request/interrupt";
        if (instead) return {};
        if (found == kind || (kind.empty() && found == "user")) {
          input_.lines().erase(line);
          return frame;
        }
        if (found == "user") {
          ++line;
          continue;
        }
        if (found.starts_with("control_request/"))
          output_.print(control_response(text_at(frame, "/request_id")));
        line = input_.lines().erase(line);
      }
      if (input_.wait() == Input::Event::End) end();
    }
  }

  void expect_interruption() {
    while (true) {
      for (auto line = input_.lines().begin(); line != input_.lines().end();) {
        const boost::json::value frame = parse(*line);
        const std::string found = kind_of(frame);
        if (!found.starts_with("control_request/")) {
          ++line;
          continue;
        }
        output_.print(control_response(text_at(frame, "/request_id")));
        line = input_.lines().erase(line);
        if (found == "control_request/interrupt") return;
      }
      if (input_.wait_for_interrupt() == Input::Event::Interrupt) {
        ended_by_signal_ = true;
        return;
      }
    }
  }

  [[noreturn]] void refuse_line() {
    recording_.ending.code = 1;
    if (recording_.ending.stderr_text.empty())
      recording_.ending.stderr_text = "Error parsing streaming input line\n";
    end();
  }

  [[noreturn]] void end() {
    const Ending& ending = recording_.ending;
    [[maybe_unused]] const ssize_t written =
        ::write(STDERR_FILENO, ending.stderr_text.data(), ending.stderr_text.size());
    if (ending.signal != 0) {
      ::signal(ending.signal, SIG_DFL);
      ::raise(ending.signal);
    }
    std::exit(ending.code);
  }

  Recording recording_;
  Input input_;
  Output output_;
  std::vector<bool> done_;
  std::size_t at_ = 0;
  bool ended_by_signal_ = false;
};

// --- the command line ---

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    const auto take_number = [&] { return number(kProgram, arg, (++i, value)); };
    if (arg == "--chunk") {
      options.shape.chunk = take_number();
    } else if (arg == "--cut-at") {
      options.shape.cut_at = take_number();
    } else if (arg == "--delay-ms") {
      options.shape.delay = std::chrono::milliseconds(take_number());
    } else if (arg == "--deltas") {
      options.deltas = take_number();
    } else if (arg == "--interval-ms") {
      options.interval = std::chrono::milliseconds(take_number());
    } else if (arg == "--copy" && value != nullptr) {
      options.shape.copy = value;
      ++i;
    } else if (arg == "--think-ms") {
      options.thinking = std::chrono::milliseconds(take_number());
    } else if (arg == "--pid-file" && value != nullptr) {
      options.pid_file = value;
      ++i;
    } else if (options.deltas) {
      if ((arg == "--session-id" || arg == "--resume") && value != nullptr)
        options.session_id = value;
    } else if (arg.starts_with('-')) {
      usage_error(kProgram, "unknown option " + std::string(arg) +
                                "; options of the fake come before the recording");
    } else {
      options.recording = arg;
      break;
    }
  }
  if (options.recording.empty() && !options.deltas)
    usage_error(kProgram, "name a recording, or --deltas N");
  return options;
}

}  // namespace replay_internal

}  // namespace agent_doc::fakes

int main(int argc, char** argv) {
  using namespace agent_doc::fakes;
  const replay_internal::Options options = replay_internal::parse_options(argc, argv);
  append_pid(options.pid_file);
  if (options.deltas)
    return stream_deltas({*options.deltas, options.interval, options.thinking, options.session_id});
  replay_internal::Player(replay_internal::load(options.recording), options.shape).play();
}
