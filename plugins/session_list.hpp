// Collects the sessions that an agent lists page by page, within limits, and emits them once; also
// checks session ids and parses times. acp_session_list and codex_thread_list send the requests.
// Use one for each list_sessions().
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
/// Limit for the agent's name of the next page.
inline constexpr std::size_t kMaxListCursor = 4096;
inline constexpr std::size_t kMaxSessionId = 200;
/// Limit for stored titles; displays shorten them further.
inline constexpr std::size_t kMaxSessionTitle = 2000;

/// Returns true when `id` can be used unquoted as `resume` in front matter and on a command line:
/// letters, digits and `-_.:/+=@~`, with no `-` in front.
bool is_usable_session_id(std::string_view id);

/// Returns "2026-11-20T09:32:58.670Z", also with an offset, as milliseconds since 1970; nullopt
/// when it is malformed.
std::optional<std::int64_t> milliseconds_of(std::string_view date_time);

class SessionList {
 public:
  /// Adds a session, unless its id is not usable or already listed.
  void add(KeptSession session);
  /// Ends a page. `cursor` names the next one; empty when there is none. Returns true when the next
  /// page should be requested.
  bool goes_on(std::string_view cursor);
  /// Returns the cursor of the next page.
  const std::string& cursor() const { return cursor_; }

  // finish(), unsupported() and fail() emit the SessionsListed, unless one was emitted already.
  void finish(Actions& actions);
  void unsupported(Actions& actions);
  void fail(std::string_view problem, Actions& actions);
  /// Handles the end of the process.
  void ended(const ExitStatus& status, const AgentSpec& spec, Actions& actions);

 private:
  void emit(SessionsListed listed, Actions& actions);

  std::vector<KeptSession> sessions_;
  std::set<std::string, std::less<>> ids_;
  std::size_t pages_ = 0;
  bool page_has_news_ = false;
  bool cut_ = false;
  std::string cursor_;
  bool emitted_ = false;
};

}  // namespace agent_doc::plugins
