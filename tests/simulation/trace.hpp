// What it is: what happened in a run, line by line; costs nothing while it is off.
// What it is not: a log of the product.
// Thread rule: one object per run.
#pragma once

#include "tests/simulation/client_models.hpp"

#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::simulation {

/// Readable in one line: line ends and bytes above ASCII are escaped.
inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", byte);
      out += hex;
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// Shows as quoted() does, and costs nothing in a trace that is off.
struct Shown {
  std::string_view text;
};
inline std::ostream& operator<<(std::ostream& out, const Shown& shown) {
  return out << quoted(shown.text);
}

class Trace {
 public:
  explicit Trace(bool on) : on_(on) {}

  bool is_on() const { return on_; }
  template <class... Parts>
  void line(Time now, const Parts&... parts) {
    if (!on_) return;
    std::ostringstream out;
    out << now << " ms: ";
    (out << ... << parts);
    lines_.push_back(out.str());
  }
  std::string last(std::size_t count) const {
    std::string out;
    for (std::size_t i = lines_.size() > count ? lines_.size() - count : 0; i < lines_.size(); ++i)
      out += "  " + lines_[i] + "\n";
    return out;
  }

 private:
  bool on_;
  std::vector<std::string> lines_;
};

}  // namespace agent_doc::simulation
