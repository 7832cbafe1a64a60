#include "server/process/launch_error.hpp"

#include <string>

namespace agent_doc::process {

namespace {

namespace errc = boost::system::errc;

// Boost's base class has a protected destructor on purpose, which g++ 12 mistakes for an accessible
// one.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): clang-tidy does, too.
class Category final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "agent-doc.launch"; }

  std::string message(int value) const override {
    switch (static_cast<LaunchError>(value)) {
      case LaunchError::CommandNotFound:
        return "the command was not found";
      case LaunchError::CommandNotExecutable:
        return "the command is not an executable file; check the path and its permissions";
      case LaunchError::InterpreterMissing:
        return "the command is a script or program whose interpreter does not exist; look at its "
               "first line";
      case LaunchError::FolderMissing:
        return "the working folder does not exist";
      case LaunchError::FolderNotAFolder:
        return "the working folder is not a folder";
      case LaunchError::FolderForbidden:
        return "there is no permission to enter the working folder";
      case LaunchError::TooLong:
        return "the command line and the environment are longer than the system allows; shorten "
               "the arguments of the agent";
      case LaunchError::NulByte:
        return "the command, an argument or an environment variable contains a NUL byte or a wrong "
               "name";
    }
    return "unknown launch error";
  }

  boost::system::error_condition default_error_condition(int value) const noexcept override {
    return errc::make_error_condition(condition(static_cast<LaunchError>(value)));
  }

 private:
  static errc::errc_t condition(LaunchError error) noexcept {
    switch (error) {
      case LaunchError::CommandNotFound:
      case LaunchError::InterpreterMissing:
      case LaunchError::FolderMissing:
        return errc::no_such_file_or_directory;
      case LaunchError::CommandNotExecutable:
      case LaunchError::FolderForbidden:
        return errc::permission_denied;
      case LaunchError::FolderNotAFolder:
        return errc::not_a_directory;
      case LaunchError::TooLong:
        return errc::argument_list_too_long;
      case LaunchError::NulByte:
        break;
    }
    return errc::invalid_argument;
  }
};
#pragma GCC diagnostic pop

}  // namespace

boost::system::error_code make_error_code(LaunchError error) {
  static const Category category;
  return {static_cast<int>(error), category};
}

bool is_about_folder(const boost::system::error_code& error) {
  return error == make_error_code(LaunchError::FolderMissing) ||
         error == make_error_code(LaunchError::FolderNotAFolder) ||
         error == make_error_code(LaunchError::FolderForbidden);
}

}  // namespace agent_doc::process
