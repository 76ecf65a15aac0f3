"""One cluster in the picture of a mesh: a card with its ranges and addresses."""

from collections.abc import Iterator
from xml.etree import ElementTree

from mesh.endpoint import ETCD_PORT
from mesh.render.api_server import api_server
from mesh.render.dialled import dialled, dns_dialled
from mesh.render.svg import (
    BANNER,
    CARD,
    DASHES,
    EDGE,
    PLANNED,
    QUIET,
    ROUND,
    Font,
    Point,
    box,
    group,
    write,
)
from mesh.settings import Settings

WIDTH, HEIGHT = 356.0, 236.0
BANNER_HEIGHT, _ROW_HEIGHT = 44.0, 22.0
MARGIN, _LABELS = 16.0, 88.0
NAME = Font(18, colour="#ffffff", bold=True)
_NUMBER = Font(13, colour="#dbe4f0", anchor="end")
_LABEL = Font(13, colour=QUIET)
_VALUE = Font(12.5, "mono")


def card(
    root: ElementTree.Element, corner: Point, stack: str, settings: Settings, *, planned: bool
) -> None:
    """Draw a cluster, its upper left corner at `corner`; dashed when it is only planned."""
    drawn = group(root, "cluster", stack=stack)
    left, top = corner
    outline = {"stroke_dasharray": DASHES, "stroke": PLANNED} if planned else {"stroke": EDGE}
    box(drawn, corner, WIDTH, HEIGHT, fill=CARD)
    banner(drawn, corner, WIDTH, PLANNED if planned else BANNER)
    box(drawn, corner, WIDTH, HEIGHT, fill="none", stroke_width="1.5", **outline)
    name = settings.cluster.name if stack == settings.cluster.name else _both(stack, settings)
    number = f"planned · id {settings.cluster.id}" if planned else f"id {settings.cluster.id}"
    room = WIDTH - 3 * MARGIN - _NUMBER.width(number)
    write(drawn, (left + MARGIN, top + 29), NAME.shortened(name, room), NAME)
    write(drawn, (left + WIDTH - MARGIN, top + 29), number, _NUMBER)
    base = top + BANNER_HEIGHT + 23
    for line, (label, value) in enumerate(_rows(settings)):
        height = base + line * _ROW_HEIGHT
        room = WIDTH - 2 * MARGIN - _LABELS
        write(drawn, (left + MARGIN, height), label, _LABEL)
        write(drawn, (left + MARGIN + _LABELS, height), _VALUE.shortened(value, room), _VALUE)


def banner(drawn: ElementTree.Element, corner: Point, width: float, colour: str) -> None:
    """The coloured head of a card: round above like the card, and square below."""
    left, top = corner
    right, bottom = left + width, top + BANNER_HEIGHT
    path = (
        f"M {left} {bottom} V {top + ROUND} Q {left} {top} {left + ROUND} {top}"
        f" H {right - ROUND} Q {right} {top} {right} {top + ROUND} V {bottom} Z"
    )
    ElementTree.SubElement(drawn, "path", {"d": path, "fill": colour})


def _both(stack: str, settings: Settings) -> str:
    return f"{settings.cluster.name} (stack {stack})"


def _rows(settings: Settings) -> Iterator[tuple[str, str]]:
    network, announced = settings.network, settings.load_balancer
    count = len([*settings.nodes.keyed_addresses()])
    ranges = [str(one) for one in announced.addresses]
    more = f" +{len(ranges) - 1}" if len(ranges) > 1 else ""
    if settings.dns.mode == "namespaces":
        yield "namespaces", ", ".join(settings.dns.namespaces)
    else:
        yield "zone", settings.cluster.zone
    yield "pods", str(network.pod_cidr)
    yield "services", str(network.service_cidr)
    yield "nodes", f"{count} in {network.node_cidr}"
    yield "API server", api_server(settings)
    yield "mesh etcd", dialled(announced.etcd_address, ETCD_PORT)
    yield "DNS", dns_dialled(settings)
    yield "workloads", f"{ranges[0]}{more}" if ranges else "no addresses"
