#include "plugins/version_number.hpp"

#include <charconv>
#include <system_error>

namespace agent_doc::plugins {

VersionNumber version_number(std::string_view text) {
  VersionNumber version = {-1, 0, 0};
  for (int& number : version) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return version;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) return version;
    text.remove_prefix(1);
  }
  return version;
}

}  // namespace agent_doc::plugins
