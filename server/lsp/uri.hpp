// Conversion between document URIs and paths (RFC 3986, RFC 8089) as clients spell them. URIs of
// other schemes than `file` have no path.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::lsp {

/// Returns the absolute path of a `file:` URI, percent-decoded and without double slashes, `.` and
/// a trailing slash. `..` is kept, because its meaning depends on links. Returns nullopt for
/// another scheme, another host, or a malformed URI.
std::optional<std::string> path_of(std::string_view uri);

/// Returns `file://` and `path`, with everything but unreserved characters and slashes
/// percent-encoded. Precondition: `path` is absolute.
std::string uri_of(std::string_view path);

/// Returns a key that is the same for all spellings of a document's URI: clients differ in
/// percent-encoding and in what path_of() drops. Links are not followed (Documents::find_file).
std::string document_key(std::string_view uri);

/// Returns the folder of an absolute path, without a trailing slash; "/" for a file in the root.
std::string folder_of(std::string_view path);

/// Returns the last component of a path or URI, percent-decoded.
std::string name_of_document(std::string_view uri);

/// Returns true for markdown, by language or by extension: `.md`, `.markdown`.
bool is_markdown(std::string_view uri, std::string_view language);

}  // namespace agent_doc::lsp
