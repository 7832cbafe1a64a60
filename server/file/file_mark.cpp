#include "server/file/file_mark.hpp"

#include <ctime>

#include <sys/stat.h>

namespace agent_doc::file {

namespace {

std::chrono::nanoseconds since_epoch(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool look_at(const process::FileDescriptor& file, struct stat& status) {
  return file.is_open() && ::fstat(file.get(), &status) == 0;
}

}  // namespace

FileMark FileMark::of(const process::FileDescriptor& file) {
  FileMark mark;
  struct stat status {};
  timespec now{};
  if (!look_at(file, status) || ::clock_gettime(CLOCK_REALTIME, &now) != 0) return mark;
  mark.size_ = status.st_size;
  mark.modified_ = since_epoch(status.st_mtim);
  mark.settled_ = mark.modified_ + kFileClockTick < since_epoch(now);
  return mark;
}

bool is_same_file(const process::FileDescriptor& one, const process::FileDescriptor& other) {
  struct stat first {};
  struct stat second {};
  return look_at(one, first) && look_at(other, second) && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace agent_doc::file
