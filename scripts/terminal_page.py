"""Runs a command on a terminal of its own and makes a page of two of its screens: one from the middle
of the run, as soon as it shows what --middle looks for, and the last one. Prints how wide and high the
page is. It knows only as much of terminals as the display of AgentV uses."""

import argparse
import fcntl
import html
import os
import pty
import re
import select
import shlex
import struct
import sys
import termios
import time

CHARACTER_WIDTH, LINE_HEIGHT, FONT_SIZE = 7.826, 19, 13
COLORS = {31: "#ff7b72", 32: "#56d364", 33: "#e3b341", 34: "#79c0ff", 36: "#76e3ea"}
SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Screen:
    """Rows of (character, style); a style is a colour, whether it is bold, and whether it is dim."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = [[]]
        self.row = self.column = 0
        self.style = (None, False, False)
        self.rest = ""

    def feed(self, text):
        text, self.rest = self.rest + text, ""
        place = 0
        while place < len(text):
            if text[place] == "\x1b":
                found = SEQUENCE.match(text, place)
                if not found:
                    self.rest = text[place:]
                    return
                self.obey(found[2], found[1])
                place = found.end()
                continue
            self.put(text[place])
            place += 1

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row == len(self.lines):
                self.lines.append([])
        else:
            if self.column == self.columns:
                self.put("\r")
                self.put("\n")
            line = self.lines[self.row]
            line.extend([(" ", self.style)] * (self.column + 1 - len(line)))
            line[self.column] = (character, self.style)
            self.column += 1

    def obey(self, command, arguments):
        numbers = [int(number or 0) for number in arguments.lstrip("?").split(";")]
        if command == "A":
            self.row = max(self.row - max(numbers[0], 1), 0)
        elif command == "K":
            del self.lines[self.row][self.column :]
        elif command == "J":
            del self.lines[self.row][self.column :]
            del self.lines[self.row + 1 :]
        elif command == "m":
            for number in numbers:
                color, bold, dim = self.style
                if number == 0:
                    self.style = (None, False, False)
                elif number == 1:
                    self.style = (color, True, dim)
                elif number == 2:
                    self.style = (color, bold, True)
                elif number in COLORS:
                    self.style = (COLORS[number], bold, dim)

    def text(self):
        return "\n".join("".join(character for character, _ in line) for line in self.lines)

    def page(self):
        """Everything that was not taken back, as HTML lines: also what the window scrolled away."""
        lines = list(self.lines)
        while lines and not lines[-1]:
            lines.pop()
        return [self.line(line) for line in lines]

    def line(self, line):
        out, style, run = "", None, ""
        for character, its in line + [("", None)]:
            if its != style:
                out += self.span(run, style)
                style, run = its, ""
            run += character
        return out

    @staticmethod
    def span(text, style):
        if not text or not style:
            return html.escape(text)
        color, bold, dim = style
        css = (f"color:{color};" if color else "") + ("font-weight:bold;" if bold else "")
        css += "opacity:.6;" if dim else ""
        if not css:
            return html.escape(text)
        return f'<span style="{css}">{html.escape(text)}</span>'


def run(command, rows, columns, middle):
    """The screen from the middle, and that of the end."""
    child, terminal = pty.fork()
    if child == 0:
        for name in ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "CI"):
            os.environ.pop(name, None)
        os.environ["TERM"] = "xterm-256color"
        # The window has its size before the command looks at it.
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execvp(command[0], command)
    screen, taken, decoded = Screen(rows, columns), None, b""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            piece = b""
        if not piece:
            os.waitpid(child, 0)
            return taken, screen.page()
        decoded += piece
        text = decoded.decode("utf-8", "ignore")
        decoded = decoded[len(text.encode()) :]
        screen.feed(text)
        if taken is None and re.search(middle, screen.text()):
            taken = screen.page()
    os.kill(child, 15)
    raise SystemExit("the command did not end within two minutes")


PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 20px; background: #30363d; width: {width}px; }}
.window {{ background: #0d1117; border-radius: 8px; overflow: hidden; margin-bottom: 16px;
  border: 1px solid #484f58; }}
.bar {{ background: #21262d; height: 26px; display: flex; align-items: center; gap: 7px;
  padding-left: 12px; font: 12px "DejaVu Sans", sans-serif; color: #8b949e; }}
.bar i {{ width: 11px; height: 11px; border-radius: 50%; }}
pre {{ margin: 0; padding: 12px 14px; color: #e6edf3; overflow: hidden;
  font: {size}px/{line}px "DejaVu Sans Mono", monospace; font-variant-ligatures: none; }}
pre b {{ color: #79c0ff; font-weight: normal; }}
</style>{windows}"""
WINDOW = (
    '<div class="window"><div class="bar"><i style="background:#ff5f57"></i>'
    '<i style="background:#febc2e"></i><i style="background:#28c840"></i>&nbsp;{title}</div>'
    "<pre><b>$</b> {command}\n{screen}</pre></div>"
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", required=True, help="the file to write")
    parser.add_argument("--columns", type=int, default=90)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--middle", required=True, help="a pattern that the middle of the run shows")
    parser.add_argument("command", nargs="+")
    asked = parser.parse_args()
    middle, end = run(asked.command, asked.rows, asked.columns, asked.middle)
    if middle is None:
        raise SystemExit(f"no screen shows {asked.middle}: {end}")
    command = html.escape(shlex.join(asked.command))
    screens = [("while it runs", middle), ("at the end", end)]
    windows = "".join(
        WINDOW.format(title=title, command=command, screen="\n".join(lines))
        for title, lines in screens
    )
    width = round(asked.columns * CHARACTER_WIDTH) + 2 * 14 + 2
    with open(asked.page, "w", encoding="utf-8") as page:
        page.write(PAGE.format(width=width, size=FONT_SIZE, line=LINE_HEIGHT, windows=windows))
    # Each window has its bar, a line for the command, space around its text, and a border.
    heights = [26 + (len(lines) + 1) * LINE_HEIGHT + 2 * 12 + 2 for _, lines in screens]
    print(width + 2 * 20, sum(heights) + 16 + 2 * 20)


if __name__ == "__main__":
    sys.exit(main())
