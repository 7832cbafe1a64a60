// What it is: for tests of SyncEngine: a client in this process that checks versions strictly and
// reports every change at once, step by step under the test's control.
// What it is not: any of the clients that behave worse; those are tests/simulation.
// Thread rule: one object per test.
#pragma once

#include "server/sync/sync_engine.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::test {

struct StrictClient {
  explicit StrictClient(std::string first_text, sync::Version first_version = 1)
      : text(std::move(first_text)), version(first_version) {
    engine.did_open(version, text);
  }

  /// The person replaces what stands at the only place of `old`; an empty `old` is the end of the
  /// text.
  void replace(const std::string& old, const std::string& replacement) {
    const std::size_t at = old.empty() ? text.size() : text.find(old);
    REQUIRE(at != std::string::npos);
    change({at, at + old.size(), replacement});
  }
  void insert_before(const std::string& place, const std::string& typed) {
    replace(place, typed + place);
  }
  void change(const text::Edit& edit) {
    text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
    engine.did_change(++version, {edit});
  }

  sync::OutgoingEdit sent(sync::Release release = sync::Release::Everything) {
    const std::optional<sync::OutgoingEdit> edit = engine.poll(release);
    REQUIRE(edit);
    CHECK(edit->base_version == version);
    return *edit;
  }
  bool sends_nothing() { return !engine.poll(sync::Release::Everything); }

  /// The client applies `edit`, reports and answers.
  void apply(const sync::OutgoingEdit& edit) {
    change(edit.edit);
    engine.answered(sync::Answer::Applied);
  }
  /// Everything that can be written is.
  void drain() {
    for (int edits = 0;
         const std::optional<sync::OutgoingEdit> edit = engine.poll(sync::Release::Everything);
         ++edits) {
      REQUIRE(edits < 100);
      apply(*edit);
    }
    CHECK(engine.shadow().text() == text);
  }
  std::vector<sync::NoticeKind> notices() {
    std::vector<sync::NoticeKind> kinds;
    for (const sync::Notice& notice : engine.take_notices()) kinds.push_back(notice.kind);
    return kinds;
  }

  /// A region at the end of the text, whose frame has landed.
  sync::RegionId open_region() {
    const sync::RegionId region =
        engine.open_region(text.size(), sync::Frame{"\n## A\n\n", "\n\n## U\n"});
    drain();
    return region;
  }
  sync::RegionId open_region_with(const std::string& reply) {
    const sync::RegionId region = open_region();
    engine.append(region, reply);
    drain();
    return region;
  }

  sync::SyncEngine engine{text::PositionEncoding::Utf8};
  std::string text;
  sync::Version version;
};

}  // namespace agent_doc::test
