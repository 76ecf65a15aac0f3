"""How MetalLB announces its pools: by ARP in the node network, or by BGP to routers."""

from typing import Any

from mesh.render.metallb import WORKLOADS, address_pools, manifest
from mesh.settings import BgpPeerSettings, BgpSettings, Settings


def announcements(settings: Settings) -> list[dict[str, Any]]:
    """The manifests that have every pool of `address_pools` announced, in one way or the other."""
    pools = [pool["metadata"]["name"] for pool in address_pools(settings)]
    bgp = settings.load_balancer.bgp
    if bgp is None:
        return [manifest("v1beta1", "L2Advertisement", "nodes", {"ipAddressPools": pools})]
    routers = [_router(bgp, peer) for peer in bgp.peers]
    return [*routers, *(_routes(bgp, pool) for pool in pools)]


def _router(bgp: BgpSettings, peer: BgpPeerSettings) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "myASN": bgp.asn,
        "peerASN": peer.asn,
        "peerAddress": str(peer.address),
        "peerPort": peer.port,
        "holdTime": f"{peer.hold_time_seconds}s",
        **({"ebgpMultiHop": True} if peer.multi_hop else {}),
    }
    # By its address, so that a router before it in the list may come and go.
    return manifest("v1beta2", "BGPPeer", f"router-{peer.address}", spec)


def _routes(bgp: BgpSettings, pool: str) -> dict[str, Any]:
    # A pinned address is a block of one, and MetalLB announces no block wider than the pool's.
    length = bgp.aggregation_length if pool == WORKLOADS else 32
    spec: dict[str, Any] = {
        "ipAddressPools": [pool],
        "aggregationLength": length,
        **({"communities": [*bgp.communities]} if bgp.communities else {}),
    }
    return manifest("v1beta1", "BGPAdvertisement", f"{pool}-routes", spec)
