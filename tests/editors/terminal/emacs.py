"""How a person works in Emacs in a terminal, with either LSP client."""

import subprocess

from .editor import Editor
from .tmux import wait_until

# Added to the snippet: nothing but the document on the screen, and no other files.
QUIET = """(setq inhibit-startup-screen t make-backup-files nil auto-save-default nil create-lockfiles nil)
(setq eval-expression-debug-on-error nil)
(menu-bar-mode -1)
"""


class Emacs(Editor):
    """Subclasses define snippet (a name for `agent-doc config`) and keys (from the editor's page)."""

    run_key = b"\x03r"  # C-c r
    snippet = ""
    keys = ""

    def __init__(self, scene, program):
        super().__init__(scene, program)
        snippet = subprocess.run(
            ["agent-doc", "config", self.snippet],
            env=scene.environment(),
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ).stdout
        self.init = scene.write("init.el", QUIET + self.before_snippet() + snippet + self.keys)

    def before_snippet(self):
        return ""

    def command(self, name):
        return [
            self.program,
            "-nw",
            "-Q",
            "-l",
            "markdown-mode",
            "-l",
            self.init,
            self.scene.path(name),
        ]

    def meta(self, command):
        self.terminal.keys("M-x")
        self.terminal.shows("M-x")
        self.terminal.text(command)
        self.terminal.keys("Enter")

    def is_told(self, message):
        """The message of the next edit replaces it in the echo area, but not in the list of messages."""
        wait_until(
            f"the server says {message!r}",
            lambda: self.scene.wire.has("window/showMessage", message),
        )
        wait_until("the minibuffer is left", lambda: "Eval:" not in self.terminal.screen())
        self.is_shown_in_messages(message)

    def is_shown_in_messages(self, message):
        self.terminal.keys("C-h", "e")
        self.terminal.shows(message)
        self.terminal.keys("C-x", "1")

    def stop_by_key(self):
        self.terminal.keys("C-c", "s")

    def go_behind(self, place):
        self.terminal.keys("M-<", "C-M-s")
        self.terminal.text(place.replace("?", "[?]") + "$")
        self.terminal.keys("Enter")

    def go_below(self):
        self.terminal.keys("M->")

    def split_and_show_the_beginning(self):
        self.terminal.keys("C-x", "2", "M-<", "C-x", "o")

    def text_rows(self):
        """Returns the rows without mode lines and the echo area."""
        return [
            row
            for row in self.terminal.screen().split("\n")[: self.terminal.rows - 1]
            if not row.startswith("-UU")
        ]

    def text_below(self, typed):
        return "\n" + typed

    def save(self):
        self.terminal.keys("C-x", "C-s")
        wait_until(
            "the file is saved",
            lambda: self.scene.saved().rstrip("\n") == self.scene.text().rstrip("\n"),
        )

    def quit(self):
        self.terminal.keys("C-x", "C-c")

    def undo(self):
        self.terminal.keys("C-_")

    def redo(self):
        self.terminal.keys("C-M-_")
