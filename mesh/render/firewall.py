"""What must pass between the clusters of a mesh, and between each cluster and its site."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Literal

from mesh.dns import DNS_PORT, planned_dns
from mesh.endpoint import ETCD_PORT
from mesh.render.api_server import API_SERVER_PORT
from mesh.render.dialled import names_below
from mesh.settings import MeshSettings, Settings
from mesh.topology import Topology

WIREGUARD_PORT = 51871
HEALTH_PORT = 4240
HUBBLE_PORT = 4244
NTP_PORT = 123
_OPERATOR = "operator"


@dataclass(frozen=True)
class Rule:
    """One kind of packet that must pass, from any of `sources` to any of `destinations`."""

    kind: Literal["mesh", "site"]
    """`mesh`: between two clusters. `site`: between a cluster and what is around it."""
    source: str
    destination: str
    sources: tuple[str, ...]
    destinations: tuple[str, ...]
    protocol: Literal["TCP", "UDP", "ICMP", "any"]
    port: int | None
    """None where the protocol has no ports, or all of them must pass."""
    why: str

    def as_output(self) -> dict[str, Any]:
        """Plain values, as the stack exports them."""
        return {
            **vars(self),
            "sources": [*self.sources],
            "destinations": [*self.destinations],
        }


def firewall(topology: Topology, stack: str | None = None) -> tuple[Rule, ...]:
    """Every rule of the mesh, by ordered pair of clusters, then what each cluster needs around it.

    With a `stack`, only the rules of its cluster. Nothing is listed that these settings don't
    need. Ports of Cilium: its system requirements, 1.20.
    """
    pairs = set(topology.pairs())
    clusters = topology.clusters
    rules: list[Rule] = []
    for one, other in sorted(pair for pair in pairs if stack is None or stack in pair):
        rules += _dialled(clusters[one], clusters[other])
        # Packets of pods cross when both clusters know each other.
        if (other, one) in pairs:
            rules += _between_nodes(clusters[one], clusters[other])
    for name in sorted(clusters) if stack is None else [stack]:
        rules += _around(clusters[name])
    # Several clusters may live in one vCenter.
    return tuple(dict.fromkeys(rules))


def _dialled(one: Settings, other: Settings) -> Iterator[Rule]:
    etcd = _addresses(other, other.load_balancer.etcd_address)
    yield _mesh(one, other, etcd, "TCP", ETCD_PORT, "mesh etcd, mutual TLS")
    if one.dns.forwarding and other.dns.forwarding:
        yield from _names(one, other)
    if _relays(one):
        # The relay learns from its own agents of the nodes of every cluster they dial.
        nodes = (str(other.network.node_cidr),)
        yield _mesh(one, other, nodes, "TCP", HUBBLE_PORT, "flows for Hubble relay")


def _names(one: Settings, other: Settings) -> Iterator[Rule]:
    address, port = other.load_balancer.dns_address, planned_dns(other).port
    why = f"names below {names_below(other)}"
    if address is None:
        asked: tuple[str, ...] = (str(other.network.node_cidr),)
        why += "; a NodePort lets in whoever reaches a node: refuse all others"
    else:
        asked = _addresses(other, address)
    yield _mesh(one, other, asked, "UDP", port, why)
    yield _mesh(one, other, asked, "TCP", port, why)


def _relays(settings: Settings) -> bool:
    """Whether the cluster's Hubble relay is on, which the chart leaves off by itself."""
    value: object = settings.cilium.extra_values
    for key in ("hubble", "relay", "enabled"):
        value = value.get(key) if isinstance(value, Mapping) else None
    return bool(value)


def _between_nodes(one: Settings, other: Settings) -> Iterator[Rule]:
    mesh, nodes = one.mesh, (str(other.network.node_cidr),)
    if mesh.tunnel_port_in_use is not None:
        why = f"all traffic of pods, in {mesh.tunnel_protocol}"
        yield _mesh(one, other, nodes, "UDP", mesh.tunnel_port_in_use, why)
    else:
        pods = (str(other.network.pod_cidr),)
        yield _mesh(one, other, pods, "any", None, "all traffic of pods, routed by the site")
    if mesh.encryption == "wireguard":
        yield _mesh(one, other, nodes, "UDP", WIREGUARD_PORT, "traffic of pods, encrypted")
    health = "Cilium's health checks (recommended)"
    yield _mesh(one, other, nodes, "TCP", HEALTH_PORT, health)
    yield _mesh(one, other, nodes, "ICMP", None, f"echo: {health}")


def _around(settings: Settings) -> Iterator[Rule]:
    name, network = settings.cluster.name, settings.network
    nodes = (str(network.node_cidr),)
    api = tuple(str(address) for address in settings.nodes.control_plane.addresses)
    yield Rule(
        "site", _OPERATOR, name, (_OPERATOR,), api, "TCP", API_SERVER_PORT, "pulumi and kubectl"
    )
    host, _, port = settings.vsphere.server.partition(":")
    vcenter = int(port) if port.isdecimal() else 443
    yield Rule("site", _OPERATOR, host, (_OPERATOR,), (host,), "TCP", vcenter, "pulumi makes VMs")
    servers = tuple(map(str, network.name_servers))
    for protocol in ("UDP", "TCP"):
        why = "names outside the mesh"
        yield Rule("site", name, "name servers", nodes, servers, protocol, DNS_PORT, why)
    if network.ntp_servers:
        times = network.ntp_servers
        yield Rule("site", name, "time servers", nodes, times, "UDP", NTP_PORT, "the nodes' clocks")
    for router in settings.load_balancer.bgp.peers if settings.load_balancer.bgp else ():
        to, why = (str(router.address),), "BGP of MetalLB"
        yield Rule("site", name, "router", nodes, to, "TCP", router.port, why)


def _mesh(
    one: Settings,
    other: Settings,
    destinations: tuple[str, ...],
    protocol: Literal["TCP", "UDP", "ICMP", "any"],
    port: int | None,
    why: str,
) -> Rule:
    # Whole subnets and no single nodes: a worker more changes nothing here.
    sources = [str(one.network.node_cidr)]
    # A health check comes from a node itself.
    if port != HEALTH_PORT and protocol != "ICMP" and _shows_pods(one.mesh, destinations):
        sources.append(str(one.network.pod_cidr))
    names = one.cluster.name, other.cluster.name
    return Rule("mesh", *names, tuple(sources), destinations, protocol, port, why)


def _shows_pods(mesh: MeshSettings, destinations: tuple[str, ...]) -> bool:
    """Whether a pod comes with its own address: Cilium hides it behind its node's elsewhere."""
    routed = mesh.native_routing_cidr
    ends = (IPv4Network(end) for one in destinations for end in one.split("-"))
    return routed is not None and any(end.overlaps(routed) for end in ends)


def _addresses(settings: Settings, written: IPv4Address | Literal["auto"]) -> tuple[str, ...]:
    """The address, or all those MetalLB may choose from."""
    if isinstance(written, IPv4Address):
        return (str(written),)
    return tuple(map(str, settings.load_balancer.addresses))
