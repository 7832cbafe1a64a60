// SHA-256 (FIPS 180-4), for the names of the lock files that the Rust program of our name
// shares with us.
// Not meant for secrets.
#pragma once

#include <string>
#include <string_view>

namespace agent_doc::file {

/// Returns the digest in lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);

}  // namespace agent_doc::file
