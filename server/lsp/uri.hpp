// What it is: document URIs <-> paths of files (RFC 3986, RFC 8089), as clients spell them.
// What it is not: a URI library; of other schemes than `file` nothing is known but that they have
// no path.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::lsp {

/// The absolute path of a `file:` URI, percent-decoded, without what names nothing: double slashes,
/// `.`, a slash at the end. `..` stays, for what it names depends on links. Nothing for another
/// scheme, another host, or a broken URI.
std::optional<std::string> path_of(std::string_view uri);

/// `file://` and `path` with all but unreserved characters and slashes percent-encoded.
/// Precondition: `path` is absolute.
std::string uri_of(std::string_view path);

/// The same for all spellings of one document's URI: clients differ in what they percent-encode,
/// and in the rest that path_of() leaves out. Links are not looked at (Documents::find_file).
std::string document_key(std::string_view uri);

/// The folder of an absolute path, without a slash at its end; "/" for a file in the root.
std::string folder_of(std::string_view path);

/// The last component of a path or URI, percent-decoded.
std::string name_of_document(std::string_view uri);

/// By its language, or by the end of its name: `.md`, `.markdown`.
bool is_markdown(std::string_view uri, std::string_view language);

}  // namespace agent_doc::lsp
