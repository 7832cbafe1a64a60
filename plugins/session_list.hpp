// What it is: the sessions that an agent lists page by page, gathered within limits and told once;
// and what counts as a session's id and as a time there.
// What it is not: it sends nothing; how an agent is asked is the plugin's (acp_session_list,
// codex_thread_list).
// Thread rule: not thread-safe; one per list_sessions().
#pragma once

#include "plugins/registry.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

inline constexpr std::size_t kMaxListedSessions = 500;
inline constexpr std::size_t kMaxListPages = 20;
/// Of what an agent names the next page by.
inline constexpr std::size_t kMaxListCursor = 4096;
inline constexpr std::size_t kMaxSessionId = 200;
/// As the agent gave it; a display wants less.
inline constexpr std::size_t kMaxSessionTitle = 2000;

/// Whether `id` can stand as `resume` in a front matter and on a command line as it is: letters,
/// digits and `-_.:/+=@~`, no `-` in front.
bool is_usable_session_id(std::string_view id);

/// "2026-11-20T09:32:58.670Z", also with an offset, as milliseconds since 1970; nothing when it is
/// no such time.
std::optional<std::int64_t> milliseconds_of(std::string_view date_time);

class SessionList {
 public:
  /// One that cannot be resumed, or was there before, is left out.
  void add(KeptSession session);
  /// Behind the last session of a page: whether there is a page `cursor` to ask for. Empty: the
  /// agent has no more.
  bool goes_on(std::string_view cursor);
  /// Of that page.
  const std::string& cursor() const { return cursor_; }

  // Each of them is the SessionsListed, when there was none yet.
  void finish(Actions& actions);
  void unsupported(Actions& actions);
  void fail(std::string_view problem, Actions& actions);
  /// The process is gone.
  void ended(const ExitStatus& status, const AgentSpec& spec, Actions& actions);

 private:
  void tell(SessionsListed listed, Actions& actions);

  std::vector<KeptSession> sessions_;
  std::set<std::string, std::less<>> ids_;
  std::size_t pages_ = 0;
  bool page_has_news_ = false;
  bool cut_ = false;
  std::string cursor_;
  bool told_ = false;
};

}  // namespace agent_doc::plugins
