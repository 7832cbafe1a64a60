#include "editors/cli/run_session.hpp"

#include "editors/cli/rescue.hpp"
#include "protocol/fields.hpp"
#include "protocol/lsp.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <csignal>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

int exit_code_of(const protocol::TurnParams& turn) {
  if (turn.state == "done") return kDone;
  return turn.state == "cancelled" ? kCancelled : kTurnFailed;
}

bool is_over(const protocol::TurnParams& turn) {
  return turn.state == "done" || turn.state == "failed" || turn.state == "cancelled" ||
         turn.state == "interrupted";
}

Weight weight_of(std::int64_t message_type) {
  if (message_type == static_cast<std::int64_t>(protocol::MessageType::Error)) return Weight::Error;
  return message_type == static_cast<std::int64_t>(protocol::MessageType::Warning) ? Weight::Warning
                                                                                   : Weight::Info;
}

/// A `window/showMessageRequest` that asks for a permission: `message` is short, `asked` whole.
struct Question {
  std::string message;
  AskedQuestion asked;

  /// The button to press; null is cancelled.
  static json::value press(const AskedOption* option) {
    return option == nullptr ? json::value(nullptr)
                             : json::value(json::object{{"title", option->id}});
  }
  json::value deny() const {
    const auto found =
        std::find_if(asked.options.begin(), asked.options.end(),
                     [](const AskedOption& option) { return option.kind == "deny"; });
    return press(found == asked.options.end() ? nullptr : &*found);
  }
};

Question decode_question(const json::value& value) {
  const protocol::Fields params(value, "params");
  Question question{params.string("message"),
                    {params.optional_string("agentDocTool").value_or(""), {}, {}}};
  question.asked.detail = params.optional_string("agentDocDetail").value_or(question.message);
  for (const protocol::Fields& action : params.objects("actions")) {
    const std::string title = action.string("title");
    question.asked.options.push_back(
        {title, title, action.optional_string("agentDocKind").value_or("")});
  }
  return question;
}

}  // namespace

ExitCode exit_code_of(const protocol::Error& refusal) {
  const std::optional<protocol::RefusalReason> reason = protocol::reason_of(refusal);
  if (!reason) return kTurnFailed;
  switch (*reason) {
    case protocol::RefusalReason::Busy:
      return kBusy;
    case protocol::RefusalReason::NothingToSend:
      return kNothingToSend;
    case protocol::RefusalReason::UnknownAgent:
      return kNoAgent;
    case protocol::RefusalReason::NoSession:
    case protocol::RefusalReason::NotOpen:
    case protocol::RefusalReason::Unsupported:
    case protocol::RefusalReason::Invalid:
      break;
  }
  return kTurnFailed;
}

RunSession::RunSession(RunOptions options, file::FileBuffer buffer, app::Config config,
                       RunOutput& output, RunPlace place)
    : options_(std::move(options)),
      place_(std::move(place)),
      output_(output),
      signals_(io_, SIGINT, SIGTERM, SIGHUP),
      ticker_(io_),
      landing_(io_),
      hurry_(io_),
      server_(io_, std::move(config)),
      file_(
          io_, server_.endpoint(), std::move(buffer),
          [this](std::string_view sentence) { output_.message(Weight::Warning, sentence); },
          place_.uri),
      prompt_(io_, [this] { output_.make_room(); }) {}

int RunSession::run() {
  bind();
  wait_for_signal();
  tick();
  const std::string folder =
      place_.folder.empty() ? project_folder_of(file_.buffer().file().path()) : place_.folder;
  server_.start(folder, [this](const std::optional<protocol::Error>& error) {
    if (!error) return start();
    output_.message(Weight::Error, error->message);
    conclude(kTurnFailed);
  });
  io_.run();
  output_.end(exit_code_);
  return exit_code_;
}

void RunSession::bind() {
  protocol::Endpoint& endpoint = *server_.endpoint();
  endpoint.on_notification(
      std::string(protocol::kTurnNotification),
      [this](const json::value& params) { on_turn(protocol::decode_turn(params)); });
  endpoint.on_notification(
      std::string(protocol::kReplyNotification),
      [this](const json::value& params) { on_reply(protocol::decode_reply(params)); });
  endpoint.on_notification("window/showMessage", [this](const json::value& value) {
    const protocol::Fields params(value, "params");
    const Weight weight = weight_of(params.integer("type"));
    error_told_ = error_told_ || weight == Weight::Error;
    output_.message(weight, params.string("message"));
  });
  endpoint.on_request("window/showMessageRequest",
                      [this](const json::value& params, protocol::Replier reply) {
                        on_question(params, std::move(reply));
                      });
}

void RunSession::start() {
  file_.open();
  json::object argument{{"uri", file_.uri()}};
  if (!options_.agent.empty()) argument["agent"] = options_.agent;
  if (!options_.model.empty()) argument["model"] = options_.model;
  server_.execute(protocol::kRunCommand, std::move(argument),
                  [this](protocol::Result result) { on_run_answered(std::move(result)); });
}

void RunSession::on_run_answered(protocol::Result result) {
  const auto* refusal = std::get_if<protocol::Error>(&result);
  if (refusal == nullptr) {
    if (stage_ == Stage::Starting) stage_ = Stage::Running;
    if (signals_seen_ > 0) stop_turn();
    return;
  }
  output_.message(Weight::Error, refusal->message);
  conclude(exit_code_of(*refusal));
}

