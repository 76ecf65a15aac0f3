"""The topology as a Mermaid flowchart, which forges draw inside a page or a comment."""

from collections.abc import Collection, Iterator

from mesh.render.connections import connections, what_crosses
from mesh.render.dialled import dns_dialled, names_below
from mesh.settings import Settings
from mesh.topology import Topology


def mermaid(topology: Topology, planned: Collection[str] = ()) -> str:
    """A flowchart of the clusters; what leads to stacks in `planned`, or one way only, is dotted.

    The text stands between the lines ```` ```mermaid ```` and ```` ``` ````, which are not in it.
    """
    # Mermaid has words of its own, such as `end`, that can't name a node.
    nodes = {stack: f"c{place}" for place, stack in enumerate(topology.clusters, start=1)}
    lines = ["flowchart LR"]
    for stack, node in nodes.items():
        lines.append(f'  {node}["{"<br/>".join(_words(stack, topology.clusters[stack]))}"]')
    for line in connections(topology, planned):
        start, end = (line.one, line.other) if line.out else (line.other, line.one)
        arrow = f"{'<' if line.out and line.back else ''}{'-.->' if line.dashed else '-->'}"
        words = "<br/>".join(what_crosses(topology.clusters[start].mesh, line))
        # Many labels would hide the picture.
        label = f'|"{words}"|' if len(nodes) <= 3 else ""
        lines.append(f"  {nodes[start]} {arrow}{label} {nodes[end]}")
    dashed = [nodes[stack] for stack in nodes if stack in planned]
    if dashed:
        lines.append("  classDef planned stroke-dasharray: 6 4")
        lines.append(f"  class {','.join(dashed)} planned")
    return "\n".join(lines) + "\n"


def _words(stack: str, settings: Settings) -> Iterator[str]:
    announced = settings.load_balancer
    yield f"<b>{_escaped(stack)}</b>, id {settings.cluster.id}"
    yield names_below(settings)
    yield f"pods {settings.network.pod_cidr}"
    yield f"nodes {settings.network.node_cidr}"
    yield f"mesh etcd {announced.etcd_address}"
    yield f"DNS {dns_dialled(settings)}"


def _escaped(text: str) -> str:
    return text.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;")
