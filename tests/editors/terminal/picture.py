"""A screen of a terminal as an SVG."""

import collections
import html
import re

PALETTE = ["#1b1f27", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf"]
BRIGHT = ["#5c6370", "#ff7b86", "#b5e890", "#ffd68a", "#82c4ff", "#e39af5", "#7fdce6", "#ffffff"]
FOREGROUND = "#d7dce5"
BACKGROUND = "#1b1f27"
CELL_WIDTH = 7.83
LINE_HEIGHT = 17


def colour(codes):
    """The colour of `38;…` or `48;…`, whose first number is gone; takes what belongs to it."""
    kind = codes.pop(0)
    if kind == 2:
        return "#%02x%02x%02x" % (codes.pop(0), codes.pop(0), codes.pop(0))
    number = codes.pop(0)
    if number < 16:
        return (PALETTE + BRIGHT)[number]
    if number < 232:
        steps = [0, 95, 135, 175, 215, 255]
        number -= 16
        return "#%02x%02x%02x" % (steps[number // 36], steps[number // 6 % 6], steps[number % 6])
    grey = 8 + 10 * (number - 232)
    return "#%02x%02x%02x" % (grey, grey, grey)


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.fore, self.back, self.bold, self.reverse = FOREGROUND, BACKGROUND, False, False

    def apply(self, codes):
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code == 1:
                self.bold = True
            elif code == 22:
                self.bold = False
            elif code == 7:
                self.reverse = True
            elif code == 27:
                self.reverse = False
            elif 30 <= code <= 37:
                self.fore = PALETTE[code - 30]
            elif 90 <= code <= 97:
                self.fore = BRIGHT[code - 90]
            elif 40 <= code <= 47:
                self.back = PALETTE[code - 40]
            elif 100 <= code <= 107:
                self.back = BRIGHT[code - 100]
            elif code == 38:
                self.fore = colour(codes)
            elif code == 48:
                self.back = colour(codes)
            elif code == 39:
                self.fore = FOREGROUND
            elif code == 49:
                self.back = BACKGROUND

    def look(self):
        fore, back = (self.back, self.fore) if self.reverse else (self.fore, self.back)
        return fore, back, self.bold


def runs(line, style):
    """(text, (foreground, background, bold)) pieces of one line."""
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b["):
            style.apply([int(code or 0) for code in piece[2:-1].split(";")])
        elif piece:
            yield piece, style.look()


def ground(lines):
    """The background that most of the text has: that of the editor's theme."""
    amount = collections.Counter()
    style = Style()
    for line in lines:
        for text, (_, back, _) in runs(line, style):
            amount[back] += len(text)
    return amount.most_common(1)[0][0] if amount else BACKGROUND


def svg(coloured_screen, title):
    lines = coloured_screen.rstrip("\n").split("\n")
    background = ground(lines)
    width = 2 * 16 + round(110 * CELL_WIDTH)
    height = 2 * 14 + LINE_HEIGHT * len(lines)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
        'font-size="13">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{background}"/>',
    ]
    style = Style()
    for row, line in enumerate(lines):
        column = 0
        for text, (fore, back, bold) in runs(line, style):
            x = 16 + column * CELL_WIDTH
            y = 14 + row * LINE_HEIGHT
            length = len(text) * CELL_WIDTH
            if back not in (BACKGROUND, background):
                out.append(f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{LINE_HEIGHT}" fill="{back}"/>')
            if text.strip():
                weight = ' font-weight="bold"' if bold else ""
                out.append(
                    f'<text x="{x:.1f}" y="{y + 13}" fill="{fore}"{weight} textLength="{length:.1f}" xml:space="preserve">{html.escape(text)}</text>'
                )
            column += len(text)
    return "\n".join(out + ["</svg>", ""])
