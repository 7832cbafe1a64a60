"""A screen of a terminal as an SVG."""

import collections
import html
import re
import unicodedata

PALETTE = ["#1b1f27", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf"]
BRIGHT = ["#5c6370", "#ff7b86", "#b5e890", "#ffd68a", "#82c4ff", "#e39af5", "#7fdce6", "#ffffff"]
FOREGROUND = "#d7dce5"
BACKGROUND = "#1b1f27"
CELL_WIDTH = 7.83
LINE_HEIGHT = 17
BASELINE = 13
# The characters of every terminal font: Latin, Greek, Cyrillic, punctuation, lines.
NARROW = r"[\u0000-\u02ff\u0370-\u058f\u2010-\u206f\u2190-\u21ff\u2500-\u25ff]"
OVERLAP = 0.6  # else a seam is seen between two lines of one colour, at most sizes
MARGIN_X, MARGIN_Y = 16, 14


def colour(codes):
    """Returns the colour of `38;…` or `48;…` without its first number, and removes its numbers."""
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
    """Yields the (text, (foreground, background, bold)) pieces of a line. `style` carries over to the
    next line."""
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b["):
            style.apply([int(code or 0) for code in piece[2:-1].split(";")])
        elif piece:
            yield piece, style.look()


def styled_lines(coloured_screen):
    """Returns the lines of a screen from tmux, each a tuple of runs."""
    style = Style()
    return tuple(tuple(runs(line, style)) for line in coloured_screen.rstrip("\n").split("\n"))


def ground(lines):
    """Returns the background of most of the text, which is that of the editor's theme."""
    amount = collections.Counter()
    for line in lines:
        for text, (_, back, _) in line:
            amount[back] += len(text)
    return amount.most_common(1)[0][0] if amount else BACKGROUND


def cells(text):
    """Returns how many columns of a terminal `text` takes."""
    return sum(
        (
            0
            if unicodedata.combining(c) or c in "\u200d\ufe0f"
            else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        )
        for c in text
    )


def pieces(text):
    """Yields (piece, column): narrow text in one piece, and each wide character alone, with its
    combining characters."""
    column = 0
    for piece in re.findall(NARROW + "+|.", text):
        if piece.strip():
            yield piece, column
        column += cells(piece)


def draw_line(line, background, top=0):
    """Draws a line of styled_lines()."""
    out = []
    column = 0
    for text, (fore, back, bold) in line:
        x = MARGIN_X + column * CELL_WIDTH
        length = cells(text) * CELL_WIDTH
        if back not in (BACKGROUND, background):
            out.append(
                f'<rect x="{x:.1f}" y="{top}" width="{length:.1f}" height="{LINE_HEIGHT + OVERLAP}" fill="{back}"/>'
            )
        weight = ' font-weight="bold"' if bold else ""
        for piece, at in pieces(text):
            # A narrow text is as long as its cells, whatever the font; a wide character has a font
            # of its own.
            size = (
                f' textLength="{len(piece) * CELL_WIDTH:.1f}"' if cells(piece) == len(piece) else ""
            )
            out.append(
                f'<text x="{x + at * CELL_WIDTH:.1f}" y="{top + BASELINE}" fill="{fore}"{weight}{size} xml:space="preserve">{html.escape(piece)}</text>'
            )
        column += cells(text)
    return "".join(out)


def head(width, height, title):
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">',
        f"<title>{html.escape(title)}</title>",
    ]


def size_of(columns, rows):
    return 2 * MARGIN_X + round(columns * CELL_WIDTH), 2 * MARGIN_Y + LINE_HEIGHT * rows


def svg(coloured_screen, title):
    lines = styled_lines(coloured_screen)
    background = ground(lines)
    width, height = size_of(110, len(lines))
    out = head(width, height, title)
    out.append(f'<rect width="{width}" height="{height}" rx="8" fill="{background}"/>')
    for row, line in enumerate(lines):
        drawing = draw_line(line, background, MARGIN_Y + row * LINE_HEIGHT)
        if drawing:
            out.append(drawing)
    return "\n".join(out + ["</svg>", ""])
