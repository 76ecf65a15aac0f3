"""The topology as one picture (SVG): every cluster, and who dials whom."""

from collections.abc import Collection, Iterator, Sequence
from xml.etree import ElementTree

from mesh.render import diagram_matrix, diagram_ring
from mesh.render.connections import Connection, connections, pods_cross, what_crosses
from mesh.render.diagram_card import card
from mesh.render.svg import ACCENT, INK, QUIET, Font, arrow, dot, group, picture, text_of, write
from mesh.topology import Topology

_MARGIN, _HEADING, _LINE = 40.0, 104.0, 26.0
_MOST_ON_A_RING = 6
_TITLE = Font(24, colour=INK, bold=True)
_SUBTITLE = Font(14, colour=QUIET)
_LEGEND = Font(13, colour=QUIET)


_DASHED = {True: "planned: not brought up yet", False: "one-sided: not dialled back"}
_NARROWEST = 480.0
"""Room for the heading, where there is but one card."""


def diagram(topology: Topology, planned: Collection[str] = ()) -> str:
    """An SVG picture of the mesh; the stacks in `planned`, and what leads there, are dashed.

    Up to six clusters are joined by arrows; of more, a table beside them says who dials whom.
    Connections that only one side knows are dashed too.
    """
    mesh = next(iter(topology.clusters.values())).mesh
    lines = list(connections(topology, planned))
    ring = len(topology.clusters) <= _MOST_ON_A_RING
    stacks = [*topology.clusters]
    layout = diagram_ring.layout(stacks) if ring else diagram_matrix.layout(stacks)
    legend = list(_legend(topology, lines))
    width = max(layout.width, _NARROWEST) + 2 * _MARGIN
    below = _HEADING + layout.height + _MARGIN
    room = _LINE * len(legend) + _MARGIN / 4 if legend else 0
    root = picture(width, below + room, f"Cluster mesh: {', '.join(stacks)}")
    _write_heading(root, topology, width)
    placed = layout.moved((width - layout.width) / 2, _HEADING)
    if ring:
        diagram_ring.draw(root, placed, lines, mesh)
    else:
        diagram_matrix.draw(root, placed, lines)
    for stack, corner in placed.corners.items():
        card(root, corner, stack, topology.clusters[stack], planned=stack in planned)
    for place, (line, text) in enumerate(legend):
        _write_legend(root, below + _LINE * place, line, text, arrows=ring)
    return text_of(root)


def _write_heading(root: ElementTree.Element, topology: Topology, width: float) -> None:
    clusters = topology.clusters.values()
    [mesh, *_] = (settings.mesh for settings in clusters)
    count = len(topology.clusters)
    versions = " and ".join(sorted({settings.versions.cilium for settings in clusters}))
    facts = f"Cilium {versions} · {pods_cross(mesh)} · CA made by {mesh.authority}"
    room = width - 2 * _MARGIN
    name = "One cluster" if count == 1 else f"A mesh of {count} clusters"
    write(root, (_MARGIN, 50), name, _TITLE)
    write(root, (_MARGIN, 76), _SUBTITLE.shortened(facts, room), _SUBTITLE)


def _legend(topology: Topology, lines: Sequence[Connection]) -> Iterator[tuple[Connection, str]]:
    """A sample of each kind of connection there is, and what it means."""
    mesh = next(iter(topology.clusters.values())).mesh
    whole = [line for line in lines if not line.dashed]
    samples = {line.dns_ports: line for line in reversed(whole)}
    for _, sample in sorted(samples.items(), key=lambda one: (not one[0], one[0])):
        # Between two clusters every arrow has its words beside it.
        if len(topology.clusters) > 2:
            yield sample, " · ".join(what_crosses(mesh, sample))
    dashed = [line for line in lines if line.dashed]
    if dashed:
        kinds = {line.planned for line in dashed}
        yield dashed[0], " or ".join(_DASHED[kind] for kind in sorted(kinds, reverse=True))


def _write_legend(
    root: ElementTree.Element, height: float, line: Connection, text: str, *, arrows: bool
) -> None:
    drawn = group(root, "legend")
    colour = ACCENT if line.dns else QUIET
    if arrows:
        ends = (_MARGIN, height), (_MARGIN + 60, height)
        both = line.out and line.back
        arrow(drawn, *ends, colour=colour, dashed=line.dashed, both=both)
    else:
        dot(drawn, (_MARGIN + 30, height), 7, colour, dashed=line.dashed)
    write(drawn, (_MARGIN + 72, height + 4.5), text, _LEGEND)
