// The rows of `agent-doc outline`: what a document's turns are, with what the store knows of them,
// as a table and as JSON. outline.cpp reads both. Pure, except for the local time zone.
#pragma once

#include "server/store/records.hpp"

#include <boost/json/array.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

struct OutlineRow {
  std::size_t number = 0;
  std::string question;  ///< what is asked, whole
  std::size_t bytes = 0;
  std::size_t estimated_tokens = 0;  ///< of the turn's text, by its length
  bool has_reply = false;
  std::optional<store::StoredTurn> recorded;  ///< the turn of the store that wrote the reply
  bool is_as_recorded = false;                ///< nobody has changed the reply since
};

/// Returns the turns of `document`. Each turn of `recorded`, oldest first, is taken for the turn
/// that asks the same, and of several for the one with the same reply.
std::vector<OutlineRow> outline_rows(std::string_view document,
                                     std::vector<store::StoredTurn> recorded);

/// Returns the table, not wider than `columns` if these are enough for its figures.
std::string outline_table(const std::vector<OutlineRow>& rows, std::size_t columns);

boost::json::array outline_json(const std::vector<OutlineRow>& rows);

}  // namespace agent_doc::cli
