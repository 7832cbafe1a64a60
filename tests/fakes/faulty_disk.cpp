// What it is: a slow or failing disk for a whole program (LD_PRELOAD): the calls that bring files
// to the disk take their time, or fail, for files below one folder.
// What it is not: for the inside of one test program (faulty_calls.hpp).
//
//   FAULTY_DISK_BELOW=FOLDER   which files: below this folder (absolute, without links)
//   FAULTY_DISK=CALL=FAULT,…   CALL: create, write, fsync (of files and folders), rename, exchange;
//   FAULT: a number of milliseconds, or an errno's
//                              name (EIO, ENOSPC, EDQUOT)
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_below(std::string_view path) {
  const char* folder = std::getenv("FAULTY_DISK_BELOW");
  return folder != nullptr && path.starts_with(folder);
}

bool is_below(int descriptor) {
  char link[64];
  char path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = ::readlink(link, path, sizeof path);
  return size > 0 && is_below(std::string_view(path, static_cast<std::size_t>(size)));
}

int number_of(std::string_view name) {
  if (name == "EIO") return EIO;
  if (name == "ENOSPC") return ENOSPC;
  return name == "EDQUOT" ? EDQUOT : 0;
}

/// Waits, or gives the errno to fail with.
int fault_of(std::string_view call) {
  const char* faults = std::getenv("FAULTY_DISK");
  std::string_view rest = faults == nullptr ? "" : faults;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(one.size() == rest.size() ? one.size() : one.size() + 1);
    if (!one.starts_with(call) || one.substr(call.size()).substr(0, 1) != "=") continue;
    const std::string_view fault = one.substr(call.size() + 1);
    if (const int error = number_of(fault); error != 0) return error;
    const long milliseconds = std::strtol(fault.data(), nullptr, 10);
    timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
    while (::nanosleep(&time, &time) != 0 && errno == EINTR) continue;
  }
  return 0;
}

/// True when the call has to fail; errno says how.
bool fails(std::string_view call, bool meant) {
  const int error = meant ? fault_of(call) : 0;
  if (error != 0) errno = error;
  return error != 0;
}

}  // namespace

extern "C" {

int mkostemp(char* pattern, int flags) {
  if (fails("create", is_below(pattern))) return -1;
  return next<int (*)(char*, int)>("mkostemp")(pattern, flags);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (fails("write", is_below(descriptor))) return -1;
  return next<ssize_t (*)(int, const void*, size_t)>("write")(descriptor, bytes, size);
}

int fsync(int descriptor) {
  if (fails("fsync", is_below(descriptor))) return -1;
  return next<int (*)(int)>("fsync")(descriptor);
}

int fdatasync(int descriptor) {
  if (fails("fsync", is_below(descriptor))) return -1;
  return next<int (*)(int)>("fdatasync")(descriptor);
}

int rename(const char* from, const char* to) {
  if (fails("rename", is_below(to))) return -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (fails("exchange", is_below(to))) return -1;
  return next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2")(
      from_folder, from, to_folder, to, flags);
}
}