void RunSession::on_turn(const protocol::TurnParams& turn) {
  if (stage_ == Stage::Ending) return;
  stage_ = Stage::Running;
  output_.turn(turn);
  if (!is_over(turn)) return;
  exit_code_ = exit_code_of(turn);
  if (turn.state == "failed" && !error_told_)
    output_.message(Weight::Error, turn.agent + ": " + turn.failure);
  error_told_ = true;
  landed_ = turn.replyLanded;
  if (landed_) return conclude(exit_code_);
  file_.stop_pacing();
  wait_for_landing(kLandingLooks);
}

void RunSession::on_reply(const protocol::ReplyParams& reply) {
  reply_.resize(std::min<std::size_t>(reply_.size(), reply.offset));
  reply_ += reply.text;
  output_.reply(reply);
}

void RunSession::wait_for_landing(int looks) {
  edits_when_looked_ = file_.edits();
  landing_.expires_after(kLandingLook);
  landing_.async_wait([this, looks](const boost::system::error_code& error) {
    if (error || stage_ == Stage::Ending) return;
    if (file_.edits() != edits_when_looked_) return wait_for_landing(kLandingLooks);
    if (looks > 1) return wait_for_landing(looks - 1);
    conclude(exit_code_);
  });
}

void RunSession::on_question(const json::value& params, protocol::Replier reply) {
  auto question = decode_question(params);
  if (options_.permissions == Permissions::Deny || !PermissionPrompt::can_ask()) {
    const char* why = options_.permissions == Permissions::Deny ? "--allow none"
                                                                : "there is no terminal to ask on";
    output_.message(Weight::Warning, "denied (" + std::string(why) + "): " + question.message);
    return reply.result(question.deny());
  }
  const auto shared_reply = std::make_shared<protocol::Replier>(std::move(reply));
  const std::uint64_t number = prompt_.ask(
      std::move(question.asked),
      [shared_reply](const AskedOption* chosen) { shared_reply->result(Question::press(chosen)); });
  shared_reply->on_cancel([this, number] { prompt_.withdraw(number); });
}

void RunSession::wait_for_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    on_signal();
    wait_for_signal();
  });
}

void RunSession::on_signal() {
  switch (++signals_seen_) {
    case 1:
      output_.message(Weight::Info, "stopping … (Ctrl-C again: at once)");
      if (stage_ == Stage::Running) stop_turn();
      return;
    case 2:
      exit_code_ = kCancelled;
      hurry_.expires_after(kHurriedFinish);
      hurry_.async_wait([this](const boost::system::error_code&) { io_.stop(); });
      conclude(kCancelled);
      return;
    default:
      io_.stop();
  }
}

void RunSession::stop_turn() {
  server_.execute(protocol::kStopCommand, json::object{{"uri", file_.uri()}},
                  [this](const protocol::Result& result) {
                    const auto* value = std::get_if<json::value>(&result);
                    const bool stopped = value != nullptr && value->is_object() &&
                                         value->as_object().contains("stopped") &&
                                         value->at("stopped") == true;
                    if (!stopped && stage_ == Stage::Starting) conclude(kCancelled);
                  });
}

void RunSession::tick() {
  ticker_.expires_after(kTick);
  ticker_.async_wait([this](const boost::system::error_code& error) {
    if (error || stage_ == Stage::Ending) return;
    output_.tick();
    tick();
  });
}

void RunSession::conclude(int code) {
  if (std::exchange(stage_, Stage::Ending) == Stage::Ending) return;
  exit_code_ = code;
  landing_.cancel();
  file_.finish([this](FileClient::Ending ending) { on_file_finished(ending); });
}

void RunSession::on_file_finished(FileClient::Ending ending) {
  output_.reply_ended();
  const file::FileBuffer& buffer = file_.buffer();
  if (ending == FileClient::Ending::NotWritten) {
    output_.message(Weight::Error, buffer.problem().message +
                                       " Once it can be written: agent-doc recover " +
                                       buffer.file().shown_as());
    keep_elsewhere(buffer.text().text(), "The document as it should be");
  }
  if (!landed_) {
    output_.message(Weight::Error, "The reply is not in " + buffer.file().shown_as() +
                                       " as a whole: its place there was changed meanwhile.");
    keep_elsewhere(reply_, "The whole reply");
  }
  if (ending == FileClient::Ending::Written) {
    server_.endpoint()->notify("textDocument/didSave",
                               json::object{{"textDocument", json::object{{"uri", file_.uri()}}}});
  }
  server_.shut_down([this] { io_.stop(); });
}

void RunSession::keep_elsewhere(std::string_view text, std::string_view what) {
  if (exit_code_ == kDone) exit_code_ = kTurnFailed;
  const boost::system::result<Rescued> kept = rescue(file_.buffer().file().path(), text);
  if (kept.has_value() && !kept->unconfirmed)
    return output_.message(Weight::Error, std::string(what) + " was kept in " + kept->path);
  if (kept.has_value()) {
    return output_.message(Weight::Error, std::string(what) + " was kept in " + kept->path +
                                              ", but the disk did not confirm it (" +
                                              kept->unconfirmed.message() +
                                              "): copy it to another disk now.");
  }
  output_.message(Weight::Error, std::string(what) + " could not be kept in a file either (" +
                                     kept.error().message() + "), so it follows here.");
  output_.last_resort(text);
}

}  // namespace agent_doc::cli
