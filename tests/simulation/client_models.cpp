#include "tests/simulation/client_models.hpp"

#include <algorithm>
#include <cassert>

namespace agent_doc::simulation {

namespace client_models_internal {

constexpr Time kNeovimDebounce = 150;
constexpr Time kEglotIdle = 500;

std::vector<ClientModel> make_models() {
  using text::PositionEncoding;
  ClientModel vscode{.name = "vscode"};
  ClientModel vscode_plugin = vscode;
  vscode_plugin.name = "vscode with our plugin";
  vscode_plugin.undo = UndoSteps::JoinedWithTyping;
  vscode_plugin.pace = session::kPaceForOurPlugins;
  vscode_plugin.pace.frame_patience = session::kFramePatience;

  ClientModel neovim{.name = "neovim"};
  neovim.check = VersionCheck::OlderIsStale;
  neovim.stale = StaleAnswer::ClaimsApplied;
  neovim.reports = Reports::Debounced;
  neovim.report_delay = kNeovimDebounce;
  neovim.shape = ChangeShape::ChangedLines;
  neovim.undo = UndoSteps::JoinedWithTyping;
  neovim.versions = Versions::Jump;
  neovim.first_version = FirstVersion::Zero;
  ClientModel neovim_undelayed = neovim;
  neovim_undelayed.name = "neovim without debounce";
  neovim_undelayed.reports = Reports::AtOnce;
  neovim_undelayed.undo = UndoSteps::EachChange;
  ClientModel neovim_plugin = neovim_undelayed;
  neovim_plugin.name = "neovim with our plugin";
  neovim_plugin.check = VersionCheck::Strict;
  neovim_plugin.stale = StaleAnswer::Refused;
  neovim_plugin.pace = session::kPaceForOurPlugins;

  ClientModel eglot{.name = "eglot", .encoding = PositionEncoding::Utf32};
  eglot.stale = StaleAnswer::Failed;
  eglot.reports = Reports::WhenIdle;
  eglot.report_delay = kEglotIdle;
  eglot.undo = UndoSteps::JoinedWithTyping;
  ClientModel helix{.name = "helix", .encoding = PositionEncoding::Utf8};
  helix.first_version = FirstVersion::Zero;

  ClientModel full{.name = "full text"};
  full.shape = ChangeShape::WholeText;
  ClientModel full_debounced = full;
  full_debounced.name = "full text with debounce";
  full_debounced.reports = Reports::Debounced;
  full_debounced.report_delay = 300;

  // coc.nvim, and others that tell after a pause what became of the text as a whole, put an edit
  // where it belongs, and answer before they tell.
  ClientModel merging{.name = "merges changes"};
  merging.reports = Reports::Debounced;
  merging.report_delay = 150;
  merging.shape = ChangeShape::OneRange;
  merging.versions = Versions::CountReports;
  merging.applies = Applies::AtMappedPlace;
  ClientModel merging_slowly = merging;
  merging_slowly.name = "merges changes slowly";
  merging_slowly.report_delay = 300;
  // yegappan/lsp and kakoune-lsp answer before they tell, too.
  ClientModel answers_first{.name = "answers first"};
  answers_first.reports = Reports::Debounced;
  answers_first.report_delay = 20;
  answers_first.versions = Versions::CountReports;
  answers_first.applies = Applies::AtMappedPlace;

  ClientModel makes_late{.name = "makes edits late"};
  makes_late.makes = Makes::AfterItsAnswer;
  ClientModel makes_late_whole = makes_late;  // kakoune-lsp
  makes_late_whole.name = "makes edits late, tells whole texts";
  makes_late_whole.shape = ChangeShape::WholeText;

  ClientModel crlf{.name = "writes crlf"};
  crlf.inserts = Inserts::WithCrLf;
  ClientModel lf = neovim_undelayed;
  lf.name = "writes lf";
  lf.inserts = Inserts::WithLf;

  ClientModel unchecked{.name = "ignores versions"};
  unchecked.check = VersionCheck::None;
  ClientModel silent{.name = "never answers"};
  silent.answers = Answers::Never;
  ClientModel late{.name = "answers late"};
  late.answers = Answers::Late;
  ClientModel read_only{.name = "read-only"};
  read_only.answers = Answers::AlwaysRefuses;

  // lsp-mode of Emacs, both ways: what stands behind a character outside the BMP goes astray, and
  // what is told of it, too.
  ClientModel code_points{.name = "counts code points"};
  code_points.counts = Counts::CodePoints;

  ClientModel file{.name = "file", .encoding = PositionEncoding::Utf8};
  file.reports = Reports::Debounced;
  file.report_delay = 20;
  file.shape = ChangeShape::Diffed;
  file.pace = session::kPaceForOurPlugins;

  return {vscode,         vscode_plugin,
          neovim,         neovim_undelayed,
          neovim_plugin,  eglot,
          helix,          full,
          full_debounced, merging,
          merging_slowly, answers_first,
          makes_late,     makes_late_whole,
          crlf,           lf,
          unchecked,      silent,
          late,           read_only,
          file,           code_points};
}

}  // namespace client_models_internal

const std::vector<ClientModel>& client_models() {
  static const std::vector<ClientModel> kModels = client_models_internal::make_models();
  return kModels;
}

const ClientModel& client_model(std::string_view name) {
  const auto& models = client_models();
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const ClientModel& model) { return name == model.name; });
  assert(found != models.end());
  return *found;
}

}  // namespace agent_doc::simulation
