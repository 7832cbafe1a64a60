// What it is: lsp::Environment by hand: a clock that the test moves, files in memory, scripted
// agents.
// What it is not: a simulation of time passing by itself: nothing happens before the test says so.
// Thread rule: one thread.
#pragma once

#include "server/lsp/environment.hpp"
#include "server/text/text_buffer.hpp"
#include "tests/fakes/journal_in_memory.hpp"
#include "tests/fakes/scripted_agents.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::fakes {

class ManualEnvironment final : public lsp::Environment, public session::AgentDirectory {
 public:
  // --- lsp::Environment ---
  session::TimePoint now() const override { return clock; }
  lsp::PendingHandle schedule(session::TimePoint when, std::function<void()> callback) override {
    auto call = std::make_shared<Call>(Call{when, std::move(callback)});
    calls_.push_back(call);
    return std::make_unique<Handle>(std::move(call));
  }
  lsp::PendingHandle watch_process(int pid, std::function<void()> gone) override {
    auto call = std::make_shared<Call>(Call{session::TimePoint::max(), std::move(gone)});
    watched[pid] = call;
    return std::make_unique<Handle>(std::move(call));
  }
  process::ChildLauncher& launcher() override { return agents_started; }
  const session::AgentDirectory& agents() const override { return *this; }
  store::Journal& journal() override { return recorded; }
  session::LeaseOutcome lease_session(const std::string& agent, const std::string& session_id,
                                      const std::string& path) override {
    return leases.lease(agent, session_id, path);
  }
  std::string make_uuid() override { return "uuid-" + std::to_string(++uuids); }
  boost::system::error_code create_file(const std::string& path, std::string_view text) override {
    if (file_error) return file_error;
    if (!files.emplace(path, text).second)
      return boost::system::errc::make_error_code(boost::system::errc::file_exists);
    return {};
  }
  /// By their names only, but for those that are `links`.
  lsp::FilePlace file_inside(const std::string& folder, const std::string& path) const override {
    std::string wanted = path.starts_with('/') ? path : folder + "/" + path;
    if (const auto link = links.find(wanted); link != links.end()) wanted = link->second;
    if (wanted.starts_with(folder + "/")) return {wanted, {}};
    return {{}, path + " is outside of " + folder};
  }
  std::string real_path(const std::string& path) const override {
    const auto link = links.find(path);
    return link == links.end() ? path : link->second;
  }
  bool is_folder(const std::string& path) const override { return !missing_folders.contains(path); }
  session::FolderPlace folder_inside(const std::string&, const std::string& path) const override {
    return {path, {}};
  }
  boost::system::result<std::string> read_text_file(const std::string& path) const override {
    const auto found = files.find(path);
    if (found == files.end())
      return boost::system::errc::make_error_code(boost::system::errc::no_such_file_or_directory);
    return found->second;
  }
  boost::system::error_code replace_file(const std::string& path, std::string_view text) override {
    if (!file_error) files.insert_or_assign(path, std::string(text));
    return file_error;
  }
  std::unique_ptr<lsp::ShownFile> make_shown_file(std::string_view text,
                                                  std::string_view) override {
    if (file_error) return nullptr;
    return std::make_unique<ShownInMemory>(files, "/run/shown-" + std::to_string(++shown_files),
                                           text);
  }
  boost::system::result<std::unique_ptr<lsp::ClosedFile>, std::string> open_closed_file(
      const std::string& path) override {
    if (!files.contains(path)) return "there is no file " + path;
    return std::unique_ptr<lsp::ClosedFile>(
        std::make_unique<FileInMemory>(files[path], save_results));
  }
  const std::vector<std::string>& configuration_problems() const override { return problems; }
  void log(lsp::LogLevel, std::string_view line) override { logged.emplace_back(line); }
  void request_exit(int code) override { exit_codes.push_back(code); }

