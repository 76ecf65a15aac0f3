import itertools
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import pytest

from mesh.render.diagram import diagram
from mesh.render.mermaid import mermaid
from mesh.topology import Topology
from tests.mesh.render.topologies import NAMES, cluster, topology

SVG = "{http://www.w3.org/2000/svg}"
LONG = "a-name-of-exactly-thirty-two-cha"
EACH_SIZE = pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 12, 20])


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: "Box") -> bool:
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom

    def meets(self, other: "Box") -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def is_crossed(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        steps = [place / 200 for place in range(201)]
        points = [
            (start[0] + step * (end[0] - start[0]), start[1] + step * (end[1] - start[1]))
            for step in steps
        ]
        return any(self.left < x < self.right and self.top < y < self.bottom for x, y in points)


def numbers(element: ElementTree.Element, *names: str) -> list[float]:
    return [float(element.attrib[name]) for name in names]


def box_of(rectangle: ElementTree.Element) -> Box:
    x, y, width, height = numbers(rectangle, "x", "y", "width", "height")
    return Box(x, y, x + width, y + height)


def box_of_text(text: ElementTree.Element) -> Box:
    """Where a text is at most, by the widths of DejaVu, which is wider than most."""
    x, y, size = numbers(text, "x", "y", "font-size")
    each = 0.602 if "mono" in text.attrib["font-family"] else 0.56
    width = len(text.text or "") * size * each * (1.12 if "font-weight" in text.attrib else 1)
    left = {"start": x, "middle": x - width / 2, "end": x - width}
    start = left[text.attrib.get("text-anchor", "start")]
    return Box(start, y - size, start + width, y + size / 4)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def groups(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [one for one in root.iter(f"{SVG}g") if one.attrib.get("class") == kind]


def cards(root: ElementTree.Element) -> dict[str, Box]:
    found = {one.attrib["data-stack"]: one for one in groups(root, "cluster")}
    return {stack: box_of(next(one.iter(f"{SVG}rect"))) for stack, one in found.items()}


def words(element: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


def is_dashed(element: ElementTree.Element) -> bool:
    return any("stroke-dasharray" in one.attrib for one in element.iter())


@EACH_SIZE
def test_every_cluster_and_every_connection_is_drawn_once(count: int) -> None:
    root = parsed(diagram(topology(count)))
    stacks = [one.attrib["data-stack"] for one in groups(root, "cluster")]
    assert stacks == list(NAMES[:count])
    drawn = [(c.attrib["data-from"], c.attrib["data-to"]) for c in groups(root, "connection")]
    assert sorted(drawn) == sorted(itertools.combinations(sorted(stacks), 2))


def test_a_card_tells_what_the_stack_file_says() -> None:
    [card, _] = groups(parsed(diagram(topology(2))), "cluster")
    assert words(card) == [
        *("east", "id 1", "zone", "east.mesh.example", "pods", "10.101.0.0/16"),
        *("services", "10.201.0.0/16", "nodes", "4 in 10.11.85.0/24"),
        *("API server", "10.11.85.11:6443", "mesh etcd", "10.11.85.20:2379"),
        *("DNS", "10.11.85.21:53", "workloads", "10.11.85.22-10.11.85.30"),
    ]


@EACH_SIZE
def test_no_text_leaves_its_card_and_no_card_meets_another(count: int) -> None:
    root = parsed(diagram(topology(count), planned=["east"]))
    for group in groups(root, "cluster"):
        card = box_of(next(group.iter(f"{SVG}rect")))
        for text in group.iter(f"{SVG}text"):
            assert card.holds(box_of_text(text)), text.text
    boxes = cards(root).values()
    assert not any(one.meets(other) for one, other in itertools.combinations(boxes, 2))


@EACH_SIZE
def test_everything_is_inside_the_picture(count: int) -> None:
    root = parsed(diagram(topology(count), planned=["east"]))
    paper = Box(0, 0, *numbers(root, "width", "height"))
    turned = [text for text in root.iter(f"{SVG}text") if "transform" not in text.attrib]
    boxes = [*cards(root).values(), *map(box_of_text, turned)]
    assert all(paper.holds(box) for box in boxes)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_no_arrow_runs_through_a_card_or_a_word(count: int) -> None:
    root = parsed(diagram(topology(count), planned=["east"]))
    texts = [box_of_text(text) for text in root.iter(f"{SVG}text")]
    for line in root.iter(f"{SVG}line"):
        x1, y1, x2, y2 = numbers(line, "x1", "y1", "x2", "y2")
        for box in (*cards(root).values(), *texts):
            assert not box.is_crossed((x1, y1), (x2, y2))


def test_long_names_zones_and_ranges_are_cut_and_stay_inside() -> None:
    zone = ".".join(["a-very-long-label"] * 9)
    ranges = ["110.110.110.100-110.110.110.110", "110.110.110.120-110.110.110.130"]
    network = {"nodeCidr": "110.110.110.0/24", "gateway": "110.110.110.1"}
    nodes = {
        "controlPlane": {"addresses": ["110.110.110.11"]},
        "worker": {"addresses": []},
    }
    announced = {"etcdAddress": "110.110.110.20", "dnsAddress": "110.110.110.21"}
    east = cluster(
        "east",
        1,
        cluster={"name": LONG, "id": 1, "zone": zone},
        network=network,
        nodes=nodes,
        loadBalancer=announced | {"addresses": ranges},
    )
    root = parsed(diagram(Topology({LONG: east, "west": cluster("west", 2)}), planned=[LONG]))
    [group, _] = groups(root, "cluster")
    card = box_of(next(group.iter(f"{SVG}rect")))
    assert all(card.holds(box_of_text(text)) for text in group.iter(f"{SVG}text"))
    assert any(text.endswith("…") for text in words(group))


def test_a_planned_cluster_and_what_leads_to_it_is_dashed() -> None:
    root = parsed(diagram(topology(3), planned=["north"]))
    dashed = {one.attrib["data-stack"] for one in groups(root, "cluster") if is_dashed(one)}
    assert dashed == {"north"}
    for line in groups(root, "connection"):
        assert is_dashed(line) == ("north" in (line.attrib["data-from"], line.attrib["data-to"]))
    assert "planned: not brought up yet" in words(groups(root, "legend")[-1])


def heads(connection: ElementTree.Element) -> int:
    return len(list(connection.iter(f"{SVG}polygon")))


def test_an_arrow_that_is_not_dialled_back_is_dashed_and_has_one_head() -> None:
    clusters = dict(topology(3).clusters)
    clusters["west"] = cluster("west", 2, peers=["north"])
    root = parsed(diagram(Topology(clusters)))
    for line in groups(root, "connection"):
        one_sided = {line.attrib["data-from"], line.attrib["data-to"]} == {"east", "west"}
        assert is_dashed(line) == one_sided
        assert heads(line) == (1 if one_sided else 2)
    assert "one-sided: not dialled back" in words(groups(root, "legend")[-1])


def test_between_two_clusters_every_arrow_has_its_words() -> None:
    [connection] = groups(parsed(diagram(topology(2))), "connection")
    assert words(connection) == [
        "pods: Geneve, UDP 6081",
        "mesh etcd: mutual TLS, TCP 2379",
        "names: DNS, UDP and TCP 53",
    ]
    assert heads(connection) == 6


def test_a_connection_without_names_is_told_from_the_others() -> None:
    clusters = dict(topology(3).clusters)
    clusters["west"] = cluster("west", 2, dns={"forwarding": False})
    legend = [words(one)[0] for one in groups(parsed(diagram(Topology(clusters))), "legend")]
    assert legend == [
        "pods: Geneve, UDP 6081 · mesh etcd: mutual TLS, TCP 2379 · names: DNS, UDP and TCP 53",
        "pods: Geneve, UDP 6081 · mesh etcd: mutual TLS, TCP 2379",
    ]


@pytest.mark.parametrize(
    ("mesh", "said"),
    [
        ({"tunnelProtocol": "vxlan", "tunnelPort": 8223}, "VXLAN, UDP 8223"),
        ({"encryption": "wireguard"}, "Geneve, UDP 6081; WireGuard, UDP 51871"),
        ({"routingMode": "native", "nativeRoutingCidr": "10.96.0.0/11"}, "routed by the site"),
    ],
)
def test_the_way_of_a_packet_is_the_one_in_the_settings(mesh: dict[str, Any], said: str) -> None:
    svg = diagram(topology(2, mesh={"authority": "east"} | mesh))
    assert f"pods: {said}" in words(parsed(svg))


def test_a_stack_named_otherwise_than_its_cluster_shows_both_names_escaped() -> None:
    clusters = {"a<b&c": cluster("east", 1)}
    svg = diagram(Topology(clusters))
    assert "east (stack a<b&c)" in words(parsed(svg))
    assert "a<b" not in svg


def test_the_flowchart_has_a_node_for_every_cluster_and_an_arrow_for_every_connection() -> None:
    lines = mermaid(topology(4)).splitlines()
    assert lines[0] == "flowchart LR"
    assert [line.partition("[")[0].strip() for line in lines[1:5]] == ["c1", "c2", "c3", "c4"]
    assert len([line for line in lines if "<-->" in line]) == 6


def test_the_flowchart_dots_what_is_planned_or_not_dialled_back() -> None:
    clusters = dict(topology(3).clusters)
    clusters["west"] = cluster("west", 2, peers=["north"])
    text = mermaid(Topology(clusters), planned=["north"])
    assert "  c1 -.->" in text
    assert "<-.->" in text
    assert text.endswith("class c3 planned\n")


def test_the_flowchart_escapes_what_mermaid_would_read() -> None:
    assert "<b>a#quot;b#35;#lt;c</b>" in mermaid(Topology({'a"b#<c': cluster("east", 1)}))


def mixed(count: int) -> Topology:
    """Clusters of which west exports namespaces, at its nodes."""
    dns = {"mode": "namespaces", "namespaces": ["west-1", "shop"], "exposure": "nodePort"}
    return Topology({**topology(count).clusters, "west": cluster("west", 2, dns=dns)})


def test_a_cluster_that_exports_namespaces_at_its_nodes_is_drawn_so() -> None:
    root = parsed(diagram(mixed(2)))
    west = next(words(one) for one in groups(root, "cluster") if one.get("data-stack") == "west")
    assert "its nodes, port 30053" in west
    assert west[2:4] == ["namespaces", "west-1, shop"]
    [line] = groups(root, "connection")
    assert "names: DNS, UDP and TCP 53 and 30053" in words(line)


def test_each_way_to_ask_for_names_has_its_line_below_the_picture() -> None:
    legend = [" ".join(words(one)) for one in groups(parsed(diagram(mixed(3))), "legend")]
    assert ["30053" in line for line in legend] == [False, True]


def test_the_flowchart_says_where_and_for_what_a_cluster_is_asked() -> None:
    text = mermaid(mixed(2))
    assert "west-1.svc.cluster.local, shop.svc.cluster.local" in text
    assert "DNS its nodes, port 30053" in text
    assert "DNS 10.11.85.21:53" in text


def test_an_address_that_metallb_chooses_is_drawn_in_words_that_fit() -> None:
    chosen = {"etcdAddress": "auto", "dnsAddress": "auto", "addresses": ["10.11.85.20-10.11.85.30"]}
    [card] = groups(
        parsed(diagram(Topology({"east": cluster("east", 1, loadBalancer=chosen)}))), "cluster"
    )
    assert {"MetalLB chooses, port 2379", "MetalLB chooses, port 53"} <= {*words(card)}
