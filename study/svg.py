"""Charts as inline SVG: axes with titles, lines, marks, a legend and a text alternative. Colours
come from the page's style sheet (classes c0 to c4), so that light, dark and print each have their
own; dashes and shapes tell the series apart without colour."""

import math
from html import escape

WIDTH, LEFT, RIGHT, TOP = 420, 58, 20, 10
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4")


def text(x, y, what, anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(what)}</text>'


def short(value):
    return f"{value:.6g}".replace("-", "\N{MINUS SIGN}")


class Axis:
    """From data to positions. Logarithmic ticks are powers of ten and, over few decades, their
    doubles and fives."""

    def __init__(self, low, high, start, end, log=False):
        self.log, self.start, self.end = log, start, end
        self.low, self.high = (math.log10(low), math.log10(high)) if log else (low, high)
        if self.high == self.low:
            self.high = self.low + 1

    def at(self, value):
        v = math.log10(value) if self.log else value
        return self.start + (v - self.low) / (self.high - self.low) * (self.end - self.start)

    def inside(self, value):
        v = (math.log10(value) if value > 0 else -math.inf) if self.log else value
        return min(self.low, self.high) - 1e-9 <= v <= max(self.low, self.high) + 1e-9

    def ticks(self):
        if self.log:
            factors = (1, 2, 5) if self.high - self.low < 2.5 else (1,)
            all_ticks = [f * 10.0**k for k in range(math.floor(self.low), math.ceil(self.high) + 1)
                         for f in factors]
            return [t for t in all_ticks if self.inside(t)]
        rough = (self.high - self.low) / 5
        power = 10 ** math.floor(math.log10(rough))
        step = next(f * power for f in (1, 2, 2.5, 5, 10) if f * power >= rough * 0.999)
        return [round(k * step, 10) for k in range(math.ceil(self.low / step - 1e-9),
                                                   math.floor(self.high / step + 1e-9) + 1)]


class Plot:
    """One panel. `names` of rows instead of numbers make the vertical axis one of rows."""

    def __init__(self, title, description, x, y, x_title, y_title, height=290, x_log=False,
                 y_log=False, names=None, left=LEFT, legend_lines=1):
        self.title, self.description, self.height = title, description, height
        bottom = height - 44 - 16 * legend_lines
        self.x = Axis(*x, left, WIDTH - RIGHT, x_log)
        self.y = Axis(*y, bottom, TOP, y_log)
        self.shapes, self.legend, self.legend_at = [], [], (left, height - 16 * legend_lines + 8)
        self.axes(bottom, left, x_title, y_title, names)

    def axes(self, bottom, left, x_title, y_title, names):
        out = self.shapes
        for tick in self.x.ticks():
            at = self.x.at(tick)
            out.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{bottom}"/>')
            out.append(text(at, bottom + 14, short(tick), "middle"))
        if names:
            for row, name in enumerate(names):
                at = self.y.at(row)
                out.append(
                    f'<line class="grid" x1="{left}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" '
                    f'y2="{at:.1f}"/>')
                out.append(text(left - 6, at + 4, name, "end"))
        else:
            for tick in self.y.ticks():
                at = self.y.at(tick)
                out.append(
                    f'<line class="grid" x1="{left}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" '
                    f'y2="{at:.1f}"/>')
                out.append(text(left - 5, at + 4, short(tick), "end"))
        out.append(f'<path class="axis" d="M{left} {TOP}V{bottom}H{WIDTH - RIGHT}"/>')
        out.append(text((left + WIDTH - RIGHT) / 2, bottom + 30, x_title, "middle",
                        ' class="name"'))
        if y_title:
            middle = (TOP + bottom) / 2
            out.append(text(12, middle, y_title, "middle",
                            f' class="name" transform="rotate(-90 12 {middle:.1f})"'))

    def line(self, points, colour, name=None, dash=None):
        """A path through the points; what lies outside the axes is cut off."""
        dash = DASHES[colour % len(DASHES)] if dash is None else dash
        d, pen = [], "M"
        for x, y in points:
            if not (self.x.inside(x) and self.y.inside(y)):
                pen = "M"
                continue
            d.append(f"{pen}{self.x.at(x):.1f} {self.y.at(y):.1f}")
            pen = "L"
        style = f' stroke-dasharray="{dash}"' if dash else ""
        self.shapes.append(f'<path class="line c{colour}" d="{"".join(d)}"{style}/>')
        if name:
            self.legend.append((name, f'<path class="line c{colour}" d="M{{x}} {{y}}h22"{style}/>',
                                26))

    def mark(self, x, y, shape, colour):
        if self.x.inside(x) and self.y.inside(y):
            self.shapes.append(self.glyph(self.x.at(x), self.y.at(y), shape, colour))

    def bar(self, low, high, y, colour):
        """A horizontal interval."""
        low, high = (min(max(v, self.x.low), self.x.high) for v in (low, high))
        at = self.y.at(y)
        self.shapes.append(
            f'<path class="line c{colour}" d="M{self.x.at(low):.1f} '
            f'{at:.1f}H{self.x.at(high):.1f}"/>')

    def key(self, name, shape, colour):
        self.legend.append((name, self.glyph_template(shape, colour), 14))

    @staticmethod
    def glyph(x, y, shape, colour):
        return Plot.glyph_template(shape, colour).format(x=f"{x:.1f}", y=f"{y:.1f}")

    @staticmethod
    def glyph_template(shape, colour):
        forms = {
            "dot": f'<circle class="fill c{colour}" cx="{{x}}" cy="{{y}}" r="4"/>',
            "small": f'<circle class="open c{colour}" cx="{{x}}" cy="{{y}}" r="2.6"/>',
            "diamond": f'<path class="open c{colour}" d="M{{x}} {{y}}m0 -5l5 5l-5 5l-5 -5z"/>',
            "tick": f'<path class="thick c{colour}" d="M{{x}} {{y}}m0 -6v12"/>',
        }
        return forms[shape]

    def svg(self, identity):
        shapes = list(self.shapes)
        x, y = self.legend_at
        start = x
        for name, glyph, room in self.legend:
            width = room + 6.9 * len(name) + 12
            if x + width > WIDTH and x > start:
                x, y = start, y + 16
            shapes.append(glyph.format(x=f"{x + (0 if room > 20 else 5):.1f}", y=f"{y - 4:.1f}"))
            shapes.append(text(x + room, y, name))
            x += width
        return (
            f'<svg role="img" viewBox="0 0 {WIDTH} {self.height}" aria-labelledby="{identity}-t '
            f'{identity}-d">'
            f'<title id="{identity}-t">{escape(self.title)}</title><desc '
            f'id="{identity}-d">{escape(self.description)}</desc>{"".join(shapes)}</svg>'
        )
