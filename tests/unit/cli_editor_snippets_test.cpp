// That they do what they should is tested in Emacs, Helix, Kakoune and Kate (tests/editors), which
// get them from the program.
#include "editors/cli/command_line.hpp"
#include "editors/cli/editor_snippets.hpp"

#include <doctest/doctest.h>
#include <toml++/toml.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <string>
#include <variant>

namespace cli_editor_snippets_test {

namespace cli = agent_doc::cli;
namespace json = boost::json;

constexpr std::string_view kOddProgram = R"(/opt/a "b\c/agent-doc)";

const cli::EditorSnippet& snippet(std::string_view editor) {
  const auto& all = cli::editor_snippets();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.editor == editor; });
  REQUIRE(found != all.end());
  return *found;
}

json::value parsed_json(std::string_view editor, std::string_view program) {
  boost::system::error_code error;
  const json::value value = json::parse(cli::text_of(snippet(editor), program), error);
  REQUIRE_MESSAGE(!error, editor);
  return value;
}

TEST_CASE("every snippet names the program once, ends with a line end, and says where it belongs") {
  for (const auto& one : cli::editor_snippets()) {
    CAPTURE(one.editor);
    const std::string text = cli::text_of(one, "agent-doc-here");
    CHECK(text.find("agent-doc-here") != std::string::npos);
    CHECK(text.find('@') == std::string::npos);
    CHECK(text.back() == '\n');
    CHECK(one.place.ends_with('.'));
  }
  const auto by_name = [](const auto& a, const auto& b) { return a.editor < b.editor; };
  CHECK(std::is_sorted(cli::editor_snippets().begin(), cli::editor_snippets().end(), by_name));
}

TEST_CASE(
    "helix: TOML that starts the program for markdown, beside the servers that Helix has for it "
    "itself") {
  const toml::table table = toml::parse(cli::text_of(snippet("helix"), kOddProgram));
  CHECK(table["language-server"]["agent-doc"]["command"].value<std::string>() ==
        std::string(kOddProgram));
  CHECK(table["language-server"]["agent-doc"]["args"][0].value<std::string>() == "serve");
  CHECK(table["language"][0]["name"].value<std::string>() == "markdown");
  CHECK(table["language"][0]["language-servers"][0].value<std::string>() == "agent-doc");
}

TEST_CASE("coc, sublime, vscode, zed: JSON with the program in it") {
  CHECK(
      json::serialize(parsed_json("coc", "agent-doc")) ==
      R"({"languageserver":{"agent-doc":{"command":"agent-doc","args":["serve"],"filetypes":["markdown"]}}})");
  CHECK(
      json::serialize(parsed_json("sublime", "agent-doc")) ==
      R"({"clients":{"agent-doc":{"enabled":true,"command":["agent-doc","serve"],"selector":"text.html.markdown"}}})");
  CHECK(parsed_json("vscode", kOddProgram).at("agentDoc.server.path").as_string() == kOddProgram);
  CHECK(json::serialize(parsed_json("zed", "agent-doc").at(0).at("args")) ==
        R"(["run","$ZED_FILE"])");
  CHECK(parsed_json("zed", kOddProgram).at(0).at("command").as_string() == kOddProgram);
}

TEST_CASE("emacs and neovim: whole") {
  CHECK(cli::text_of(snippet("emacs"), "agent-doc") == R"((with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((markdown-mode gfm-mode) . ("agent-doc" "serve"))))

(defun agent-doc-setup ()
  "Let agent-doc write into this buffer, also while you type."
  (setq-local eglot-send-changes-idle-time 0)
  (eglot-ensure))

(add-hook 'markdown-mode-hook #'agent-doc-setup)
(setq eglot-confirm-server-initiated-edits nil)
)");
  CHECK(cli::text_of(snippet("neovim"), "agent-doc") == R"(vim.api.nvim_create_autocmd("FileType", {
  pattern = "markdown",
  callback = function(event)
    vim.lsp.start({
      name = "agent-doc",
      cmd = { "agent-doc", "serve" },
      root_dir = vim.fs.dirname(vim.api.nvim_buf_get_name(event.buf)),
      flags = { debounce_text_changes = 0 },
    })
  end,
})
)");
}

