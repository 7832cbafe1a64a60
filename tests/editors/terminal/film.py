"""Films a terminal as an animated SVG. The program's output is recorded screen by screen, as the
program drew it, and played again later, as slowly as this machine needs. The film does not depend
on how often the recorder could look.
"""

import os
import re
import threading
import time

from .picture import (
    CELL_WIDTH,
    LINE_HEIGHT,
    MARGIN_X,
    MARGIN_Y,
    draw_line,
    ground,
    head,
    size_of,
    styled_lines,
)
from .tmux import Terminal, wait_until

SECONDS_OF_LAST_SCREEN = 3.0
# A busy machine delays screens. In the film, only requested pauses are long enough to notice, and
# each screen is shown long enough to see.
LONGEST_GAP, SHORTEST_GAP = 0.12, 0.09
# Neovim shows its cursor again when a screen is complete.
END_OF_SCREEN = re.compile(rb"(?<=\x1b\[\?25h)")


class Recording:
    """Records the output of the program in `terminal`, with the seconds since the beginning."""

    def __init__(self, terminal, folder):
        self.terminal = terminal
        self.pieces = []  # (seconds of the film, bytes)
        self.pauses = 0.0
        self.last_at = self.began = time.monotonic()
        self.fifo = os.path.join(folder, "recorded")
        os.mkfifo(self.fifo)
        self.lock = threading.Lock()
        self.film_seconds = 0.0
        self.thread = threading.Thread(target=self._read)
        self.thread.start()
        terminal.pipe_to(self.fifo)

    def _read(self):
        with open(self.fifo, "rb", buffering=0) as recorded:
            while piece := recorded.read(65536):
                with self.lock:
                    now = time.monotonic()
                    self.film_seconds += min(now - self.last_at, LONGEST_GAP) + self.pauses
                    self.pauses, self.last_at = 0.0, now
                    self.pieces.append((self.film_seconds, piece))

    def pause(self, seconds):
        """Adds a pause of so many seconds to the film."""
        with self.lock:
            self.pauses += seconds

    def seconds_at_rest(self):
        with self.lock:
            return time.monotonic() - self.last_at

    def stop(self):
        self.terminal.pipe_to(None)
        self.thread.join()

    def screens(self):
        """Returns (seconds, bytes up to the end of a screen); joins screens that follow too fast."""
        found = []
        at, text = 0.0, b""
        for seconds, piece in self.pieces:
            for part in filter(None, END_OF_SCREEN.split(piece)):
                text += part
                if not text.endswith(b"\x1b[?25h"):
                    continue
                if found and seconds - at < SHORTEST_GAP:
                    found[-1] = (found[-1][0], found[-1][1] + text)
                else:
                    at = seconds
                    found.append((at, text))
                text = b""
        return found


def played(recording, folder, columns, rows):
    """Plays the recorded bytes in a terminal of the same size. Returns (seconds, lines, (column, row)
    of the cursor) for every screen."""
    fifo = os.path.join(folder, "played")
    os.mkfifo(fifo)
    terminal = Terminal(
        folder,
        ["sh", "-c", f"stty raw -echo; exec cat {fifo}"],
        {"TERM": "tmux-256color", "LANG": "C.UTF-8"},
        columns,
        rows,
    )
    screens = []
    try:
        with open(fifo, "wb", buffering=0) as out:
            for number, (seconds, text) in enumerate(recording.screens()):
                out.write(text + b"\x1b]2;screen %d\x07" % number)
                wait_until(
                    f"screen {number}", lambda title=f"screen {number}": terminal.title() == title
                )
                screen = (styled_lines(terminal.coloured_screen()), terminal.cursor())
                if not screens or screens[-1][1:] != screen:
                    screens.append((seconds, *screen))
    finally:
        terminal.close()
    return screens


def keyframes(screens, height):
    """One step per screen: the strip of all screens moves up by one screen's height."""
    whole = screens[-1][0] - screens[0][0] + SECONDS_OF_LAST_SCREEN
    steps = []
    for number, (at, _, _) in enumerate(screens):
        percent = 100 * (at - screens[0][0]) / whole
        steps.append(f"{percent:.2f}%{{transform:translateY({-number * height}px)}}")
    return whole, "".join(steps)


def svg(screens, title, columns, rows):
    """Returns the SVG. A line that several screens show is drawn once. Readers that prefer no motion
    see the last screen."""
    background = ground(screens[-1][1])
    width, height = size_of(columns, rows)
    names, drawings, strip = {}, [], []
    for number, (_, lines, (column, row)) in enumerate(screens):
        top = number * height + MARGIN_Y
        for index, line in enumerate(lines[:rows]):
            if line not in names:
                drawing = draw_line(line, background)
                names[line] = f"l{len(names)}" if drawing else None
                if drawing:
                    drawings.append(f'<g id="{names[line]}">{drawing}</g>')
            if names[line]:
                strip.append(f'<use href="#{names[line]}" y="{top + index * LINE_HEIGHT}"/>')
        strip.append(
            f'<rect x="{MARGIN_X + column * CELL_WIDTH:.1f}" y="{top + row * LINE_HEIGHT}" width="2" height="{LINE_HEIGHT}" fill="#ffffff"/>'
        )
    seconds, steps = keyframes(screens, height)
    return "\n".join(
        [
            *head(width, height, title),
            f"<style>@keyframes film{{{steps}}}"
            f".film{{animation:film {seconds:.2f}s steps(1,end) infinite}}"
            "@media (prefers-reduced-motion:reduce){.film{animation:none;"
            f"transform:translateY({-(len(screens) - 1) * height}px)}}}}</style>",
            f'<defs><clipPath id="screen"><rect width="{width}" height="{height}"/></clipPath>',
            *drawings,
            "</defs>",
            f'<rect width="{width}" height="{height}" rx="8" fill="{background}"/>',
            '<g clip-path="url(#screen)"><g class="film">',
            *strip,
            "</g></g></svg>",
            "",
        ]
    )
