// What it is: SHA-256 (FIPS 180-4), for the names of the lock files that we share with the Rust
// program of our name.
// What it is not: meant for secrets.
// Thread rule: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace agent_doc::file {

/// Lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);

}  // namespace agent_doc::file
