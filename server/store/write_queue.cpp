#include "server/store/write_queue.hpp"

#include <utility>

namespace agent_doc::store {

namespace {

std::size_t weight_of(const Entry& entry) {
  constexpr std::size_t kEntry = 200;
  if (const auto* edit = std::get_if<EditReply>(&entry.what)) return kEntry + edit->text.size();
  if (const auto* piece = std::get_if<AddPiece>(&entry.what)) return kEntry + piece->text.size();
  if (const auto* begin = std::get_if<BeginTurn>(&entry.what))
    return kEntry + begin->turn.prompt.size() + (begin->turn.sent ? begin->turn.sent->size() : 0);
  if (const auto* count = std::get_if<CountAsSeen>(&entry.what))
    return kEntry + count->text->size();
  return kEntry;
}

void wait_for_more(std::condition_variable& came, std::unique_lock<std::mutex>& lock,
                   std::chrono::milliseconds at_most, const std::function<bool()>& enough) {
  came.wait_for(lock, at_most, enough);
}

}  // namespace

WriteQueue::WriteQueue(WaitForMore wait) : wait_(wait ? std::move(wait) : wait_for_more) {}

bool WriteQueue::goes_on(const Entry& last, const Entry& next) {
  const auto* before = std::get_if<EditReply>(&last.what);
  const auto* edit = std::get_if<EditReply>(&next.what);
  return before != nullptr && edit != nullptr && last.turn == next.turn &&
         before->at + before->text.size() == edit->at;
}

bool WriteQueue::push(Entry entry, Urgency urgency, std::size_t limit) {
  const std::size_t weight = weight_of(entry);
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (bytes_ + weight > limit) return false;
    bytes_ += weight;
    wake = entries_.empty() || (urgency == Urgency::Now && !urgent_);
    urgent_ = urgent_ || urgency == Urgency::Now;
    const auto last = last_of_turn_.try_emplace(entry.turn, entries_.size()).first;
    if (last->second < entries_.size() && goes_on(entries_[last->second], entry)) {
      std::get<EditReply>(entries_[last->second].what).text += std::get<EditReply>(entry.what).text;
    } else {
      last->second = entries_.size();
      entries_.push_back(std::move(entry));
    }
  }
  if (wake) came_.notify_one();
  return true;
}

std::vector<Entry> WriteQueue::take(std::chrono::milliseconds interval) {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [this] { return !entries_.empty() || closed_; });
  wait_(came_, lock, interval, [this] { return urgent_ || closed_; });
  at_work_ = !entries_.empty();
  urgent_ = false;
  bytes_ = 0;
  last_of_turn_.clear();
  return std::exchange(entries_, {});
}

void WriteQueue::drain() {
  std::unique_lock lock(mutex_);
  urgent_ = true;
  came_.notify_one();
  written_.wait(lock, [this] { return entries_.empty() && !at_work_; });
  urgent_ = false;
}

void WriteQueue::done() {
  {
    const std::lock_guard lock(mutex_);
    at_work_ = false;
  }
  written_.notify_all();
}

void WriteQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  came_.notify_one();
}

}  // namespace agent_doc::store
