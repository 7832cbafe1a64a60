#include "server/lsp/uri.hpp"

#include <algorithm>
#include <array>

namespace agent_doc::lsp {

namespace {

constexpr std::string_view kFileScheme = "file:";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decode(std::string_view encoded) {
  std::string decoded;
  decoded.reserve(encoded.size());
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '%') {
      decoded += encoded[i];
      continue;
    }
    if (encoded.size() - i < 3) return std::nullopt;
    const int high = hex_value(encoded[i + 1]);
    const int low = hex_value(encoded[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

bool is_unreserved(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
}

void append_encoded(std::string& to, char c) {
  const auto byte = static_cast<unsigned char>(c);
  to += '%';
  to += kHexDigits[byte >> 4];
  to += kHexDigits[byte & 15];
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

/// Precondition: `path` begins with a slash.
std::string tidied(std::string_view path) {
  std::string tidy;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    if (!part.empty() && part != ".") tidy.append("/").append(part);
  }
  return tidy.empty() ? "/" : tidy;
}

/// Normalises by RFC 3986, 6.2.2: the scheme in lower case, and percent-encoding only where it is
/// needed. The path of another scheme is left alone, because it may mean anything.
std::string normalised(std::string_view uri) {
  std::string result;
  const std::size_t scheme_end = std::min(uri.find(':'), uri.size());
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const char c = uri[i];
    if (i < scheme_end) {
      result += lower(c);
    } else if (const auto decoded = c == '%' ? percent_decode(uri.substr(i, 3)) : std::nullopt) {
      if (is_unreserved(decoded->front())) {
        result += *decoded;
      } else {
        append_encoded(result, decoded->front());
      }
      i += 2;
    } else if (c <= ' ' || c > '~') {
      append_encoded(result, c);
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::optional<std::string> path_of(std::string_view uri) {
  if (!equal_ignoring_case(uri.substr(0, kFileScheme.size()), kFileScheme)) return std::nullopt;
  std::string_view rest = uri.substr(kFileScheme.size());
  rest = rest.substr(0, rest.find_first_of("?#"));
  // An authority. RFC 8089 also has URIs without one.
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::size_t slash = rest.find('/');
    const std::string_view host = rest.substr(0, slash);
    if (slash == std::string_view::npos ||
        (!host.empty() && !equal_ignoring_case(host, "localhost")))
      return std::nullopt;
    rest.remove_prefix(slash);
  }
  if (!rest.starts_with('/')) return std::nullopt;
  const std::optional<std::string> path = percent_decode(rest);
  return path ? std::optional(tidied(*path)) : std::nullopt;
}

std::string uri_of(std::string_view path) {
  std::string uri = "file://";
  for (const char c : path) {
    if (c == '/' || is_unreserved(c)) {
      uri += c;
    } else {
      append_encoded(uri, c);
    }
  }
  return uri;
}

std::string document_key(std::string_view uri) {
  if (auto path = path_of(uri)) return *path;
  return normalised(uri);
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : std::string(path.substr(0, slash));
}

std::string name_of_document(std::string_view uri) {
  const std::optional<std::string> path = path_of(uri);
  const std::string key = path.value_or(std::string(uri));
  const std::size_t separator = key.find_last_of("/:");
  const std::string name = separator == std::string::npos ? key : key.substr(separator + 1);
  return path ? name : percent_decode(name).value_or(name);
}

bool is_markdown(std::string_view uri, std::string_view language) {
  if (language == "markdown") return true;
  const std::string name = document_key(uri);
  return ends_with_ignoring_case(name, ".md") || ends_with_ignoring_case(name, ".markdown");
}

}  // namespace agent_doc::lsp
