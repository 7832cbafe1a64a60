#include "server/app/tour_flags.hpp"

#include "plugins/tour/tour_session.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace agent_doc::app {

namespace {

template <class Member>
struct Flag {
  std::string_view name;
  Member TourFlags::*member;
};

constexpr std::array<Flag<bool>, 5> kSwitches{{
    {"-p", &TourFlags::print},
    {"--print", &TourFlags::print},
    {"--verbose", &TourFlags::verbose},
    {"--fork-session", &TourFlags::fork_session},
    {"--include-partial-messages", &TourFlags::partial_messages},
}};

constexpr std::array<Flag<std::string>, 8> kValues{{
    {"--input-format", &TourFlags::input_format},
    {"--output-format", &TourFlags::output_format},
    {"--permission-prompt-tool", &TourFlags::permission_tool},
    {"--model", &TourFlags::model},
    {"--resume", &TourFlags::resume},
    {"--session-id", &TourFlags::session_id},
    {"--append-system-prompt", &TourFlags::system_prompt},
    {"--permission-mode", &TourFlags::permission_mode},
}};

template <class Flags>
auto find(const Flags& flags, std::string_view name) {
  return std::find_if(flags.begin(), flags.end(),
                      [name](const auto& flag) { return flag.name == name; });
}

std::string contradiction_in(const TourFlags& flags) {
  constexpr std::string_view kFormat = "stream-json";
  if (!flags.print || flags.input_format != kFormat || flags.output_format != kFormat) {
    return "Error: the tour speaks only with -p --input-format stream-json --output-format "
           "stream-json.";
  }
  if (!flags.verbose)
    return "Error: When using --print, --output-format=stream-json requires --verbose";
  if (!flags.permission_tool.empty() && flags.permission_tool != "stdio")
    return "Error: --permission-prompt-tool can only be stdio here.";
  if (flags.fork_session && flags.resume.empty())
    return "Error: --fork-session needs the session to fork: --resume ID.";
  if (flags.session_id.empty()) return {};
  if (!flags.resume.empty() && !flags.fork_session) {
    return "Error: --session-id can only be used with --resume if --fork-session is also "
           "specified.";
  }
  if (!plugins::tour::is_uuid(flags.session_id))
    return "Error: Invalid session ID. Must be a valid UUID.";
  return {};
}

std::string unknown(std::string_view argument) {
  const bool is_flag = argument.starts_with('-');
  return (is_flag ? "error: unknown option '"
                  : "error: the question is read from standard input, not from '") +
         std::string(argument) + "'";
}

}  // namespace

ParsedTourFlags parse_tour_flags(int argc, const char* const* argv) {
  TourFlags flags;
  for (int at = 1; at < argc; ++at) {
    const std::string_view argument = argv[at];
    const auto on = find(kSwitches, argument);
    if (on != kSwitches.end()) {
      flags.*(on->member) = true;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const auto value = find(kValues, argument.substr(0, equals));
    if (value == kValues.end()) return {flags, unknown(argument)};
    if (equals != std::string_view::npos) {
      flags.*(value->member) = argument.substr(equals + 1);
    } else if (++at < argc) {
      flags.*(value->member) = argv[at];
    } else {
      return {flags, "error: option '" + std::string(argument) + "' needs a value"};
    }
  }
  return {flags, contradiction_in(flags)};
}

}  // namespace agent_doc::app
