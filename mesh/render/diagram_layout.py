"""Where the cards of a picture lie."""

from collections.abc import Mapping
from dataclasses import dataclass

from mesh.render.svg import Point


@dataclass(frozen=True)
class Layout:
    """The size of a drawing, and the upper left corner of each stack's card in it."""

    width: float
    height: float
    corners: Mapping[str, Point]

    def moved(self, right: float, down: float) -> "Layout":
        """The same with every corner elsewhere."""
        corners = {stack: (x + right, y + down) for stack, (x, y) in self.corners.items()}
        return Layout(self.width, self.height, corners)
