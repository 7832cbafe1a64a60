// What it is: a point in time as the person's clock shows it, for names of files and for lists.
// What it is not: what is stored (that is UTC).
// Thread rule: a function without state; reads the time zone.
#pragma once

#include <ctime>
#include <string>

namespace agent_doc::file {

enum class TimeForm {
  FileName,  ///< "20261121-140509"
  List,      ///< "2026-11-21 14:05"
};

std::string local_time(std::time_t time, TimeForm form);

}  // namespace agent_doc::file
