"""What the previews of other stacks will say when a cluster joins or leaves."""

from collections.abc import Iterator, Sequence

from mesh.endpoint import ETCD_PORT, Endpoint, planned_endpoint
from mesh.peer import peer
from mesh.render.source_ranges import source_ranges
from mesh.topology import Topology


def changes(before: Topology, after: Topology) -> dict[str, tuple[str, ...]]:
    """A line for each change in each stack that is in both, by stack; those without are left out.

    What changes is in Cilium's list of clusters, the Corefile and the Services' source ranges:
    never a VM.
    """
    both = [stack for stack in sorted(before.clusters) if stack in after.clusters]
    found = {stack: tuple(_changes(before, after, stack)) for stack in both}
    return {stack: lines for stack, lines in found.items() if lines}


def _changes(before: Topology, after: Topology, stack: str) -> Iterator[str]:
    old, new = before.peers_of(stack), after.peers_of(stack)
    for joined in sorted({*new} - {*old}):
        endpoint = planned_endpoint(after.clusters[joined])
        etcd = [f"{endpoint.etcd.ip}:{ETCD_PORT}"] if endpoint.etcd else []
        yield f"Cilium dials {endpoint.cluster} {_where('at', etcd)}"
        if _names_cross(after, stack, joined):
            dns = [f"{address}:{endpoint.dns.port}" for address in endpoint.dns.addresses]
            yield f"CoreDNS forwards {_zones(endpoint)} {_where('to', dns)}"
    for gone in sorted({*old} - {*new}):
        endpoint = planned_endpoint(before.clusters[gone])
        yield f"Cilium no longer dials {endpoint.cluster}"
        if _names_cross(before, stack, gone):
            yield f"CoreDNS no longer forwards {_zones(endpoint)}"
    then, now = _admitted(before, stack), _admitted(after, stack)
    for subnet in sorted(now - then):
        yield f"the Services of the mesh admit {subnet}"
    for subnet in sorted(then - now):
        yield f"the Services of the mesh no longer admit {subnet}"


def _where(word: str, addresses: Sequence[str]) -> str:
    return f"{word} {', '.join(addresses)}" if addresses else "once its address is known"


def _zones(endpoint: Endpoint) -> str:
    return ", ".join(endpoint.zones)


def _names_cross(topology: Topology, one: str, other: str) -> bool:
    return all(topology.clusters[stack].dns.forwarding for stack in (one, other))


def _admitted(topology: Topology, stack: str) -> set[str]:
    clusters = topology.clusters
    peers = [peer(one, planned_endpoint(clusters[one]), None) for one in topology.peers_of(stack)]
    return {*source_ranges(clusters[stack], peers)}
