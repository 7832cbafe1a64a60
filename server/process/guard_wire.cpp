#include "server/process/guard_wire.hpp"

#include <cstring>
#include <utility>

namespace agent_doc::process {

namespace {

constexpr std::uint32_t kVersion = 0xAD0C0001;

void put(std::string& bytes, std::uint32_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& bytes, std::string_view text) {
  put(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

void put(std::string& bytes, const std::vector<std::string>& texts) {
  put(bytes, static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) put(bytes, text);
}

/// Reads fields in order. Once one is missing, it and all later ones fail.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool take(std::uint32_t& number) {
    if (rest_.size() < sizeof number) return false;
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return true;
  }
  bool take(std::string& text) {
    std::uint32_t size = 0;
    if (!take(size) || rest_.size() < size) return false;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool take(std::vector<std::string>& texts) {
    std::uint32_t count = 0;
    if (!take(count)) return false;
    for (; count > 0; --count) {
      if (!take(texts.emplace_back())) return false;
    }
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::string encode(const GuardRequest& request) {
  std::string body;
  put(body, kVersion);
  put(body, request.program);
  put(body, request.cwd);
  put(body, request.prompt_file);
  put(body, request.args);
  put(body, request.env);
  std::string bytes;
  put(bytes, body);
  return bytes;
}

std::optional<GuardRequest> decode_guard_request(std::string_view body) {
  Reader reader(body);
  std::uint32_t version = 0;
  GuardRequest request;
  if (!reader.take(version) || version != kVersion) return std::nullopt;
  const bool whole = reader.take(request.program) && reader.take(request.cwd) &&
                     reader.take(request.prompt_file) && reader.take(request.args) &&
                     reader.take(request.env);
  return whole ? std::optional(std::move(request)) : std::nullopt;
}

}  // namespace agent_doc::process
