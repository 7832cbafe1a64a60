#include "editors/cli/watch_plan.hpp"

#include <algorithm>

namespace agent_doc::cli {

void WatchPlan::saved(const std::string& path, Time now) {
  File& file = files_[path];
  file.looks_again = 0;
  if (file.runs) {
    file.saved_while_running = true;
    return;
  }
  if (!file.due) file.first_save = now;
  file.due = std::min<Time>(now + kSettling, file.first_save + kLongestSettling);
}

bool WatchPlan::look_again(const std::string& path, Time now) {
  File& file = files_[path];
  if (file.looks_again == kMaxLooksAgain) {
    forget_idle(path, now);
    return false;
  }
  ++file.looks_again;
  file.first_save = now;
  file.due = now + kLookAgainAfter;
  return true;
}

std::optional<WatchPlan::Time> WatchPlan::next_look() const {
  if (running_ >= jobs_) return std::nullopt;
  std::optional<Time> next;
  for (const auto& [path, file] : files_) {
    if (file.due && (!next || *file.due < *next)) next = file.due;
  }
  return next;
}

std::optional<std::string> WatchPlan::take_due(Time now) {
  if (running_ >= jobs_) return std::nullopt;
  auto earliest = files_.end();
  for (auto one = files_.begin(); one != files_.end(); ++one) {
    if (!one->second.due || *one->second.due > now) continue;
    if (earliest == files_.end() || *one->second.due < *earliest->second.due) earliest = one;
  }
  if (earliest == files_.end()) return std::nullopt;
  std::string path = earliest->first;
  earliest->second.due.reset();
  forget_idle(path, now);
  return path;
}

WatchPlan::Verdict WatchPlan::may_run(const std::string& path, Time now) {
  while (!began_.empty() && began_.front() + kRunsWindow <= now) began_.pop_front();
  if (began_.size() >= kMaxRunsOfAll) return Verdict::TooManyOfAll;
  const auto found = files_.find(path);
  if (found == files_.end()) return Verdict::Run;
  File& file = found->second;
  while (!file.began.empty() && file.began.front() + kRunsWindow <= now) file.began.pop_front();
  if (file.began.size() >= kMaxRunsInWindow) return Verdict::TooManyRuns;
  const bool follows = file.ended && now < *file.ended + kChainGap;
  return follows && file.chain >= kMaxChain ? Verdict::LongChain : Verdict::Run;
}

void WatchPlan::began(const std::string& path, Time now) {
  File& file = files_[path];
  const bool follows = file.ended && now < *file.ended + kChainGap;
  file.chain = follows ? file.chain + 1 : 1;
  file.began.push_back(now);
  if (file.began.size() > kMaxRunsInWindow) file.began.pop_front();
  began_.push_back(now);
  if (began_.size() > kMaxRunsOfAll) began_.pop_front();
  file.runs = true;
  file.saved_while_running = false;
  file.due.reset();
  ++running_;
}

void WatchPlan::ended(const std::string& path, Time now) {
  File& file = files_[path];
  if (!file.runs) return;
  file.runs = false;
  file.ended = now;
  --running_;
  if (!file.saved_while_running) return;
  file.first_save = now;
  file.due = now;
}

/// A folder may have any number of files, and most of them are never run.
void WatchPlan::forget_idle(const std::string& path, Time now) {
  const auto found = files_.find(path);
  if (found == files_.end()) return;
  const File& file = found->second;
  const bool is_known = file.runs || file.due || file.looks_again > 0 ||
                        (!file.began.empty() && now < file.began.back() + kRunsWindow);
  if (!is_known) files_.erase(found);
}

}  // namespace agent_doc::cli
