#include "server/store/sqlite_journal.hpp"

#include "server/file/user_directories.hpp"
#include "server/store/schema.hpp"
#include "server/store/turn_table.hpp"
#include "server/store/write_queue.hpp"

#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace agent_doc::store {

namespace {

/// The state of a turn in the store until its end.
constexpr std::string_view kRunning = "running";

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Problems of the writing thread, on their way to the person.
class Problems {
 public:
  void add(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    text_ += (text_.empty() ? "" : "\n") + problem;
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(text_, {});
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

/// The writing thread's side. Of a turn that an error hit nothing more is written: it would be put
/// together wrongly.
class Writer {
 public:
  Writer(const JournalOptions& options, Problems& problems)
      : options_(options), problems_(problems) {}

  void write(std::vector<Entry> entries) {
    std::erase_if(entries, [this](const Entry& entry) { return lost_turns_.contains(entry.turn); });
    if (entries.empty()) return;
    StoreResult<void> written = open();
    if (written.has_value()) {
      written = database_->in_transaction([&]() -> StoreResult<void> {
        for (const Entry& entry : entries) {
          if (auto done = write(entry); done.has_error()) return done;
        }
        return {};
      });
    }
    if (written.has_value()) return;
    for (const Entry& entry : entries) lost_turns_.insert(entry.turn);
    fail(written.error());
  }

 private:
  StoreResult<void> open() {
    if (database_) return {};
    const std::string folder = options_.path.substr(0, options_.path.rfind('/'));
    if (const auto error = file::make_private_directory(folder))
      return StoreError{StoreErrorKind::Failed, folder + ": " + error.message()};
    std::string put_aside;
    StoreResult<Database> opened = open_store(options_.path, put_aside);
    if (!put_aside.empty())
      problems_.add("The store of earlier turns was damaged. It is now " + put_aside +
                    ", and a new one was begun. Documents do not depend on it.");
    if (opened.has_error()) return opened.error();
    database_.emplace(std::move(*opened));
    return {};
  }

  StoreResult<void> write(const Entry& entry) {
    TurnTable turns(*database_);
    if (const auto* begin = std::get_if<BeginTurn>(&entry.what))
      return turns.add(begin->turn, options_.owner, entry.at_ms);
    if (const auto* session = std::get_if<NoteSession>(&entry.what))
      return turns.note_session(entry.turn, session->session_id, entry.at_ms);
    if (std::holds_alternative<NoteArrival>(entry.what)) return turns.note_arrival(entry.turn);
    if (const auto* edit = std::get_if<EditReply>(&entry.what))
      return turns.add_edit(entry.turn, edit->at, edit->text);
    if (const auto* end = std::get_if<EndTurn>(&entry.what))
      return turns.finish(entry.turn, end->totals, entry.at_ms);
    if (const auto* piece = std::get_if<AddPiece>(&entry.what))
      return turns.add_piece(entry.turn, piece->kind, piece->text);
    if (const auto* move = std::get_if<MoveDocument>(&entry.what))
      return turns.move_document(entry.turn, move->path);
    if (const auto* count = std::get_if<CountAsSeen>(&entry.what))
      return turns.count_as_seen(count->query, *count->text);
    return turns.raise_place(entry.turn, std::get<RaisePlace>(entry.what).place);
  }

  void fail(const StoreError& error) {
    database_.reset();
    if (error.kind == StoreErrorKind::Newer) return problems_.add(error.message + ".");
    problems_.add("This turn is not recorded in the store (" + error.message +
                  "), so `agent-doc log` will not show all of it. The document is not affected.");
    if (error.kind != StoreErrorKind::Damaged) return;
    const StoreResult<std::string> aside = put_store_aside(options_.path);
    if (aside.has_value() && !aside->empty())
      problems_.add("The damaged store was put aside as " + *aside + ".");
  }

  const JournalOptions& options_;
  Problems& problems_;
  std::optional<Database> database_;
  std::set<std::string> lost_turns_;
};

class SqliteJournal final : public Journal {
 public:
  explicit SqliteJournal(JournalOptions options)
      : options_(std::move(options)), queue_(options_.wait), writer_(options_, problems_) {}
  ~SqliteJournal() override {
    queue_.close();
    if (thread_.joinable()) thread_.join();
  }

  void turn_began(const TurnBegan& turn) override {
    push(turn.turn, BeginTurn{turn}, WriteQueue::Urgency::Now);
  }
  void session_known(const std::string& turn, const std::string& session_id) override {
    push(turn, NoteSession{session_id}, WriteQueue::Urgency::Soon);
  }
  void prompt_arrived(const std::string& turn) override {
    push(turn, NoteArrival{}, WriteQueue::Urgency::Soon);
  }
  void reply_changed(const std::string& turn, std::size_t offset, std::string_view text) override {
    push(turn, EditReply{offset, std::string(text)}, WriteQueue::Urgency::Soon);
  }
  void thought(const std::string& turn, std::string_view text) override {
    push(turn, AddPiece{StoredPiece::Kind::Thought, std::string(text)}, WriteQueue::Urgency::Soon);
  }
  void printed(const std::string& turn, std::string_view text) override {
    push(turn, AddPiece{StoredPiece::Kind::Printed, std::string(text)}, WriteQueue::Urgency::Soon);
  }
  void turn_ended(const std::string& turn, const TurnTotals& totals) override {
    push(turn, EndTurn{totals}, WriteQueue::Urgency::Now);
  }
  void said_after_turn(const std::string& turn, std::string_view text) override {
    push(turn, AddPiece{StoredPiece::Kind::AfterTurn, std::string(text)}, WriteQueue::Urgency::Now);
  }
  void document_moved(const std::string& document, const std::string& path) override {
    push(document, MoveDocument{path}, WriteQueue::Urgency::Now);
  }
  void counts_as_seen(const SeenQuery& query, std::shared_ptr<const std::string> text) override {
    push(query.document, CountAsSeen{query, std::move(text)}, WriteQueue::Urgency::Now);
  }
  void reply_placed(const std::string& turn, ReplyPlace place) override {
    push(turn, RaisePlace{place}, WriteQueue::Urgency::Now);
  }

  std::optional<UnsavedReply> unsaved_reply(const std::string& document,
                                            const std::string& path) override {
    std::optional<Database> database = open_to_look();
    if (!database) return std::nullopt;
    StoreResult<std::optional<UnsavedReply>> found = find_unsaved(*database, {document, path});
    if (found.has_value()) return std::move(*found);
    problems_.add("The store of earlier turns could not be read (" + found.error().message + ").");
    return std::nullopt;
  }

  std::string folder_of_session(const std::string& agent, const std::string& session_id) override {
    std::optional<Database> database = open_to_look();
    std::string folder;
    if (!database) return folder;
    (void)database->query("SELECT folder FROM session WHERE agent = ? AND id = ?",
                          {agent, session_id}, [&](const Row& row) { folder = row.text(0); });
    return folder;
  }

  std::string agent_of_session(const std::string& session_id) override {
    std::optional<Database> database = open_to_look();
    std::string agent;
    if (!database) return agent;
    (void)database->query("SELECT agent FROM session WHERE id = ? ORDER BY used DESC LIMIT 1",
                          {session_id}, [&](const Row& row) { agent = row.text(0); });
    return agent;
  }

  std::optional<SeenText> seen_by(const SeenQuery& query) override {
    std::optional<Database> database = open_to_look();
    if (!database) return std::nullopt;
    StoreResult<std::optional<SeenText>> found = TurnTable(*database).seen_by(query);
    if (found.has_value()) return std::move(*found);
    problems_.add("The store of earlier turns could not be read (" + found.error().message + ").");
    return std::nullopt;
  }

  std::string take_problem() override { return problems_.take(); }

 private:
  struct DocumentName {
    std::string id;  ///< may be empty
    std::string path;
  };
  struct LastTurn {
    UnsavedReply reply;
    std::string owner;
    ReplyPlace place = ReplyPlace::File;
    std::string goes_on_from;
  };

  template <class What>
  void push(const std::string& turn, What what, WriteQueue::Urgency urgency) {
    if (!thread_.joinable()) start_thread();
    if (cut_turns_.contains(turn) ||
        queue_.push(Entry{turn, now_ms(), std::move(what)}, urgency, kMaxQueuedBytes))
      return;
    cut_turns_.insert(turn);
    problems_.add("The disk of " + options_.path +
                  " is too slow: what this turn says from here on is not recorded. The document is "
                  "not affected.");
  }

  /// Signals are for the server's thread.
  void start_thread() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] {
      for (std::vector<Entry> entries = queue_.take(kFlushInterval); !entries.empty();
           entries = queue_.take(kFlushInterval)) {
        writer_.write(std::move(entries));
        queue_.done();
      }
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  std::optional<Database> open_to_look() {
    if (thread_.joinable()) queue_.drain();
    StoreResult<Database> database = open_store_for_reading(options_.path);
    if (database.has_value()) return std::optional<Database>(std::move(*database));
    if (database.error().kind != StoreErrorKind::Missing)
      problems_.add("The store of earlier turns could not be read (" + database.error().message +
                    ").");
    return std::nullopt;
  }

  StoreResult<std::optional<UnsavedReply>> find_unsaved(Database& database,
                                                        const DocumentName& document) {
    StoreResult<bool> copy = is_copy(database, document);
    if (copy.has_error()) return copy.error();
    if (*copy) return std::nullopt;
    LastTurn last;
    if (auto looked = look_at_last(database, document, last); looked.has_error())
      return looked.error();
    if (last.place == ReplyPlace::File) return std::nullopt;
    const bool of_this_process = last.owner == options_.owner;
    if (!of_this_process && options_.is_alive(last.owner)) return std::nullopt;
    if (last.reply.state == kRunning) {
      if (of_this_process) return std::nullopt;
      if (auto ended = end_interrupted(database, document, last); ended.has_error())
        return ended.error();
    }
    if (auto looked = look_at_turns_before(database, last); looked.has_error())
      return looked.error();
    if (!last.reply.text.empty()) return std::move(last.reply);
    if (last.reply.before.empty()) return std::nullopt;
    // It ended before it said anything, but the turn that it went on from may be missing.
    UnsavedReply::Part part = std::move(last.reply.before.back());
    last.reply.before.pop_back();
    last.reply.turn = std::move(part.turn);
    last.reply.prompt = std::move(part.prompt);
    last.reply.text = std::move(part.text);
    return std::move(last.reply);
  }

  /// Whether the last turn with this id was in another file, which is still there: a copied
  /// document has the id of its original.
  static StoreResult<bool> is_copy(Database& database, const DocumentName& document) {
    std::string path;
    const auto found = database.query("SELECT path FROM document WHERE id = ?1", {document.id},
                                      [&](const Row& row) { path = row.text(0); });
    if (found.has_error()) return found.error();
    std::error_code error;
    return !path.empty() && path != document.path && std::filesystem::exists(path, error) &&
           !std::filesystem::equivalent(path, document.path, error);
  }

  static StoreResult<void> look_at_last(Database& database, const DocumentName& document,
                                        LastTurn& last) {
    return database.query(
        "SELECT id, document, agent, session, state, prompt, reply, owner, place, "
        "goes_on_from FROM turn WHERE document = ?1 OR (?1 = '' AND document IN (SELECT id FROM "
        "document WHERE path = "
        "?2)) ORDER BY number DESC LIMIT 1",
        {document.id, document.path}, [&](const Row& row) {
          last.reply = {row.text(0), row.text(1), row.text(2), row.text(3),
                        row.text(4), row.text(5), row.text(6)};
          last.owner = row.text(7);
          last.place = static_cast<ReplyPlace>(row.integer(8));
          last.goes_on_from = row.text(9);
        });
  }

  /// Up to the first one that is in a saved text: what is above it is, too.
  static StoreResult<void> look_at_turns_before(Database& database, LastTurn& last) {
    std::vector<UnsavedReply::Part>& before = last.reply.before;
    std::string turn = last.goes_on_from;
    while (!turn.empty() && before.size() < kMaxTurnsBefore) {
      UnsavedReply::Part part;
      std::string next;
      auto looked = database.query(
          "SELECT id, prompt, reply, goes_on_from FROM turn WHERE id = ?1 AND place < ?2",
          {turn, static_cast<std::int64_t>(ReplyPlace::File)}, [&](const Row& row) {
            part = {row.text(0), row.text(1), row.text(2)};
            next = row.text(3);
          });
      if (looked.has_error()) return looked;
      if (!part.text.empty()) before.insert(before.begin(), std::move(part));
      turn = std::move(next);
    }
    return {};
  }

  /// Another process may see to the same turn at the same time: only one of them finds it running.
  StoreResult<void> end_interrupted(Database& database, const DocumentName& document,
                                    LastTurn& last) {
    return database.in_transaction([&]() -> StoreResult<void> {
      if (auto looked = look_at_last(database, document, last);
          looked.has_error() || last.reply.state != kRunning)
        return looked;
      TurnTotals totals;
      totals.state = kInterrupted;
      totals.failure = "agent-doc ended while the turn was running";
      if (auto ended = TurnTable(database).finish(last.reply.turn, totals, now_ms());
          ended.has_error())
        return ended;
      return look_at_last(database, document, last);
    });
  }

  JournalOptions options_;
  Problems problems_;
  WriteQueue queue_;
  Writer writer_;
  std::thread thread_;
  std::set<std::string> cut_turns_;  ///< nothing more is told of them: with a piece missing the
                                     ///< rest would be put together wrongly
};

}  // namespace

std::unique_ptr<Journal> make_sqlite_journal(JournalOptions options) {
  return std::make_unique<SqliteJournal>(std::move(options));
}

}  // namespace agent_doc::store
