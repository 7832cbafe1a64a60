"""What a terminal shows over a time, as an SVG that moves: each screen as it was, at the time when it was."""

import html
import threading
import time

from .picture import BACKGROUND, CELL_WIDTH, LINE_HEIGHT, Style, ground, runs

MARGIN_X, MARGIN_Y = 16, 14
SECONDS_OF_LAST_SCREEN = 3.0


class Film:
    """Looks at a terminal from its own thread until it is stopped."""

    def __init__(self, terminal, seconds_between=0.04):
        self.terminal = terminal
        self.seconds_between = seconds_between
        self.screens = []  # (seconds since the beginning, coloured lines, (column, row) of the cursor)
        self.stopped = threading.Event()
        self.began = time.monotonic()
        self.thread = threading.Thread(target=self._look)
        self.thread.start()

    def _look(self):
        while not self.stopped.wait(self.seconds_between):
            at = time.monotonic() - self.began
            lines = tuple(self.terminal.coloured_screen().rstrip("\n").split("\n"))
            screen = (lines, self.terminal.cursor())
            if not self.screens or self.screens[-1][1:] != screen:
                self.screens.append((at, *screen))

    def seconds_at_rest(self):
        return time.monotonic() - self.began - self.screens[-1][0] if self.screens else 0.0

    def stop(self):
        self.stopped.set()
        self.thread.join()
        return self.screens


def draw_line(line, background):
    out = []
    column = 0
    for text, (fore, back, bold) in runs(line, Style()):
        x = MARGIN_X + column * CELL_WIDTH
        length = len(text) * CELL_WIDTH
        if back not in (BACKGROUND, background):
            out.append(f'<rect x="{x:.1f}" width="{length:.1f}" height="{LINE_HEIGHT}" fill="{back}"/>')
        if text.strip():
            weight = ' font-weight="bold"' if bold else ""
            out.append(
                f'<text x="{x:.1f}" y="13" fill="{fore}"{weight} textLength="{length:.1f}" '
                f'xml:space="preserve">{html.escape(text)}</text>'
            )
        column += len(text)
    return "".join(out)


def keyframes(screens, height):
    """One step per screen: the strip of all screens moves up by one screen's height."""
    whole = screens[-1][0] - screens[0][0] + SECONDS_OF_LAST_SCREEN
    steps = []
    for number, (at, _, _) in enumerate(screens):
        percent = 100 * (at - screens[0][0]) / whole
        steps.append(f"{percent:.3f}%{{transform:translateY({-number * height}px)}}")
    return whole, "".join(steps)


def svg(screens, title, columns, rows):
    """A line that several screens show is drawn once. Readers that want no motion see the last screen."""
    background = ground(screens[-1][1])
    width = 2 * MARGIN_X + round(columns * CELL_WIDTH)
    height = 2 * MARGIN_Y + LINE_HEIGHT * rows
    names, drawings, strip = {}, [], []
    for number, (_, lines, (column, row)) in enumerate(screens):
        top = number * height
        for index, line in enumerate(lines[:rows]):
            if line not in names:
                drawing = draw_line(line, background)
                names[line] = f"l{len(names)}" if drawing else None
                if drawing:
                    drawings.append(f'<g id="{names[line]}">{drawing}</g>')
            if names[line]:
                strip.append(f'<use href="#{names[line]}" y="{top + MARGIN_Y + index * LINE_HEIGHT}"/>')
        strip.append(
            f'<rect x="{MARGIN_X + column * CELL_WIDTH:.1f}" y="{top + MARGIN_Y + row * LINE_HEIGHT}" '
            f'width="2" height="{LINE_HEIGHT}" fill="#ffffff"/>'
        )
    seconds, steps = keyframes(screens, height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">',
            f"<title>{html.escape(title)}</title>",
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
