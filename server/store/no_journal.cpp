#include "server/store/journal.hpp"

namespace agent_doc::store {

namespace {

class NoJournal final : public Journal {
 public:
  void turn_began(const TurnBegan&) override {}
  void session_known(const std::string&, const std::string&) override {}
  void prompt_arrived(const std::string&) override {}
  void reply_changed(const std::string&, std::size_t, std::string_view) override {}
  void thought(const std::string&, std::string_view) override {}
  void printed(const std::string&, std::string_view) override {}
  void turn_ended(const std::string&, const TurnTotals&) override {}
  void said_after_turn(const std::string&, std::string_view) override {}
  void document_moved(const std::string&, const std::string&) override {}
  void counts_as_seen(const SeenQuery&, std::shared_ptr<const std::string>) override {}
  void reply_placed(const std::string&, ReplyPlace) override {}
  std::optional<UnsavedReply> unsaved_reply(const std::string&, const std::string&) override {
    return std::nullopt;
  }
  std::string folder_of_session(const std::string&, const std::string&) override { return {}; }
  std::string agent_of_session(const std::string&) override { return {}; }
  std::optional<SeenText> seen_by(const SeenQuery&) override { return std::nullopt; }
  std::string take_problem() override { return {}; }
};

}  // namespace

std::unique_ptr<Journal> make_no_journal() {
  return std::make_unique<NoJournal>();
}

}  // namespace agent_doc::store
