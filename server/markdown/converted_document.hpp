// A document whose turns are at its end, made into a template document, whose turns are in the
// component `exchange`; and back. There and back gives the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace agent_doc::markdown {

enum class DocumentFormat : std::uint8_t { Inline, Template };

/// Why a document stays as it is, in words for a person.
struct NotConverted {
  std::string reason;
};

/// Returns `document` with its turns where `format` has them. Only the two markers come or go, and
/// the value of `agent_doc_format`, where it has that key. Fails where the turns would not be the
/// same afterwards.
std::variant<std::string, NotConverted> converted_document(std::string_view document,
                                                           DocumentFormat format);

}  // namespace agent_doc::markdown