TEST_CASE("kate: an External Tool that runs the saved document") {
  CHECK(cli::text_of(snippet("kate"), "/opt/agent-doc") == R"([General]
actionName=externaltool_agent_doc_run
arguments=run "%{Document:FilePath}"
category=Tools
cmdname=agent-doc-run
executable=/opt/agent-doc
icon=
input=
mimetypes=text/markdown
name=agent-doc: run this document
output=DisplayInPane
reload=true
save=CurrentDocument
trigger=None
workingDir=%{Document:Path}
)");
}

TEST_CASE("kakoune: TOML for kakoune-lsp, inside of a hook") {
  const std::string text = cli::text_of(snippet("kakoune"), "agent-doc");
  const std::size_t begin = text.find("        [agent-doc]");
  const toml::table table = toml::parse(text.substr(begin, text.find("    }", begin) - begin));
  CHECK(table["agent-doc"]["command"].value<std::string>() == "agent-doc");
  CHECK(table["agent-doc"]["args"][0].value<std::string>() == "serve");
}

TEST_CASE("lsp-mode, vim and vim-lsp: whole") {
  CHECK(cli::text_of(snippet("lsp-mode"), "agent-doc") == R"((with-eval-after-load 'lsp-mode
  ;; lsp-mode 8 and 9 drop what the server sends right after an answer that they wait for.
  (advice-add 'lsp--parser-on-message :around
              (lambda (parse &rest arguments) (catch 'lsp-done (apply parse arguments))))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection '("agent-doc" "serve"))
                    :activation-fn (lsp-activate-on "markdown")
                    :server-id 'agent-doc
                    :add-on? t)))

(defun agent-doc-setup ()
  "Start agent-doc for this buffer, without a question about its project."
  (require 'lsp-mode)
  (setq-local lsp-auto-guess-root t)
  (lsp))

(add-hook 'markdown-mode-hook #'agent-doc-setup)
)");
  CHECK(cli::text_of(snippet("vim"), kOddProgram) == R"(autocmd User LspSetup call LspAddServer([#{
      \ name: 'agent-doc',
      \ filetype: ['markdown'],
      \ path: "/opt/a \"b\\c/agent-doc",
      \ args: ['serve'],
      \ }])
)");
  CHECK(cli::text_of(snippet("vim-lsp"), "agent-doc") == R"(let g:lsp_use_event_queue = 0
autocmd User lsp_setup call lsp#register_server({
      \ 'name': 'agent-doc',
      \ 'cmd': {info -> ["agent-doc", 'serve']},
      \ 'allowlist': ['markdown'],
      \ })

function! s:agent_doc_changed(timer) abort
  silent! doautocmd <nomodeline> lsp TextChanged
endfunction
autocmd User lsp_buffer_enabled call listener_add({... -> timer_start(0, function('s:agent_doc_changed'))})
)");
}

TEST_CASE("the command line knows all of them, and no other") {
  const auto parsed = [](const char* editor) {
    const char* arguments[] = {"agent-doc", "config", editor};
    return cli::parse_command_line(3, arguments);
  };
  for (const auto& one : cli::editor_snippets()) {
    const std::string editor(one.editor);
    CHECK(std::get<cli::ConfigOptions>(parsed(editor.c_str())).editor == editor);
  }
  const auto wrong = std::get<cli::TextOptions>(parsed("ed"));
  CHECK(wrong.code == cli::kUsage);
  CHECK(wrong.text.find(
            "EDITOR: ed not in "
            "{coc,emacs,helix,kakoune,kate,lsp-mode,neovim,sublime,vim,vim-lsp,vscode,zed}") !=
        std::string::npos);
}

}  // namespace cli_editor_snippets_test
