#include "server/file/local_time.hpp"

#include <array>

namespace agent_doc::file {

std::string local_time(std::time_t time, TimeForm form) {
  std::tm local{};
  ::localtime_r(&time, &local);
  std::array<char, 64> text{};
  const std::size_t size = form == TimeForm::FileName
                               ? std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &local)
                               : std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &local);
  return {text.data(), size};
}

}  // namespace agent_doc::file
