// Points in time in the user's time zone, for file names and lists. Stored times are UTC.
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
