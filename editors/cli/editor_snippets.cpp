#include "editors/cli/editor_snippets.hpp"

namespace agent_doc::cli {

namespace {

constexpr std::string_view kPlaceholder = "@PROGRAM@";

constexpr std::string_view kCoc = R"json({
  "languageserver": {
    "agent-doc": {
      "command": "@PROGRAM@",
      "args": ["serve"],
      "filetypes": ["markdown"]
    }
  }
}
)json";

constexpr std::string_view kEmacs = R"lisp((with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((markdown-mode gfm-mode) . ("@PROGRAM@" "serve"))))

(defun agent-doc-setup ()
  "Let agent-doc write into this buffer, also while you type."
  (setq-local eglot-send-changes-idle-time 0)
  (eglot-ensure))

(add-hook 'markdown-mode-hook #'agent-doc-setup)
(setq eglot-confirm-server-initiated-edits nil)
)lisp";

constexpr std::string_view kHelix = R"toml([language-server.agent-doc]
command = "@PROGRAM@"
args = ["serve"]

[[language]]
name = "markdown"
language-servers = ["agent-doc", "marksman", "markdown-oxide"]
)toml";

// These hooks must come after those of kakoune-lsp, which start marksman for markdown: ours replace
// it.
constexpr std::string_view kKakoune = R"kak(eval %sh{kak-lsp}
hook global BufSetOption filetype=markdown %{
    set-option buffer lsp_servers %{
        [agent-doc]
        command = "@PROGRAM@"
        args = ["serve"]
        root_globs = [".git", ".hg"]
    }
}
hook global WinSetOption filetype=markdown %{ lsp-enable-window }
set-option global modelinefmt "%opt{lsp_modeline} %opt{modelinefmt}"
map global user l ':enter-user-mode lsp<ret>' -docstring 'LSP mode'
map global lsp m ':lsp-show-message-request-next<ret>' -docstring 'answer a question'
)kak";

constexpr std::string_view kKate = R"ini([General]
actionName=externaltool_agent_doc_run
arguments=run "%{Document:FilePath}"
category=Tools
cmdname=agent-doc-run
executable=@PROGRAM@
icon=
input=
mimetypes=text/markdown
name=agent-doc: run this document
output=DisplayInPane
reload=true
save=CurrentDocument
trigger=None
workingDir=%{Document:Path}
)ini";

constexpr std::string_view kLspMode = R"lisp((with-eval-after-load 'lsp-mode
  ;; lsp-mode 8 and 9 drop what the server sends right after an answer that they wait for.
  (advice-add 'lsp--parser-on-message :around
              (lambda (parse &rest arguments) (catch 'lsp-done (apply parse arguments))))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection '("@PROGRAM@" "serve"))
                    :activation-fn (lsp-activate-on "markdown")
                    :server-id 'agent-doc
                    :add-on? t)))

(defun agent-doc-setup ()
  "Start agent-doc for this buffer, without a question about its project."
  (require 'lsp-mode)
  (setq-local lsp-auto-guess-root t)
  (lsp))

(add-hook 'markdown-mode-hook #'agent-doc-setup)
)lisp";

constexpr std::string_view kNeovim = R"lua(vim.api.nvim_create_autocmd("FileType", {
  pattern = "markdown",
  callback = function(event)
    vim.lsp.start({
      name = "agent-doc",
      cmd = { "@PROGRAM@", "serve" },
      root_dir = vim.fs.dirname(vim.api.nvim_buf_get_name(event.buf)),
      flags = { debounce_text_changes = 0 },
    })
  end,
})
)lua";

constexpr std::string_view kSublime = R"json({
  "clients": {
    "agent-doc": {
      "enabled": true,
      "command": ["@PROGRAM@", "serve"],
      "selector": "text.html.markdown"
    }
  }
}
)json";

constexpr std::string_view kVim = R"vim(autocmd User LspSetup call LspAddServer([#{
      \ name: 'agent-doc',
      \ filetype: ['markdown'],
      \ path: "@PROGRAM@",
      \ args: ['serve'],
      \ }])
)vim";

