// What it is: a client in a run: its text, what it tells of it, and what it makes of the edits that
// it is sent; how it does that is a row of client_models.hpp.
// What it is not: an editor: who types is person.hpp; how messages travel is world.hpp.
// Thread rule: not thread-safe; one client per run.
#pragma once

#include "server/sync/sync_engine.hpp"
#include "tests/simulation/authored_text.hpp"
#include "tests/simulation/client_models.hpp"
#include "tests/simulation/dice.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::simulation {

/// `workspace/applyEdit`, and what only the simulation knows about it.
struct EditRequest {
  std::uint64_t number = 0;
  sync::Version base_version = 0;
  text::Range range;
  std::string text;
  Authorship by;
  std::string base;      ///< the text that it was made for
  std::string expected;  ///< and what it makes of it
};

struct FromClient {
  enum class Kind { Open, Change, Save, Close, Answer };
  Kind kind = Kind::Change;
  sync::Version version = 0;
  std::vector<sync::ContentChange> changes;
  std::uint64_t edit = 0;
  sync::Answer answer = sync::Answer::Applied;

  std::string text;              ///< the whole text that the message leads to
  std::vector<GlyphId> glyphs;   ///< of that text
  GlyphId next_glyph = 0;        ///< all before it had been written by then
  std::uint64_t made_edits = 0;  ///< so many edits of the server had been applied by then
};

class Client {
 public:
  Client(const ClientModel& model, std::string_view text, std::uint64_t seed);

  const ClientModel& model() const { return model_; }
  const AuthoredText& content() const { return content_; }
  const std::string& text() const { return content_.text(); }
  AuthoredText& truth() { return content_; }
  bool is_open() const { return open_; }
  std::size_t cursor() const { return cursor_; }
  void move_cursor(std::size_t offset) { cursor_ = offset; }

  // --- by the person ---
  void type(const text::Edit& edit, Time now);
  /// Several edits, each in offsets of the text after those before it, as one step; reported as one
  /// replacement of the whole text.
  void reformat(const std::vector<text::Edit>& edits, Time now);
  /// As one step, too, but each is reported for itself.
  void tidy(const std::vector<text::Edit>& edits, Time now);
  /// False when the client tells it in another shape: then nothing is cut or pasted.
  bool cut(std::size_t begin, std::size_t end, Time now);
  bool paste(std::size_t at, Time now);
  bool undo(Time now);
  bool redo(Time now);
  void save();
  void close();
  void open();
  /// Another program reads the file, and writes it later as it was then, changed by `edit`.
  void read_elsewhere() { read_elsewhere_ = content_.visible(); }
  bool write_elsewhere(Time now);

  // --- the wire ---
  /// The server is gone and another one comes: everything that was on its way is lost.
  void reconnect();
  void receive(const EditRequest& request, Time now);
  std::optional<Time> wakes_at() const;
  void wake(Time now);
  std::vector<FromClient> take_outbox();

  bool has_applied(std::uint64_t edit) const {
    return edit < applied_.size() && applied_[edit] > 0;
  }
  /// Whether it had, when it told `message`.
  bool had_applied(std::uint64_t edit, const FromClient& message) const {
    return has_applied(edit) && applied_[edit] <= message.made_edits;
  }
  /// Edits that it applied to another text than they were made for.
  int applied_to_other_text() const { return applied_to_other_text_; }

 private:
  /// One that was answered, and is not made yet.
  struct LateEdit {
    Time at = 0;
    EditRequest request;
    text::Edit edit;  ///< in the text of now
    bool is_torn = false;

    void map(const text::Edit& change);
  };
  using UndoStep = std::vector<AuthoredText::Change>;

  /// From here on the server knows the text as it is, and nothing of before.
  void tell_open();
  void change(const text::Edit& edit, const Authorship& by, Time now);
  void type_parts(const std::string& before, const text::Edit& edit, UndoStep& step);
  std::vector<text::Edit> as_told(const std::string& before, const text::Edit& edit) const;
  void record(std::string before, const std::vector<text::Edit>& edits);
  void record_one(const std::string& before, const text::Edit& edit, const std::string& after);
  void note_untold(const std::vector<text::Edit>& edits);
  void report(Time now);
  void flush();
  FromClient message(FromClient::Kind kind) const;
  bool is_stale(const EditRequest& request) const;
  bool is_torn(const EditRequest& request) const;
  std::string as_inserted(std::string_view text) const;
  text::Edit edit_of(const EditRequest& request) const;
  void make(const EditRequest& request, const text::Edit& edit, Time now);
  void map_late_edits(const std::string& before, const text::Edit& change);
  void answer(const EditRequest& request, sync::Answer answer, Time now);

  const ClientModel& model_;
  Dice dice_;
  LineEnds line_ends_;
  AuthoredText content_;
  sync::Version version_ = 0;
  bool open_ = false;
  std::size_t cursor_ = 0;

  std::vector<UndoStep> undo_;
  std::vector<UndoStep> redo_;
  std::vector<GlyphId> disk_;
  std::vector<GlyphId> clipboard_;
  bool has_pasted_ = false;
  std::optional<std::vector<GlyphId>> read_elsewhere_;

  bool unreported_ = false;
  std::vector<sync::ContentChange> recorded_;
  std::string told_;
  std::uint64_t told_changes_ = 0;
  std::vector<text::Edit> untold_;  ///< since told_, one after the other
  std::optional<Time> flush_at_;
  std::deque<std::pair<Time, FromClient>> late_answers_;
  std::deque<LateEdit> late_edits_;
  std::vector<FromClient> outbox_;
  std::vector<std::uint64_t>
      applied_;  ///< the how many-th each edit was that was applied; 0: it was not
  std::uint64_t made_edits_ = 0;
  int applied_to_other_text_ = 0;
};

}  // namespace agent_doc::simulation
