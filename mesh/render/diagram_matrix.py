"""Many clusters: their cards in rows, and beside them a table of who dials whom."""

from collections.abc import Iterable, Sequence
from math import ceil, sqrt
from xml.etree import ElementTree

from mesh.render.connections import Connection
from mesh.render.diagram_card import BANNER_HEIGHT, HEIGHT, MARGIN, NAME, WIDTH, banner
from mesh.render.diagram_layout import Layout
from mesh.render.svg import (
    ACCENT,
    BANNER,
    CARD,
    EDGE,
    INK,
    QUIET,
    Font,
    Point,
    box,
    dot,
    group,
    write,
)

_GAP, _CELL = 24.0, 26.0
_LONGEST_NAME = 160.0
_ROW_NAME = Font(13, colour=INK, anchor="end")
_COLUMN_NAME = Font(13, colour=INK)


def layout(stacks: Sequence[str]) -> Layout:
    """Rows of cards, rather more rows than columns, and room for the table at their right."""
    columns = ceil(sqrt(len(stacks) * 0.75))
    rows = ceil(len(stacks) / columns)
    corners = {
        stack: ((WIDTH + _GAP) * (place % columns), (HEIGHT + _GAP) * (place // columns))
        for place, stack in enumerate(stacks)
    }
    table = _names(stacks) + _CELL * len(stacks) + MARGIN
    width = (WIDTH + _GAP) * columns + table
    height = max((HEIGHT + _GAP) * rows - _GAP, BANNER_HEIGHT + table)
    return Layout(width, height, corners)


def draw(root: ElementTree.Element, cards: Layout, lines: Iterable[Connection]) -> None:
    """The table: a row for each stack that dials, a column for each that is dialled."""
    stacks = [*cards.corners]
    left = max(x for x, _ in cards.corners.values()) + WIDTH + _GAP
    top = min(y for _, y in cards.corners.values())
    names, size = _names(stacks), _CELL * len(stacks)
    corner = left + names, top + BANNER_HEIGHT + names
    drawn = group(root, "matrix")
    wide = names + size + MARGIN
    box(drawn, (left, top), wide, BANNER_HEIGHT + wide, fill=CARD, stroke=EDGE, stroke_width="1.5")
    banner(drawn, (left, top), wide, BANNER)
    write(drawn, (left + MARGIN, top + 29), "Row dials column", NAME)
    for place, stack in enumerate(stacks):
        _draw_names(drawn, corner, place, stack)
        dot(drawn, _cell(corner, place, place), 2, EDGE)
    for line in lines:
        one, other = stacks.index(line.one), stacks.index(line.other)
        pair = group(drawn, "connection", **{"from": line.one, "to": line.other})
        for dials, row, column in ((line.out, one, other), (line.back, other, one)):
            if dials:
                colour = ACCENT if line.dns else QUIET
                dot(pair, _cell(corner, row, column), 7, colour, dashed=line.dashed)


def _draw_names(drawn: ElementTree.Element, corner: Point, place: int, stack: str) -> None:
    left, top = corner
    name = _ROW_NAME.shortened(stack, _LONGEST_NAME)
    middle = _CELL * (place + 0.5) + 4.5
    write(drawn, (left - 8, top + middle), name, _ROW_NAME)
    write(drawn, (left + middle, top - 8), name, _COLUMN_NAME, upwards=True)


def _names(stacks: Iterable[str]) -> float:
    """Room for the longest name, before the rows and above the columns."""
    longest = max(_ROW_NAME.width(stack) for stack in stacks)
    return MARGIN + min(longest, _LONGEST_NAME) + 8


def _cell(corner: Point, row: int, column: int) -> Point:
    return corner[0] + _CELL * (column + 0.5), corner[1] + _CELL * (row + 0.5)
