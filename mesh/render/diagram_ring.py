"""Up to six clusters on a ring, joined by arrows."""

from collections.abc import Sequence
from math import cos, radians, sin
from xml.etree import ElementTree

from mesh.render.connections import Connection, what_crosses
from mesh.render.diagram_card import HEIGHT, WIDTH
from mesh.render.diagram_layout import Layout
from mesh.render.svg import ACCENT, QUIET, Font, Point, arrow, group, write
from mesh.settings import MeshSettings

_RINGS = {
    1: (90, 0, 0),
    2: (180, 338, 0),
    3: (210, 350, 240),
    4: (225, 400, 280),
    5: (270, 500, 330),
    6: (240, 560, 390),
}
"""By the number of clusters: degrees of the first one, and the ring's half width and height."""

_APART = 8.0
"""Room between a card and an arrow's end."""
_CROSSING = Font(13, colour=QUIET, anchor="middle")
_BETWEEN = 56.0
"""Height of one arrow with its words, where there are only two clusters."""


def layout(stacks: Sequence[str]) -> Layout:
    """The stacks clockwise on a ring that is large enough for them."""
    first, wide, high = _RINGS[len(stacks)]
    angles = [radians(first + 360 * place / len(stacks)) for place in range(len(stacks))]
    centres = [(wide * cos(angle), high * sin(angle)) for angle in angles]
    left = min(x for x, _ in centres)
    top = min(y for _, y in centres)
    corners = {stack: (x - left, y - top) for stack, (x, y) in zip(stacks, centres, strict=True)}
    width = max(x for x, _ in corners.values()) + WIDTH
    height = max(y for _, y in corners.values()) + HEIGHT
    return Layout(width, height, corners)


def draw(
    root: ElementTree.Element, cards: Layout, lines: Sequence[Connection], mesh: MeshSettings
) -> None:
    """The arrows between the cards; between two cards with what each of them carries."""
    for line in lines:
        drawn = group(root, "connection", **{"from": line.one, "to": line.other})
        if len(cards.corners) == 2:
            _draw_words(drawn, cards, line, mesh)
            continue
        start, end = _middle(cards.corners[line.one]), _middle(cards.corners[line.other])
        _draw(drawn, line, _border(start, end), _border(end, start))


def _draw_words(
    drawn: ElementTree.Element, cards: Layout, line: Connection, mesh: MeshSettings
) -> None:
    words = what_crosses(mesh, line)
    first, second = sorted(_middle(corner) for corner in cards.corners.values())
    ends = first[0] + WIDTH / 2 + _APART, second[0] - WIDTH / 2 - _APART
    if cards.corners[line.one] > cards.corners[line.other]:
        ends = ends[1], ends[0]
    for place, text in enumerate(words):
        height = first[1] + (place - (len(words) - 1) / 2) * _BETWEEN + 8
        write(drawn, (sum(ends) / 2, height - 12), text, _CROSSING)
        _draw(drawn, line, (ends[0], height), (ends[1], height))


def _draw(drawn: ElementTree.Element, line: Connection, start: Point, end: Point) -> None:
    if not line.out:
        start, end = end, start
    colour = ACCENT if line.dns else QUIET
    arrow(drawn, start, end, colour=colour, dashed=line.dashed, both=line.out and line.back)


def _middle(corner: Point) -> Point:
    return corner[0] + WIDTH / 2, corner[1] + HEIGHT / 2


def _border(centre: Point, towards: Point) -> Point:
    """Where the line from a card's centre leaves the card, and a little further."""
    wide, high = towards[0] - centre[0], towards[1] - centre[1]
    sides = (abs(wide) / (WIDTH / 2 + _APART), abs(high) / (HEIGHT / 2 + _APART))
    return centre[0] + wide / max(sides), centre[1] + high / max(sides)
