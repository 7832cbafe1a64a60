#include "editors/cli/rescue.hpp"

#include "server/app/new_file.hpp"
#include "server/file/local_time.hpp"
#include "server/file/user_directories.hpp"

#include <ctime>

namespace agent_doc::cli {

namespace {

/// The maximal number of rescues of one document within one second.
constexpr int kMaxNames = 100;

}  // namespace

boost::system::result<Rescued> rescue(const std::string& document, std::string_view text) {
  const std::string state = file::state_directory();
  if (state.empty())
    return boost::system::errc::make_error_code(boost::system::errc::no_such_file_or_directory);
  const std::string folder = state + "/rescued";
  if (const auto error = file::make_private_directory(folder)) return error;

  const std::string stamp = file::local_time(std::time(nullptr), file::TimeForm::FileName);
  const std::string name = document.substr(document.rfind('/') + 1);
  for (int attempt = 1;; ++attempt) {
    const std::string path =
        folder + "/" + stamp + (attempt == 1 ? "" : "-" + std::to_string(attempt)) + "-" + name;
    Rescued rescued{path, {}};
    const boost::system::error_code error =
        app::create_unconfirmed_file(path, text, rescued.unconfirmed);
    if (!error) return rescued;
    if (error != boost::system::errc::file_exists || attempt == kMaxNames) return error;
  }
}

}  // namespace agent_doc::cli
