#include "tests/transcripts/player.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <variant>

namespace agent_doc::tests {
namespace player_internal {

std::filesystem::path folder_of(std::string_view agent) {
  return std::filesystem::path(AGENT_DOC_TEST_DATA) / "transcripts" / agent;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace player_internal

std::vector<std::string> read_lines(std::string_view agent, const std::string& file) {
  return player_internal::lines_of(
      player_internal::read_file(player_internal::folder_of(agent) / file));
}

Recording read_recording(std::string_view agent, const std::string& name) {
  Recording recording{name, read_lines(agent, name + ".ndjson"), {}};
  const std::filesystem::path folder = player_internal::folder_of(agent);
  const std::string exit = player_internal::read_file(folder / (name + ".exit"));
  if (exit.starts_with("signal")) {
    recording.exit.signal = 9;
  } else if (!exit.empty()) {
    recording.exit.code = std::stoi(exit);
  }
  recording.exit.stderr_tail = player_internal::read_file(folder / (name + ".stderr"));
  return recording;
}

boost::json::value read_expected(std::string_view agent) {
  return boost::json::parse(
      player_internal::read_file(player_internal::folder_of(agent) / "EXPECTED.json"));
}

std::string_view name_of(plugins::FailureKind kind) {
  switch (kind) {
    case plugins::FailureKind::Auth:
      return "auth";
    case plugins::FailureKind::RateLimit:
      return "rate_limit";
    case plugins::FailureKind::Invalid:
      return "invalid";
    case plugins::FailureKind::Network:
      return "network";
    case plugins::FailureKind::Refused:
      return "refused";
    case plugins::FailureKind::MaxTokens:
      return "max_tokens";
    case plugins::FailureKind::SessionUnknown:
      return "session_unknown";
    case plugins::FailureKind::ForkUnsupported:
      return "fork_unsupported";
    case plugins::FailureKind::Crashed:
      return "crashed";
    case plugins::FailureKind::Unknown:
      return "unknown";
    case plugins::FailureKind::ContextFull:
      return "context_full";
    case plugins::FailureKind::NoCredit:
      return "no_credit";
  }
  return "";
}

void ReplyDocument::write(const turn::RegionWrite& write) {
  REQUIRE(write.region == turn::kReplyRegion);
  REQUIRE(write.offset <= text_.size());
  const bool changes = !write.text.empty() || write.offset < text_.size();
  CHECK(changes);
  text_.resize(write.offset);
  text_.append(write.text);
}

Player::Player(plugins::AgentSpec spec, turn::Rounds rounds, const plugins::LaunchRequest& request)
    : rounds_(rounds), permissions_(*this), protocol_(plugins::make_protocol(spec)) {
  REQUIRE(protocol_);
  launch = protocol_->launch(request);
}

void Player::begin(const std::string& prompt) {
  turns_.push_back(std::make_unique<Played>());
  turns_.back()->turn =
      std::make_unique<turn::Turn>(rounds_, turn::Thinking::None, turns_.back()->document);
  permissions_.begin(plugins::PermissionPolicy::Ask);
  protocol_->begin_turn({prompt}, *this);
}

void Player::line(std::string_view line) {
  turns_.back()->turn->on_line(line.size());
  protocol_->on_line(line, *this);
}

void Player::answer(const std::string& option) {
  REQUIRE(last().turn->permission().has_value());
  const std::string id = last().turn->permission()->id;
  CHECK(permissions_.answer(id, option));
  const std::optional<turn::Permission>& next = last().turn->permission();
  const bool widens = next && next->id == id + "?";
  if (widens) CHECK(permissions_.answer(id + "?", "meant"));
}

void Player::emit(const plugins::AgentEvent& event) {
  if (std::holds_alternative<plugins::TurnEnded>(event)) ++turns_.back()->ends;
  if (const auto* asked = std::get_if<plugins::PermissionAsked>(&event)) permissions_.asked(*asked);
  if (const auto* withdrawn = std::get_if<plugins::PermissionWithdrawn>(&event))
    permissions_.withdrawn(withdrawn->id);
  turns_.back()->turn->on_event(event);
  if (std::holds_alternative<plugins::TurnEnded>(event)) permissions_.drop_all();
  CHECK(turns_.back()->document.text() == turns_.back()->turn->reply().text());
}

std::string expected_text(const boost::json::object& turn, turn::Rounds rounds) {
  const boost::json::array& texts = turn.at("rounds").as_array();
  if (texts.empty()) return {};
  if (rounds == turn::Rounds::Last) return std::string(texts.back().as_string());
  std::string all;
  for (const boost::json::value& text : texts) {
    if (!all.empty()) all += "\n\n";
    all += std::string_view(text.as_string());
  }
  return all;
}

void check_turn(const Player::Played& played, const boost::json::object& expectation,
                turn::Rounds rounds, std::string_view agent) {
  const turn::Turn& turn = *played.turn;
  CHECK(played.ends == 1);
  CHECK(played.document.text() == expected_text(expectation, rounds));
  CHECK(name_of(turn.state()) == std::string_view(expectation.at("state").as_string()));
  const boost::json::value* failure = expectation.if_contains("failure");
  if (failure != nullptr) {
    CHECK(name_of(turn.failure_kind()) == std::string_view(failure->as_string()));
    CHECK(turn.failure_message().starts_with(std::string(agent) + ": "));
  } else {
    CHECK(turn.failure_message().empty());
  }
  CHECK(turn.session_id() == std::string_view(expectation.at("session").as_string()));
  CHECK(turn.model() == std::string_view(expectation.at("model").as_string()));
  const plugins::Usage& usage = turn.usage();
  const boost::json::array told{usage.input, usage.output, usage.cache_read, usage.cache_write,
                                usage.cost_micros};
  CHECK(told == expectation.at("usage").as_array());
  CHECK(turn.status().empty());
}

}  // namespace agent_doc::tests