// vim-lsp looks for changes at TextChanged, which comes with a key. A listener also sees the
// server's edits.
constexpr std::string_view kVimLsp = R"vim(let g:lsp_use_event_queue = 0
autocmd User lsp_setup call lsp#register_server({
      \ 'name': 'agent-doc',
      \ 'cmd': {info -> ["@PROGRAM@", 'serve']},
      \ 'allowlist': ['markdown'],
      \ })

function! s:agent_doc_changed(timer) abort
  silent! doautocmd <nomodeline> lsp TextChanged
endfunction
autocmd User lsp_buffer_enabled call listener_add({... -> timer_start(0, function('s:agent_doc_changed'))})
)vim";

constexpr std::string_view kVscode = R"json({
  "agentDoc.server.path": "@PROGRAM@"
}
)json";

constexpr std::string_view kZed = R"json([
  {
    "label": "agent-doc: run this document",
    "command": "@PROGRAM@",
    "args": ["run", "$ZED_FILE"],
    "reveal": "no_focus"
  }
]
)json";

}  // namespace

const std::vector<EditorSnippet>& editor_snippets() {
  static const std::vector<EditorSnippet> kSnippets = {
      {"coc", SnippetLanguage::Json, "For coc-settings.json (:CocConfig in Vim).", kCoc},
      {"emacs", SnippetLanguage::Lisp,
       "For your init file (~/.config/emacs/init.el). It needs markdown-mode; eglot comes with "
       "Emacs 29 and newer.",
       kEmacs},
      {"helix", SnippetLanguage::Toml,
       "For ~/.config/helix/languages.toml. Everything is a code action there: space a.", kHelix},
      {"kakoune", SnippetLanguage::Kakoune,
       "For ~/.config/kak/kakrc. It needs kakoune-lsp (the program kak-lsp). Everything is a code "
       "action there: Space l a.",
       kKakoune},
      {"kate", SnippetLanguage::Ini,
       "For ~/.config/kate/externaltools/agent-doc.ini: Kate lets no language server write, so it "
       "runs agent-doc on the saved file. Kate "
       "reads "
       "that folder when ~/.config/kate-externaltoolspluginrc has firststart=false below [Global]. "
       "Then: Tools > External Tools, or F7 and "
       "agent-doc-run.",
       kKate},
      {"lsp-mode", SnippetLanguage::Lisp,
       "For your init file (~/.config/emacs/init.el), with the packages lsp-mode and "
       "markdown-mode. For eglot: agent-doc config emacs.",
       kLspMode},
      {"neovim", SnippetLanguage::Lua,
       "For ~/.config/nvim/init.lua, where you do not use our plugin (editors/neovim), which does "
       "more.",
       kNeovim},
      {"sublime", SnippetLanguage::Json,
       "For Preferences > Package Settings > LSP > Settings, with the package LSP.", kSublime},
      {"vim", SnippetLanguage::Vim,
       "For ~/.vimrc, with Vim 9 and the plugin yegappan/lsp. For others: agent-doc config coc, "
       "agent-doc config vim-lsp.",
       kVim},
      {"vim-lsp", SnippetLanguage::Vim, "For ~/.vimrc, with the plugin prabirshrestha/vim-lsp.",
       kVimLsp},
      {"vscode", SnippetLanguage::Json,
       "Our extension (editors/vscode) brings its own agent-doc. This, in your settings.json, "
       "makes it use another one.",
       kVscode},
      {"zed", SnippetLanguage::Json,
       "For ~/.config/zed/tasks.json: Zed starts the language servers of extensions only, so it "
       "runs agent-doc on the saved file. Save the "
       "document, then spawn the task.",
       kZed},
  };
  return kSnippets;
}

std::string text_of(const EditorSnippet& snippet, std::string_view program) {
  // All of these languages escape quotation marks and backslashes alike.
  std::string escaped;
  for (const char c : program) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  std::string text(snippet.text);
  const std::size_t at = text.find(kPlaceholder);
  return text.replace(at, kPlaceholder.size(), escaped);
}

}  // namespace agent_doc::cli
