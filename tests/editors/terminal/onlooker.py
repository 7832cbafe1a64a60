"""A person with a clock in front of a terminal: a client of tmux on its own pseudo terminal. A key goes
in as bytes, and the time is taken when its character comes out."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

from .tmux import TimedOut

# These characters occur nowhere else, so one on the screen must come from its key.
CHARACTERS = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ"


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Onlooker:
    def __init__(self, terminal):
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(
                0,
                termios.TIOCSWINSZ,
                struct.pack("HHHH", terminal.rows + 1, terminal.columns, 0, 0),
            )
            os.environ["TERM"] = "xterm-256color"
            os.execvp("tmux", ["tmux", "-u", "-S", terminal.socket, "attach"])
        self._read(1.0)

    def close(self):
        os.close(self.screen)
        os.kill(self.pid, signal.SIGKILL)  # it may wait for somebody who reads what it shows
        os.waitpid(self.pid, 0)

    def type(self, count, seconds_per_key):
        """Types so many characters at the cursor, each when the one before is there and the pace allows
        it. Returns the times in milliseconds, and the text."""
        times, typed = [], ""
        for index in range(count):
            character = CHARACTERS[index % len(CHARACTERS)]
            if index % len(CHARACTERS) == 0:
                os.write(self.screen, b"\r")
                typed += "\n"
                self._read(0.5)
            times.append(self.ms_until(character.encode(), character))
            typed += character
            self._read(seconds_per_key - times[-1] / 1000)
        return times, typed

    def ms_until(self, keys, piece):
        """Returns the time from keys, as bytes, to a text that they cause."""
        self._read(0)
        began = time.perf_counter()
        os.write(self.screen, keys)
        self._wait_for(piece.encode())
        return (time.perf_counter() - began) * 1000

    def _wait_for(self, piece, limit=20.0):
        end = time.monotonic() + limit
        seen = b""
        while piece not in seen:
            if time.monotonic() > end:
                raise TimedOut(f"{piece.decode()!r} is on the screen")
            seen += self._some(0.1)

    def _read(self, seconds):
        """Discards the output during this time."""
        end = time.monotonic() + seconds
        while self._some(max(end - time.monotonic(), 0)) and time.monotonic() < end:
            continue

    def _some(self, seconds):
        ready, _, _ = select.select([self.screen], [], [], seconds)
        return os.read(self.screen, 65536) if ready else b""
