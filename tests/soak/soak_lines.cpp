#include "tests/soak/soak_lines.hpp"

#include "server/text/utf8.hpp"

#include <boost/json.hpp>

#include <cmath>

namespace agent_doc::soak {

namespace json = boost::json;

namespace soak_lines_internal {

constexpr std::string_view kMark = "@soak@";

/// The longest text in `value`, or null.
json::string* longest_text(json::value& value) {
  json::string* longest = value.if_string();
  const auto look_at = [&longest](json::value& part) {
    json::string* found = longest_text(part);
    if (found != nullptr && (longest == nullptr || found->size() > longest->size()))
      longest = found;
  };
  if (json::object* object = value.if_object()) {
    for (auto& [key, part] : *object) look_at(part);
  } else if (json::array* array = value.if_array()) {
    for (json::value& part : *array) look_at(part);
  }
  return longest;
}

}  // namespace soak_lines_internal

SoakLines::SoakLines(const std::vector<std::string>& recorded, std::uint32_t seed) : random_(seed) {
  while (pool_.size() < kLongestLine) {
    pool_ += below(12) == 0 ? "\\n" : below(5) == 0 ? "\u4E2D\u6587 " : "word ";
  }
  for (const std::string& line : recorded) {
    boost::system::error_code error;
    json::value value = json::parse(line, error);
    if (error) continue;
    json::string* longest = soak_lines_internal::longest_text(value);
    if (longest == nullptr) continue;
    *longest = soak_lines_internal::kMark;
    const std::string made = json::serialize(value);
    const std::size_t at = made.find(soak_lines_internal::kMark);
    own_.push_back({made.substr(0, at), made.substr(at + soak_lines_internal::kMark.size())});
  }
}

std::size_t SoakLines::size_of_next(Sizes sizes) {
  const auto between = [this](double low, double high) {
    const double part = static_cast<double>(below(1'000'000)) / 1e6;
    return static_cast<std::size_t>(low * std::pow(high / low, part));
  };
  if (sizes == Sizes::AboveBuffer) return between(70e3, 90e3);
  const std::size_t kind = below(1000);
  if (kind < 600) return below(200);
  if (kind < 900) return between(200, 4e3);
  if (kind < 990) return between(4e3, 128e3);
  return kind < 999 ? between(128e3, 1e6) : between(1e6, kLongestLine);
}

std::string_view SoakLines::text(std::size_t size) {
  const std::size_t begin = text::floor_boundary(pool_, below(pool_.size() - size + 1));
  const std::size_t end = text::floor_boundary(pool_, begin + size);
  std::string_view piece = std::string_view(pool_).substr(begin, end - begin);
  if (piece.ends_with('\\')) piece.remove_suffix(1);
  return piece;
}

std::string SoakLines::next(Sizes sizes) {
  const std::size_t size = size_of_next(sizes);
  std::string line;
  const std::size_t kind = below(8);
  if (kind < 4 && !own_.empty()) {
    const Template& own = own_[below(own_.size())];
    line.append(own.before).append(text(size)).append(own.behind);
  } else if (kind == 4) {
    line.append(R"({"jsonrpc":"2.0","method":"soak/unknown","type":"soak","params":{"list":[0)");
    while (line.size() < size) line += ",1";
    line += "]}}";
  } else if (kind == 5) {
    line.append(R"({"type":"soak","half":"\ud83d )").append(text(size)).append("\"}");
  } else if (kind == 6) {
    line.append("no JSON: ").append(text(size)).append("\xFF\xFE");
  } else {
    line.append(R"({"type":"soak","text":")").append(text(size));  // cut
  }
  return line;
}

}  // namespace agent_doc::soak
