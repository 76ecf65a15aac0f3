"""The few shapes our pictures are made of, and how wide a text will be."""

from dataclasses import dataclass
from xml.etree import ElementTree

Point = tuple[float, float]

INK = "#1f2937"
QUIET = "#64748b"
ACCENT = "#2563eb"
PAPER = "#f8fafc"
CARD = "#ffffff"
EDGE = "#cbd5e1"
BANNER = "#1e3a5f"
PLANNED = "#7488a3"
DASHES = "7 5"
ROUND = 8.0
"""Radius of a box's corners."""

_FAMILIES = {
    "sans": "Inter, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif",
    "mono": "'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
}
_WIDTHS = {"sans": 0.56, "mono": 0.602}
_BOLD = 1.12
_HEAD = 11.0
"""Length of an arrow's head."""


@dataclass(frozen=True)
class Font:
    """How a text looks; `anchor` is which end of it stands at its place."""

    size: float = 13
    family: str = "sans"
    colour: str = INK
    bold: bool = False
    anchor: str = "start"

    def width(self, text: str) -> float:
        """About how wide a text is, rather too much than too little."""
        return len(text) * self.size * _WIDTHS[self.family] * (_BOLD if self.bold else 1)

    def shortened(self, text: str, width: float) -> str:
        """The text, its end cut off where it would be wider than `width`."""
        most = max(1, int(width / self.width("m")))
        return text if len(text) <= most else f"{text[: most - 1]}…"


def picture(width: float, height: float, title: str) -> ElementTree.Element:
    """An empty picture on paper of its own, so that it looks the same in a dark viewer."""
    size = {"width": _number(width), "height": _number(height)}
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {_number(width)} {_number(height)}",
            "role": "img",
            **size,
        },
    )
    ElementTree.SubElement(root, "title").text = title
    ElementTree.SubElement(root, "rect", {**size, "fill": PAPER})
    return root


def group(parent: ElementTree.Element, kind: str, **names: str) -> ElementTree.Element:
    """A group of shapes, with what it stands for."""
    data = {f"data-{key}": value for key, value in names.items()}
    return ElementTree.SubElement(parent, "g", {"class": kind, **data})


def box(
    parent: ElementTree.Element, corner: Point, width: float, height: float, **look: str
) -> None:
    """A rectangle with round corners; `look` are attributes, `_` for `-`."""
    place = {"x": corner[0], "y": corner[1], "width": width, "height": height, "rx": ROUND}
    attributes = {key: _number(value) for key, value in place.items()}
    attributes |= {key.replace("_", "-"): value for key, value in look.items()}
    ElementTree.SubElement(parent, "rect", attributes)


def dot(
    parent: ElementTree.Element, centre: Point, radius: float, colour: str, *, dashed: bool = False
) -> None:
    """A disc, or a dashed circle."""
    place = {"cx": centre[0], "cy": centre[1], "r": radius}
    attributes = {key: _number(value) for key, value in place.items()}
    attributes |= {"fill": "none" if dashed else colour, "stroke": colour, "stroke-width": "1.5"}
    if dashed:
        attributes["stroke-dasharray"] = "3 2"
    ElementTree.SubElement(parent, "circle", attributes)


def write(
    parent: ElementTree.Element, place: Point, text: str, font: Font, *, upwards: bool = False
) -> None:
    """One line of text; `place` is on its base line, which may run upwards."""
    attributes = {
        "x": _number(place[0]),
        "y": _number(place[1]),
        "font-family": _FAMILIES[font.family],
        "font-size": _number(font.size),
        "fill": font.colour,
    }
    if font.bold:
        attributes["font-weight"] = "bold"
    if font.anchor != "start":
        attributes["text-anchor"] = font.anchor
    if upwards:
        attributes["transform"] = f"rotate(-90 {attributes['x']} {attributes['y']})"
    ElementTree.SubElement(parent, "text", attributes).text = text


def arrow(
    parent: ElementTree.Element,
    start: Point,
    end: Point,
    *,
    colour: str,
    dashed: bool,
    both: bool,
) -> None:
    """A straight line with a head at its end, and with `both` one at its start too."""
    tips = [(start, end)] + ([(end, start)] if both else [])
    # The line ends inside the heads, not at their tips, which would be blunt.
    first, last = (_towards(start, end, _HEAD - 2) if both else start), _towards(end, start, 9)
    line = {"x1": first[0], "y1": first[1], "x2": last[0], "y2": last[1]}
    attributes = {key: _number(value) for key, value in line.items()}
    attributes |= {"stroke": colour, "stroke-width": "2"}
    if dashed:
        attributes["stroke-dasharray"] = DASHES
    ElementTree.SubElement(parent, "line", attributes)
    for away, tip in tips:
        points = " ".join(f"{_number(x)},{_number(y)}" for x, y in _head(away, tip))
        ElementTree.SubElement(parent, "polygon", {"points": points, "fill": colour})


def text_of(root: ElementTree.Element) -> str:
    """The picture as a file holds it."""
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _head(away: Point, tip: Point) -> tuple[Point, Point, Point]:
    base = _towards(tip, away, _HEAD)
    across = (base[1] - tip[1]) * 0.45, (tip[0] - base[0]) * 0.45
    left = base[0] + across[0], base[1] + across[1]
    right = base[0] - across[0], base[1] - across[1]
    return tip, left, right


def _towards(start: Point, end: Point, distance: float) -> Point:
    wide, high = end[0] - start[0], end[1] - start[1]
    share = distance / ((wide**2 + high**2) ** 0.5 or 1)
    return start[0] + wide * share, start[1] + high * share


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
