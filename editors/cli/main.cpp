#include "editors/cli/command_line.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/tour_main.hpp"
#include "server/process/guard.hpp"

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace {

struct Dispatch {
  int operator()(const RunOptions& options) const { return run(options); }
  int operator()(const AskOptions& options) const { return ask(options); }
  int operator()(const NewOptions& options) const { return make_new(options); }
  int operator()(const ForkOptions& options) const { return fork_document(options); }
  int operator()(const DiffOptions& options) const { return show_changes(options); }
  int operator()(const PatchOptions& options) const { return patch(options); }
  int operator()(const ConvertOptions& options) const { return convert(options); }
  int operator()(const StatusOptions& options) const { return show_status(options); }
  int operator()(const LogOptions& options) const { return show_log(options); }
  int operator()(const RecoverOptions& options) const { return recover(options); }
  int operator()(const UndoOptions& options) const { return undo(options); }
  int operator()(const OutlineOptions& options) const { return show_outline(options); }
  int operator()(const CompactOptions& options) const { return compact(options); }
  int operator()(const WatchOptions& options) const { return watch(options); }
  int operator()(const AgentsOptions& options) const { return list_agents(options); }
  int operator()(const SessionsOptions& options) const { return list_sessions(options); }
  int operator()(const DoctorOptions& options) const { return examine(options); }
  int operator()(const ServeOptions& options) const { return serve(options); }
  int operator()(const ConfigOptions& options) const { return print_config(options); }
  int operator()(const CompletionsOptions& options) const { return print_completions(options); }
  int operator()(const CompleteOptions& options) const { return complete(options); }
  int operator()(const OverviewOptions& options) const { return show_overview(options); }
  int operator()(const TextOptions& options) const {
    write_all(options.code == kDone ? STDOUT_FILENO : STDERR_FILENO, options.text);
    return options.code;
  }
};

}  // namespace

}  // namespace agent_doc::cli

int main(int argc, char** argv) {
  namespace app = agent_doc::app;
  namespace cli = agent_doc::cli;
  namespace process = agent_doc::process;
  if (!cli::open_closed_standard_streams()) return cli::kTurnFailed;
  // Programs that the server starts, and completions for a shell. They do not read a person's
  // command line.
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "tour-agent") return app::run_tour_agent(argc - 1, argv + 1);
  if (command == "guard") return process::run_guard(STDIN_FILENO, argv);

  if (command == "complete")
    return cli::complete({std::vector<std::string>(argv + std::min(argc, 2), argv + argc)});

  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of the write, like a full disk
  return std::visit(cli::Dispatch{}, cli::parse_command_line(argc, argv));
}
