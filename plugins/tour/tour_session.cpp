#include "plugins/tour/tour_session.hpp"

#include "server/text/utf8.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace agent_doc::plugins::tour {

namespace json = boost::json;

namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::array<std::pair<TurnEnd, std::string_view>, 3> kEndNames{{
    {TurnEnd::Open, "open"},
    {TurnEnd::Done, "done"},
    {TurnEnd::Stopped, "stopped"},
}};

std::string_view name_of(TurnEnd end) {
  return std::find_if(kEndNames.begin(), kEndNames.end(),
                      [end](const auto& entry) { return entry.first == end; })
      ->second;
}

std::optional<TurnEnd> end_of_name(std::string_view name) {
  const auto found = std::find_if(kEndNames.begin(), kEndNames.end(),
                                  [name](const auto& entry) { return entry.second == name; });
  if (found == kEndNames.end()) return std::nullopt;
  return found->first;
}

std::optional<std::uint64_t> count_field(const json::object& from, std::string_view name) {
  const json::value* field = from.if_contains(name);
  if (field == nullptr) return std::nullopt;
  if (const std::int64_t* number = field->if_int64(); number != nullptr && *number >= 0)
    return static_cast<std::uint64_t>(*number);
  return std::nullopt;
}

std::optional<std::string> optional_text(const json::object& from, std::string_view name) {
  const json::value* field = from.if_contains(name);
  if (field == nullptr || !field->is_string()) return std::nullopt;
  return std::string(field->get_string());
}

std::optional<TourTurn> turn_from(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return std::nullopt;
  const auto question = optional_text(*object, "question");
  const auto bytes_cut = count_field(*object, "bytes_cut");
  const auto end_name = optional_text(*object, "end");
  if (!question || !bytes_cut || !end_name) return std::nullopt;
  const auto end = end_of_name(*end_name);
  if (!end) return std::nullopt;
  return TourTurn{*question, *bytes_cut, *end};
}

}  // namespace

void TourSession::ask(std::string question) {
  const std::size_t kept = text::floor_boundary(question, kMaxQuestionBytes);
  const std::size_t bytes_cut = question.size() - kept;
  question.resize(kept);
  turns.push_back({std::move(question), bytes_cut, TurnEnd::Open});
  if (turns.size() > kMaxTurns) {
    const std::size_t excess = turns.size() - kMaxTurns;
    forgotten += excess;
    turns.erase(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(excess));
  }
}

TourSession fork_of(const TourSession& session, std::string new_id) {
  TourSession fork = session;
  fork.forked_from = session.id;
  fork.id = std::move(new_id);
  return fork;
}

std::string to_json(const TourSession& session) {
  json::array turns;
  for (const TourTurn& turn : session.turns) {
    turns.push_back(
        {{"question", turn.question}, {"bytes_cut", turn.bytes_cut}, {"end", name_of(turn.end)}});
  }
  const json::object all{{"format", kFormat},
                         {"id", session.id},
                         {"forked_from", session.forked_from},
                         {"forgotten", session.forgotten},
                         {"turns", std::move(turns)}};
  return json::serialize(all) + "\n";
}

std::optional<TourSession> from_json(std::string_view text) {
  if (text.size() > kMaxSessionBytes) return std::nullopt;
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) return std::nullopt;

  const auto format = count_field(*object, "format");
  const auto id = optional_text(*object, "id");
  const auto forked_from = optional_text(*object, "forked_from");
  const auto forgotten = count_field(*object, "forgotten");
  const json::value* turns = object->if_contains("turns");
  if (format != kFormat || !id || !forked_from || !forgotten || turns == nullptr ||
      !turns->is_array())
    return std::nullopt;

  TourSession session{*id, *forked_from, *forgotten, {}};
  for (const json::value& entry : turns->get_array()) {
    auto turn = turn_from(entry);
    if (!turn || session.turns.size() == kMaxTurns) return std::nullopt;
    session.turns.push_back(std::move(*turn));
  }
  return session;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

}  // namespace agent_doc::plugins::tour
