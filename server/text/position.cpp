#include "server/text/position.hpp"

namespace agent_doc::text {

std::string_view name_of(PositionEncoding encoding) {
  switch (encoding) {
    case PositionEncoding::Utf8:
      return "utf-8";
    case PositionEncoding::Utf16:
      return "utf-16";
    case PositionEncoding::Utf32:
      return "utf-32";
  }
  return "utf-16";
}

}  // namespace agent_doc::text
