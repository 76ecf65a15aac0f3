"""What the previews of other stacks will say when a cluster joins or leaves."""

from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import Literal

from mesh.endpoint import DNS_PORT, ETCD_PORT, planned_endpoint
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
        settings = after.clusters[joined]
        etcd = settings.load_balancer.etcd_address
        yield f"Cilium dials {settings.cluster.name} {_where('at', etcd, ETCD_PORT)}"
        if _names_cross(after, stack, joined):
            dns = settings.load_balancer.dns_address
            yield f"CoreDNS forwards {settings.cluster.zone} {_where('to', dns, DNS_PORT)}"
    for gone in sorted({*old} - {*new}):
        settings = before.clusters[gone]
        yield f"Cilium no longer dials {settings.cluster.name}"
        if _names_cross(before, stack, gone):
            yield f"CoreDNS no longer forwards {settings.cluster.zone}"
    then, now = _admitted(before, stack), _admitted(after, stack)
    for subnet in sorted(now - then):
        yield f"the Services of the mesh admit {subnet}"
    for subnet in sorted(then - now):
        yield f"the Services of the mesh no longer admit {subnet}"


def _where(word: str, address: IPv4Address | Literal["auto"], port: int) -> str:
    known = isinstance(address, IPv4Address)
    return f"{word} {address}:{port}" if known else "once its address is known"


def _names_cross(topology: Topology, one: str, other: str) -> bool:
    return all(topology.clusters[stack].dns.forwarding for stack in (one, other))


def _admitted(topology: Topology, stack: str) -> set[str]:
    clusters = topology.clusters
    peers = [peer(one, planned_endpoint(clusters[one]), None) for one in topology.peers_of(stack)]
    return {*source_ranges(clusters[stack], peers)}
