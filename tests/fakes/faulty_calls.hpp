// What it is: a disk that is slow, or that fails, as FileCalls: its time passes without anybody
// waiting.
// What it is not: the real thing, which is faulty_disk.cpp (for whole programs).
// Thread rule: one thread.
#pragma once

#include "server/file/file_calls.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::fakes {

enum class DiskCall { Create, Write, SyncFile, SyncFolder, Exchange, Rename };

inline constexpr DiskCall kDiskCalls[] = {DiskCall::Create,   DiskCall::Write,
                                          DiskCall::SyncFile, DiskCall::SyncFolder,
                                          DiskCall::Exchange, DiskCall::Rename};

class FaultyCalls : public file::FileCalls {
 public:
  std::map<DiskCall, std::chrono::milliseconds> delays;
  std::map<DiskCall, int> errors;  ///< errno
  std::vector<DiskCall> made;
  bool can_exchange = true;

  process::FileDescriptor create(std::string& pattern) override {
    if (errno = begin(DiskCall::Create); errno != 0) return process::FileDescriptor();
    return FileCalls::create(pattern);
  }
  ssize_t write(int descriptor, std::string_view bytes) override {
    if (errno = begin(DiskCall::Write); errno != 0) return -1;
    return FileCalls::write(descriptor, bytes);
  }
  int sync(int descriptor) override {
    struct stat status {};
    const bool is_folder = ::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    return begin(is_folder ? DiskCall::SyncFolder
                           : DiskCall::SyncFile);  // the test need not wait for the real one
  }
  int exchange(const std::string& one, const std::string& other) override {
    if (!can_exchange) return ENOSYS;
    const int error = begin(DiskCall::Exchange);
    return error != 0 ? error : FileCalls::exchange(one, other);
  }
  int rename(const std::string& from, const std::string& to) override {
    const int error = begin(DiskCall::Rename);
    return error != 0 ? error : FileCalls::rename(from, to);
  }
  std::chrono::steady_clock::time_point now() const override { return FileCalls::now() + passed_; }

  void let_pass(std::chrono::milliseconds time) { passed_ += time; }

 private:
  int begin(DiskCall call) {
    made.push_back(call);
    if (const auto delay = delays.find(call); delay != delays.end()) passed_ += delay->second;
    const auto error = errors.find(call);
    return error == errors.end() ? 0 : error->second;
  }

  std::chrono::milliseconds passed_{};
};

}  // namespace agent_doc::fakes
