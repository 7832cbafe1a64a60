"""A separate terminal for one program: keys go in, the screen comes out."""

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import time


class TimedOut(Exception):
    pass


def wait_until(what, condition, limit=20.0):
    """Polls a condition for at most `limit` seconds; returns its value."""
    end = time.monotonic() + limit
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise TimedOut(what)
        time.sleep(0.02)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Terminal:
    def __init__(self, folder, command, environment, columns=110, rows=36):
        self.columns, self.rows = columns, rows
        self.socket = tempfile.mktemp(
            prefix="tmux.", dir=folder
        )  # the server of an earlier terminal may still be there
        line = " ".join(
            ["exec", "env"]
            + [shlex.quote(f"{k}={v}") for k, v in environment.items()]
            + [shlex.quote(word) for word in command]
        )
        self._tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            str(columns),
            "-y",
            str(rows),
            "-c",
            folder,
            line,
        )
        self._tmux("set", "-g", "escape-time", "0")

    def _tmux(self, *arguments):
        # The path of a socket must be short, so it is given from its folder.
        return subprocess.run(
            ["tmux", "-S", self.socket, *arguments], check=True, capture_output=True, text=True
        ).stdout

    def keys(self, *names):
        """Sends keys by their tmux names: Enter, Escape, C-x, M-x, or a text that is not a name."""
        self._tmux("send-keys", *names)

    def text(self, text):
        self._tmux("send-keys", "-l", "--", text)

    def type(self, text, seconds_per_key):
        """Types as a person does: key by key, at a pace."""
        due = time.monotonic()
        for key in text:
            self.text(key)
            due += seconds_per_key
            time.sleep(max(0.0, due - time.monotonic()))

    def screen(self):
        return self._tmux("capture-pane", "-p")

    def coloured_screen(self):
        return self._tmux("capture-pane", "-e", "-N", "-p")

    def cursor(self):
        """Returns the cursor's column and row, from 0."""
        column, row = self._tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()
        return int(column), int(row)

    def title(self):
        return self._tmux("display-message", "-p", "#{pane_title}").strip()

    def pipe_to(self, file):
        """Copies the program's output to `file`; None ends this."""
        self._tmux("pipe-pane", *([] if file is None else [f"exec cat > {shlex.quote(file)}"]))

    def shows(self, piece, limit=20.0):
        try:
            wait_until(f"the screen shows {piece!r}", lambda: piece in self.screen(), limit)
        except TimedOut as error:
            raise TimedOut(f"{error}; it shows:\n{self.screen()}") from None

    def close(self):
        """Also ends a program that survives its terminal: an Emacs may run for ever, at full speed."""
        listed = subprocess.run(
            ["tmux", "-S", self.socket, "list-panes", "-a", "-F", "#{pane_pid}"],
            capture_output=True,
            check=False,
            text=True,
        ).stdout
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)
        for pid in map(int, listed.split()):
            try:
                wait_until("the program has ended", lambda: not is_running(pid), limit=2.0)
            except TimedOut:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
