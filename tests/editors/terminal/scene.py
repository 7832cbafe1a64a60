"""One document in one editor, with its own home and configuration; the server runs under the
recorder."""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

from .tmux import TimedOut, wait_until
from .wire import Wire

WORDS_PER_LINE = 12


def counted_reply(deltas):
    """Returns the text of replay_agent --deltas, without the last line end."""
    return "".join(
        f"w{i}" + ("\n" if i % WORDS_PER_LINE == WORDS_PER_LINE - 1 else " ") for i in range(deltas)
    ).rstrip("\n")


class Scene:
    def __init__(self, binary, text, config, name="doc.md"):
        self.folder = tempfile.mkdtemp(prefix="ad-")
        self.log = os.path.join(self.folder, "messages")
        self.name = name
        for part in ("config/agent-doc", "state", "cache", "bin", "work"):
            os.makedirs(os.path.join(self.folder, part))
        self.write("config/agent-doc/config.toml", config)
        self.write("work/" + name, text)
        recorder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorder.py")
        program = f'#!/bin/sh\n[ "$1" = serve ] || exec {binary} "$@"\nexec {sys.executable} {recorder} {self.log} {binary} "$@"\n'
        os.chmod(self.write("bin/agent-doc", program), 0o755)
        self.wire = Wire(self.log)

    def environment(self):
        folder = self.folder
        return {
            "HOME": folder,
            "PATH": f"{folder}/bin:/usr/bin:/bin",
            "XDG_CONFIG_HOME": f"{folder}/config",
            "XDG_STATE_HOME": f"{folder}/state",
            "XDG_CACHE_HOME": f"{folder}/cache",
            "LANG": "C.UTF-8",
            "TERM": "tmux-256color",
            "COLORTERM": "truecolor",
            "AGENT_DOC_TOUR_PACE": os.environ.get("AGENT_DOC_TOUR_PACE", "3"),
        }

    def path(self, name=None):
        return os.path.join(self.folder, "work", name or self.name)

    def configuration(self, client):
        """Returns what `agent-doc config` prints for an editor."""
        return subprocess.run(
            ["agent-doc", "config", client],
            env=self.environment(),
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ).stdout

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def saved(self, name=None):
        """Returns the file; empty while an editor is replacing it by renaming."""
        try:
            with open(self.path(name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def text(self):
        return self.wire.text(self.name) or ""

    def session_id(self):
        found = re.search(r"^resume: (.*)$", self.text(), re.M)
        return found.group(1) if found else ""

    def wait_for_text(self, piece, limit=20.0):
        wait_until(f"the document has {piece!r}", lambda: piece in self.text(), limit)

    def wait_for_turns(self, count, limit=60.0):
        """Waits until so many turns are over and every edit is answered."""
        wait_until(
            f"{count} turns are over",
            lambda: self.wire.count("window/logMessage", ": turn ") >= count,
            limit,
        )

    def wait_until_written(self, seconds=0.7):
        """Waits until the server has nothing more to write: no edit is under way, and none comes."""
        began = [time.monotonic(), -1]

        def is_quiet():
            edits = self.wire.read().edits
            if edits != began[1] or self.wire.waits_for_answer():
                began[:] = [time.monotonic(), edits]
            return time.monotonic() - began[0] > seconds

        wait_until("every edit is decided", is_quiet)

    def must_become(self, expected, limit=20.0):
        """Waits until the server's document is exactly `expected`: a text, or a function that makes it
        when the session id is known."""
        make = expected if callable(expected) else lambda: expected
        try:
            wait_until(
                "the document is as it should be",
                lambda: self.text() == make() and not self.wire.waits_for_answer(),
                limit,
            )
        except TimedOut:
            raise AssertionError(
                "the document is not as it should be:\n" + difference(make(), self.text())
            ) from None

    def must_be_saved(self, expected):
        if self.saved() != expected:
            raise AssertionError(
                "the saved file is not as it should be:\n" + difference(expected, self.saved())
            )

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def difference(expected, found):
    lines = difflib.unified_diff(
        expected.splitlines(), found.splitlines(), "expected", "found", lineterm="", n=1
    )
    return "\n".join(list(lines)[:40])


def new_id():
    return str(uuid.uuid4())