  // --- session::AgentDirectory ---
  std::optional<plugins::AgentSpec> find(std::string_view name) const override {
    for (const plugins::AgentSpec& agent : more_agents) {
      if (agent.name == name) return agent;
    }
    if (name != "claude") return std::nullopt;
    return plugins::AgentSpec{"claude", "claude", "claude", {}, {}};
  }
  std::string default_agent() const override { return "claude"; }
  std::vector<std::string> names() const override {
    std::vector<std::string> all{"claude", "tour"};
    for (const plugins::AgentSpec& agent : more_agents) all.push_back(agent.name);
    return all;
  }
  bool is_installed(std::string_view name) const override { return name != not_installed; }
  std::string how_to_get(std::string_view) const override { return "known agents are claude"; }

  // --- the test ---
  /// Calls what is due now, in order. False when nothing was.
  bool call_one() {
    std::erase_if(calls_, [](const auto& call) { return call.expired(); });
    const auto due = std::min_element(
        calls_.begin(), calls_.end(),
        [](const auto& a, const auto& b) { return a.lock()->when < b.lock()->when; });
    if (due == calls_.end()) return false;
    const auto call = due->lock();
    if (call->when > clock) return false;
    calls_.erase(due);
    call->callback();
    return true;
  }
  std::optional<session::TimePoint> next_call() const {
    std::optional<session::TimePoint> next;
    for (const auto& entry : calls_) {
      const auto call = entry.lock();
      if (call && (!next || call->when < *next)) next = call->when;
    }
    return next;
  }
  void process_ends(int pid) {
    if (const auto call = watched[pid].lock()) call->callback();
  }

  struct Call {
    session::TimePoint when;
    std::function<void()> callback;
  };

  using Files = std::map<std::string, std::string, std::less<>>;
  class ShownInMemory final : public lsp::ShownFile {
   public:
    ShownInMemory(Files& files, std::string path, std::string_view text)
        : files_(files), path_(std::move(path)) {
      files_[path_] = text;
    }
    ~ShownInMemory() override { files_.erase(path_); }
    const std::string& path() const override { return path_; }

   private:
    Files& files_;
    std::string path_;
  };

  /// Does what `results` says, in order; without any it succeeds. What another program writes comes
  /// in as the result's `foreign`.
  class FileInMemory final : public lsp::ClosedFile {
   public:
    FileInMemory(std::string& file, std::deque<SaveResult>& results)
        : file_(file), results_(results), text_(file) {}
    const std::string& text() const override { return text_.text(); }
    void apply(const text::Edit& edit) override { text_.apply(edit); }
    SaveResult save(session::TimePoint) override {
      SaveResult result{Saved::Yes, {}, {}};
      if (!results_.empty()) {
        result = std::move(results_.front());
        results_.pop_front();
      }
      for (const auto& change : result.foreign) text_.apply(std::get<text::Edit>(change));
      if (result.saved == Saved::Yes) file_ = text_.text();
      return result;
    }

   private:
    std::string& file_;
    std::deque<SaveResult>& results_;
    text::TextBuffer text_;
  };

  session::TimePoint clock{std::chrono::hours{1}};
  ScriptedLauncher agents_started;
  JournalInMemory recorded;
  LeasesInMemory leases;
  Files files;
  std::map<std::string, std::string, std::less<>>
      links;  ///< files that are links, and where they lead
  std::set<std::string, std::less<>> missing_folders;  ///< all others are there
  int shown_files = 0;
  boost::system::error_code file_error;
  std::deque<lsp::ClosedFile::SaveResult> save_results;
  std::map<int, std::weak_ptr<Call>> watched;
  std::vector<std::string> problems;
  std::vector<plugins::AgentSpec> more_agents;
  std::string not_installed;  ///< the agent whose program is not there
  std::vector<std::string> logged;
  std::vector<int> exit_codes;
  int uuids = 0;

 private:
  struct Handle final : lsp::Pending {
    explicit Handle(std::shared_ptr<Call> c) : call(std::move(c)) {}
    std::shared_ptr<Call> call;
  };

  std::vector<std::weak_ptr<Call>> calls_;
};

}  // namespace agent_doc::fakes
