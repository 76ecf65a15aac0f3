"""Which addresses each cluster has for what, as claims that can be swept."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from mesh.settings import AddressRange, Settings
from mesh.topology.sweep import Claim
from mesh.topology.topology import Topology

PODS, SERVICES, NODES = "pods", "services", "nodes"
"""The ranges of a cluster and the network of its nodes."""
ANNOUNCED = "announced"
"""What MetalLB announces outside the network of the nodes; inside, that network stands for it."""
SERVERS = "servers"
"""Name servers and routers outside the network of the nodes."""
TAKEN = "taken"
"""Single addresses and ranges that a cluster has for itself in the network of its nodes."""
SITE = "site"
"""Gateways, routers and name servers, which several clusters may have in common."""


def ranges(topology: Topology, *kinds: str) -> Iterator[Claim]:
    """The ranges of all clusters that are of these kinds, the own cluster's first."""
    for stack in topology.ordered():
        for claim in _ranges(stack, topology.clusters[stack]):
            if claim.kind in kinds:
                yield claim


def addresses(topology: Topology) -> Iterator[Claim]:
    """Every address and range of addresses a cluster has for itself, and those of the site."""
    for stack in topology.ordered():
        settings = topology.clusters[stack]
        for key, address in settings.nodes.keyed_addresses():
            yield _address(TAKEN, stack, key, address)
        yield from _announced(TAKEN, stack, settings)
        for key, address in _site(settings):
            yield _address(SITE, stack, key, address)


def _ranges(stack: str, settings: Settings) -> Iterator[Claim]:
    network = settings.network
    yield _network(PODS, stack, "network.podCidr", network.pod_cidr)
    yield _network(SERVICES, stack, "network.serviceCidr", network.service_cidr)
    yield _network(NODES, stack, "network.nodeCidr", network.node_cidr)
    for claim in _announced(ANNOUNCED, stack, settings):
        if not _within(claim, network.node_cidr):
            yield claim
    for key, address in _site(settings):
        if address not in network.node_cidr:
            yield _address(SERVERS, stack, key, address)


def _announced(kind: str, stack: str, settings: Settings) -> Iterator[Claim]:
    for key, address in settings.load_balancer.pinned():
        yield _address(kind, stack, key, address)
    for place, pool in enumerate(settings.load_balancer.addresses):
        yield _pool(kind, stack, f"loadBalancer.addresses[{place}]", pool)


def _site(settings: Settings) -> Iterator[tuple[str, IPv4Address]]:
    yield "network.gateway", settings.network.gateway
    for place, server in enumerate(settings.network.name_servers):
        yield f"network.nameServers[{place}]", server
    yield from settings.load_balancer.routers()


def _network(kind: str, stack: str, key: str, cidr: IPv4Network) -> Claim:
    first = int(cidr.network_address)
    return Claim(kind, first, first + cidr.num_addresses - 1, str(cidr), {stack: key})


def _address(kind: str, stack: str, key: str, address: IPv4Address) -> Claim:
    return Claim(kind, int(address), int(address), str(address), {stack: key})


def _pool(kind: str, stack: str, key: str, pool: AddressRange) -> Claim:
    return Claim(kind, int(pool.first), int(pool.last), str(pool), {stack: key})


def _within(claim: Claim, cidr: IPv4Network) -> bool:
    first = int(cidr.network_address)
    return first <= claim.first and claim.last < first + cidr.num_addresses
