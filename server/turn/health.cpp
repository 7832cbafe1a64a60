#include "server/turn/turn.hpp"

#include <string>

namespace agent_doc::turn {
namespace {

constexpr std::uint64_t kEnoughLines = 10;

/// A silence, or a line, below these is as it should be.
constexpr std::chrono::milliseconds kWorthTelling{5000};
constexpr std::size_t kLongLine = 64 * 1024;

/// "1.2 s"
std::string seconds(std::chrono::milliseconds time) {
  return std::to_string(time.count() / 1000) + "." + std::to_string(time.count() % 1000 / 100) +
         " s";
}

/// "1,500"
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return grouped(number).append(" ").append(number == 1 ? one : many);
}

std::uint64_t total(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [type, count] : counts) sum += count;
  return sum;
}

}  // namespace

std::string Health::sentence() const {
  std::string text = counted(reply.deltas, "delta event", "delta events") + " and " +
                     counted(reply.snapshots, "complete event", "complete events");
  if (unrecognised.empty()) {
    text += "; nothing unrecognised";
  } else {
    text += "; " + grouped(total(unrecognised)) + " unrecognised (" +
            counted(unrecognised.size(), "type", "types") + ")";
  }
  text += "; " + (malformed == 0 ? "no malformed lines"
                                 : counted(malformed, "malformed line", "malformed lines"));
  if (reply.repaired_snapshots > 0)
    text += "; " + counted(reply.repaired_snapshots, "block repaired", "blocks repaired");
  if (reply.replayed_bytes > 0)
    text += "; " + counted(reply.replayed_bytes, "byte sent twice", "bytes sent twice");
  if (first_text) text += "; first text after " + seconds(*first_text);
  if (longest_silence >= kWorthTelling) text += "; longest silence " + seconds(longest_silence);
  if (longest_line >= kLongLine) text += "; longest line " + grouped(longest_line) + " bytes";
  return text;
}

std::string Health::unrecognised_types() const {
  std::string types;
  for (const auto& [type, count] : unrecognised) {
    types += (types.empty() ? "" : ", ") + type + (count == 1 ? "" : " (" + grouped(count) + ")");
  }
  return types;
}

std::string Health::warning() const {
  if (lines < kEnoughLines) return {};
  const std::string of_lines = grouped(malformed) + " of " + counted(lines, "line", "lines");
  if (malformed * 2 > lines) {
    return "Most of what the agent printed could not be read (" + of_lines +
           "). Check that the configured command is this agent, and its version.";
  }
  if (malformed + total(unrecognised) >= lines) {
    return "Nothing of what the agent printed was understood (" + counted(lines, "line", "lines") +
           "). Check that the configured command is this agent, and its version.";
  }
  return {};
}

}  // namespace agent_doc::turn
