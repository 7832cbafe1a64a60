// What it is: the real binary with the benchmark's agent, in folders of its own.
// What it is not: a test.
// Thread rule: one thread.
#pragma once

#include "tests/fakes/lsp_client.hpp"

#include <boost/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace agent_doc::bench {

class RealServer {
 public:
  RealServer(int deltas, int interval_ms) : folder_(make_folder()) {
    std::filesystem::create_directories(folder_ / "config/agent-doc");
    std::ofstream(folder_ / "config/agent-doc/config.toml")
        << "default_agent = \"bench\"\n[agents.bench]\ndialect = \"claude\"\ncommand = \""
        << BENCH_AGENT << "\"\nargs = [\"" << deltas << "\", \"" << interval_ms << "\"]\n";
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
    fakes::ProgramOptions options;
    options.program = AGENT_DOC_BINARY;
    options.arguments = {"serve"};
    client = std::make_unique<fakes::LspClient>(options, fakes::Traffic::Unchecked);
  }
  ~RealServer() {
    client.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string uri() const { return "file://" + (folder_ / "doc.md").string(); }

  std::unique_ptr<fakes::LspClient> client;

 private:
  static std::filesystem::path make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "agent-doc-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    return name;
  }

  std::filesystem::path folder_;
};

}  // namespace agent_doc::bench
