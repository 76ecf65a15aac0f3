"""The rules about single addresses: who has which one already, and who may announce it."""

from collections.abc import Iterator
from ipaddress import IPv4Address

from mesh.settings.load_balancer import LoadBalancerSettings
from mesh.settings.network import NetworkSettings
from mesh.settings.nodes import NodesSettings
from mesh.settings.problems import Broken


def gateway_is_in_the_node_network(network: NetworkSettings) -> Iterator[Broken]:
    """A node reaches its gateway without a router."""
    if network.gateway not in network.node_cidr:
        reason = f"is not in network.nodeCidr, {network.node_cidr}"
        yield Broken("network.gateway", str(network.gateway), reason, "write an address of it")
    elif network.gateway in (network.node_cidr[0], network.node_cidr[-1]):
        reason = f"is an end of network.nodeCidr, {network.node_cidr}, and no host's"
        yield Broken("network.gateway", str(network.gateway), reason, "write another address of it")


def nodes_are_in_the_node_network(
    network: NetworkSettings, nodes: NodesSettings
) -> Iterator[Broken]:
    """Every node has an address of the node network that is nobody's yet."""
    for key, address in nodes.keyed_addresses():
        yield from _unless_free(key, address, network)


def node_addresses_differ(nodes: NodesSettings) -> Iterator[Broken]:
    """No two nodes have one address."""
    first: dict[IPv4Address, str] = {}
    for key, address in nodes.keyed_addresses():
        if first.setdefault(address, key) != key:
            reason = f"is {first[address]} too"
            yield Broken(key, str(address), reason, "write an address of its own")


def announced_addresses_are_free(
    load_balancer: LoadBalancerSettings, network: NetworkSettings
) -> Iterator[Broken]:
    """What MetalLB answers for is in the node network, and is the site's own in no place.

    What it announces by BGP has rules of its own, one of which says the opposite.
    """
    if load_balancer.bgp:
        return
    for key, address in load_balancer.pinned():
        yield from _unless_free(key, address, network)
    for place, addresses in enumerate(load_balancer.addresses):
        key = f"loadBalancer.addresses[{place}]"
        if addresses.first not in network.node_cidr or addresses.last not in network.node_cidr:
            reason = f"is not in network.nodeCidr, {network.node_cidr}"
            yield Broken(key, str(addresses), reason, "write a range of it")
            continue
        for taken, whose in _taken(network).items():
            if taken in addresses:
                reason = f"holds {taken}, which is {whose}"
                yield Broken(key, str(addresses), reason, "write a range without it")


def announced_addresses_differ(
    load_balancer: LoadBalancerSettings, nodes: NodesSettings
) -> Iterator[Broken]:
    """No address is announced that another Service or a node has already."""
    taken = {address: key for key, address in nodes.keyed_addresses()}
    for key, address in load_balancer.pinned():
        if address in taken:
            reason = f"is {taken[address]} too"
            yield Broken(key, str(address), reason, "write an address of its own")
        taken[address] = key
    for place, addresses in enumerate(load_balancer.addresses):
        for inside in (address for address in taken if address in addresses):
            reason = f"holds {inside}, which is {taken[inside]}"
            key = f"loadBalancer.addresses[{place}]"
            yield Broken(key, str(addresses), reason, "write a range without it")


def announced_ranges_are_apart(load_balancer: LoadBalancerSettings) -> Iterator[Broken]:
    """MetalLB refuses a pool whose ranges overlap."""
    numbered = sorted(enumerate(load_balancer.addresses), key=lambda one: one[1].first)
    furthest = numbered[0][1] if numbered else None
    for place, one in numbered[1:]:
        if furthest and one.overlaps(furthest):
            key = f"loadBalancer.addresses[{place}]"
            yield Broken(key, str(one), f"overlaps {furthest}", "write ranges that are apart")
        if furthest and one.last > furthest.last:
            furthest = one


def _unless_free(key: str, address: IPv4Address, network: NetworkSettings) -> Iterator[Broken]:
    whose = _taken(network).get(address)
    if address not in network.node_cidr:
        reason = f"is not in network.nodeCidr, {network.node_cidr}"
    elif whose is not None:
        reason = f"is {whose}"
    else:
        return
    yield Broken(key, str(address), reason, "write another address of network.nodeCidr")


def _taken(network: NetworkSettings) -> dict[IPv4Address, str]:
    """Addresses no cluster may have for itself, and what each of them is."""
    servers = enumerate(network.name_servers)
    return {
        network.node_cidr[0]: "the first address of network.nodeCidr",
        network.node_cidr[-1]: "the last address of network.nodeCidr",
        **{address: f"network.nameServers[{place}]" for place, address in servers},
        network.gateway: "network.gateway",
    }
