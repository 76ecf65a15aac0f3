"""What the previews of other stacks will say when a cluster joins or leaves."""

from collections.abc import Iterator

from mesh.endpoint import DNS_PORT, ETCD_PORT
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
    for peer in sorted({*new} - {*old}):
        settings = after.clusters[peer]
        etcd = settings.load_balancer.etcd_address
        yield f"Cilium dials {settings.cluster.name} at {etcd}:{ETCD_PORT}"
        if _names_cross(after, stack, peer):
            dns = settings.load_balancer.dns_address
            yield f"CoreDNS forwards {settings.cluster.zone} to {dns}:{DNS_PORT}"
    for peer in sorted({*old} - {*new}):
        settings = before.clusters[peer]
        yield f"Cilium no longer dials {settings.cluster.name}"
        if _names_cross(before, stack, peer):
            yield f"CoreDNS no longer forwards {settings.cluster.zone}"
    admitted, shut_out = _admitted(before, stack), _admitted(after, stack)
    for subnet in sorted(shut_out - admitted):
        yield f"the Services of the mesh admit {subnet}"
    for subnet in sorted(admitted - shut_out):
        yield f"the Services of the mesh no longer admit {subnet}"


def _names_cross(topology: Topology, one: str, other: str) -> bool:
    return all(topology.clusters[stack].dns.forwarding for stack in (one, other))


def _admitted(topology: Topology, stack: str) -> set[str]:
    clusters = (stack, *topology.peers_of(stack))
    return {str(topology.clusters[one].network.node_cidr) for one in clusters}
