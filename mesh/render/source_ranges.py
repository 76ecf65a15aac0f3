"""Who may reach what a cluster shows its peers."""

from collections.abc import Sequence
from ipaddress import IPv4Network

from mesh.endpoint import Endpoint, planned_endpoint
from mesh.peer import Peer
from mesh.settings import AddressRange, Settings


def source_ranges(settings: Settings, peers: Sequence[Peer]) -> list[str]:
    """The ranges that packets of the mesh come from: node networks, sorted as text.

    Native routing adds the pods', where the range it routes holds an announced address: to any
    other address Cilium hides a pod behind its node.
    """
    reachable = [planned_endpoint(settings), *(peer.endpoint for peer in peers)]
    pods = _is_reached_by_pods(settings)
    return sorted({str(cidr) for one in reachable for cidr in _sources(one, pods=pods)})


def _sources(endpoint: Endpoint, *, pods: bool) -> tuple[IPv4Network, ...]:
    return endpoint.node_cidrs + (endpoint.pod_cidrs if pods else ())


def _is_reached_by_pods(settings: Settings) -> bool:
    routed, own = settings.mesh.native_routing_cidr, settings.load_balancer
    if routed is None:
        return False
    native = AddressRange(routed[0], routed[-1])
    pinned = (AddressRange(address, address) for _, address in own.pinned())
    return any(native.overlaps(announced) for announced in (*pinned, *own.addresses))
