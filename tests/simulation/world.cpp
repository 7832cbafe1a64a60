#include "tests/simulation/world.hpp"

#include "tests/simulation/oracle.hpp"

#include <algorithm>
#include <limits>

namespace agent_doc::simulation {

namespace world_internal {

constexpr std::size_t kTracedLines = 60;
/// A run takes some hundred; one that needs more does not end.
constexpr int kMostEvents = 20'000;
/// Between the last step of the script and its end.
constexpr Time kRest = 2'000;
constexpr Time kNever = std::numeric_limits<Time>::max();

const char* name_of(FromClient::Kind kind) {
  static constexpr const char* kNames[] = {"didOpen", "didChange", "didSave", "didClose", "answer"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* name_of(sync::Answer answer) {
  static constexpr const char* kNames[] = {"applied", "refused", "error", "timed out"};
  return kNames[static_cast<std::size_t>(answer)];
}

}  // namespace world_internal

World::World(const ClientModel& model, const Script& script, Tracing tracing)
    : model_(model),
      script_(script),
      trace_(tracing == Tracing::On),
      dice_(script.seed ^ 0x5EED),
      client_(model, first_text(script.setting), dice_.roll()),
      person_(client_, script.setting, trace_),
      writer_(std::make_unique<Writer>(client_, script.setting, wanted_, counts_, trace_)) {}

RunResult World::run() {
  client_.open();
  collect();
  int events = 0;
  for (std::pair<Time, Source> event = next(); event.second != Source::None; event = next()) {
    now_ = std::max(now_, event.first);
    happen(event.second);
    collect();
    if (result_.failure.empty()) result_.failure = writer_->failure();
    if (++events == world_internal::kMostEvents) result_.failure = "it does not come to an end";
    if (!result_.failure.empty()) break;
  }
  if (result_.failure.empty()) result_.failure = judge_end();
  result_.trace = trace_.last(world_internal::kTracedLines);
  result_.counts = counts_;
  result_.applied_to_other_text = client_.applied_to_other_text();
  result_.regions = static_cast<int>(wanted_.size());
  for (const WantedRegion& region : wanted_) {
    if (region.state == sync::RegionState::Paused) ++result_.paused;
    if (region.state == sync::RegionState::Detached) ++result_.detached;
  }
  return std::move(result_);
}

/// What happens next. The client does nothing while it is frozen.
std::pair<Time, World::Source> World::next() const {
  using world_internal::kNever;
  const auto thawed = [this](Time at) { return std::max(at, frozen_until_); };
  Time steps = next_step_ < script_.steps.size() ? script_.steps[next_step_].at : kNever;
  Time end = kNever;
  if (next_step_ == script_.steps.size() && !finished_) {
    end = (script_.steps.empty() ? 0 : script_.steps.back().at) + world_internal::kRest;
  }
  const std::optional<Time> client = client_.wakes_at();
  const std::optional<Time> writer = writer_->wakes_at();
  const std::pair<Time, Source> sources[] = {
      {to_server_.empty() ? kNever : to_server_.front().first, Source::ToServer},
      {to_client_.empty() ? kNever : thawed(to_client_.front().first), Source::ToClient},
      {client ? thawed(*client) : kNever, Source::Client},
      {writer ? *writer : kNever, Source::Writer},
      {steps, Source::Step},
      {end == kNever ? kNever : thawed(end), Source::End},
  };
  const auto first =
      *std::min_element(std::begin(sources), std::end(sources),
                        [](const auto& a, const auto& b) { return a.first < b.first; });
  return first.first == kNever ? std::pair{kNever, Source::None} : first;
}

void World::happen(Source source) {
  switch (source) {
    case Source::ToServer: {
      const FromClient message = std::move(to_server_.front().second);
      to_server_.pop_front();
      if (message.kind == FromClient::Kind::Answer) {
        trace_.line(now_, "server gets: answer to edit ", message.edit, ", ",
                    world_internal::name_of(message.answer));
      } else {
        trace_.line(now_, "server gets: ", world_internal::name_of(message.kind), " ",
                    message.version, ", ", Shown{message.text});
      }
      writer_->receive(message, now_);
      for (const GlyphId id : writer_->coinciding()) client_.truth().mark_coinciding(id);
      for (const GlyphId id : writer_->told_again()) client_.truth().mark_restored(id);
      for (const GlyphId id : writer_->kept_by_correction())
        client_.truth().mark_kept_by_correction(id);
      break;
    }
    case Source::ToClient: {
      const EditRequest request = std::move(to_client_.front().second);
      to_client_.pop_front();
      client_.receive(request, now_);
      if (client_.has_applied(request.number)) {
        trace_.line(now_, "client gets: edit ", request.number, " -> ", Shown{client_.text()});
      } else {
        trace_.line(now_, "client gets: edit ", request.number, ", not applied");
      }
      break;
    }
    case Source::Client:
      client_.wake(now_);
      break;
    case Source::Writer:
      writer_->wake(now_);
      break;
    case Source::Step:
      take(script_.steps[next_step_++]);
      break;
    case Source::End:
      finish();
      break;
    case Source::None:
      break;
  }
}

void World::take(const Step& step) {
  switch (step.action) {
    case Action::Freeze:
      frozen_until_ = now_ + 1 + step.size % (step.where % 2 == 0 ? 2'000 : 45'000);
      trace_.line(now_, "the client freezes until ", frozen_until_);
      return;
    case Action::Restart:
      restart();
      return;
    default:
      break;
  }
  writer_->act(step, now_);
  if (now_ < frozen_until_) return;
  if (step.action == Action::Reformat || step.action == Action::Open ||
      step.action == Action::WriteElsewhere)
    told_as_a_whole_ = true;
  person_.act(step, now_);
}

/// Everything that was on its way is lost; the new server knows only the text.
void World::restart() {
  trace_.line(now_, "the server is gone, another one comes");
  to_server_.clear();
  to_client_.clear();
  for (WantedRegion& region : wanted_) {
    region.abandoned = true;
    region.ending = WantedRegion::Ending::Finished;
  }
  client_.truth().hand_to_person();
  result_.failure = writer_->failure();
  writer_ = std::make_unique<Writer>(client_, script_.setting, wanted_, counts_, trace_);
  client_.reconnect();
}

void World::finish() {
  finished_ = true;
  if (!client_.is_open()) {
    told_as_a_whole_ = true;
    client_.open();
  }
  writer_->finish_all(now_);
}

/// Puts on the wires what both sides have to say. A wire keeps its order.
void World::collect() {
  const auto arrival = [this](const auto& wire, bool at_once = false) {
    const Time at = now_ + (at_once ? 1 : dice_.between(1, script_.setting.slowest_message));
    return wire.empty() ? at : std::max(at, wire.back().first);
  };
  for (FromClient& message : client_.take_outbox()) {
    const Time at = arrival(to_server_, message.kind == FromClient::Kind::Save);
    to_server_.emplace_back(at, std::move(message));
  }
  for (EditRequest& request : writer_->take_outbox()) {
    const Time at = arrival(to_client_);
    to_client_.emplace_back(at, std::move(request));
  }
}

std::string World::judge_end() {
  const sync::SyncEngine& engine = writer_->engine();
  if (model_.counts != Counts::AsAgreed) return judge_bounds(client_.content(), wanted_);
  if (engine.shadow().text() != client_.text())
    return "the shadow is not the client's text: " + quoted(engine.shadow().text());
  const bool writable = model_.answers != Answers::AlwaysRefuses;
  if (writable && engine.in_flight()) return "an edit is never decided";
  if (writable && engine.wants_to_write()) return "something is never written";
  const AuthoredText& text = client_.content();
  const Verdict verdict = judge(text, wanted_, evidence(), writer_->torn_bytes());
  result_.by_text_only = verdict.by_text_only;
  if (verdict.failure.empty()) return {};
  return verdict.failure + "\n  the text is " + quoted(client_.text());
}

/// Of a block that was moved, and of which something is in doubt, nobody knows what was before
/// what.
Evidence World::evidence() const {
  const AuthoredText& text = client_.content();
  const bool was_moved = std::any_of(text.order().begin(), text.order().end(),
                                     [&](GlyphId id) { return text.glyph(id).twin.has_value(); });
  const Evidence evidence = evidence_in_place();
  return was_moved && evidence != Evidence::Exact ? std::max(evidence, Evidence::AnyOrder)
                                                  : evidence;
}

Evidence World::evidence_in_place() const {
  const AuthoredText& text = client_.content();
  const bool restored = std::any_of(text.order().begin(), text.order().end(), [&](GlyphId id) {
    return text.glyph(id).restored && text.glyph(id).flight != 0;
  });
  const bool whole_texts = model_.shape == ChangeShape::WholeText ||
                           model_.shape == ChangeShape::Diffed ||
                           model_.shape == ChangeShape::OneRange;
  const bool tells_sums = whole_texts && model_.reports != Reports::AtOnce;
  if (model_.check == VersionCheck::None || (tells_sums && model_.shape != ChangeShape::Diffed))
    return Evidence::Repeats;
  if (client_.applied_to_other_text() > 0) return Evidence::EditsAstray;
  const bool taken_out = std::any_of(text.order().begin(), text.order().end(), [&](GlyphId id) {
    const Glyph& glyph = text.glyph(id);
    return glyph.part == Part::Reply && !glyph.visible && !glyph.removed_by_server;
  });
  const bool in_doubt = (writer_->is_in_doubt() || taken_out) && !model_.is_exact();
  if (tells_sums || told_as_a_whole_ || in_doubt)
    return script_.setting.alphabet < Alphabet::Scripts ? Evidence::AnyOrder : Evidence::EqualBytes;
  return !model_.is_exact() || writer_->is_in_doubt() || restored ? Evidence::EqualText
                                                                  : Evidence::Exact;
}

RunResult run_script(const ClientModel& model, const Script& script, Tracing tracing) {
  return World(model, script, tracing).run();
}

}  // namespace agent_doc::simulation
