"""The rules between settings of one cluster, each with a name of its own.

A rule sees whole groups and yields what breaks it. It runs when all its groups could be read.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

from mesh.settings.cluster import ClusterSettings
from mesh.settings.load_balancer import LoadBalancerSettings
from mesh.settings.mesh import MeshSettings
from mesh.settings.network import NetworkSettings
from mesh.settings.nodes import NodesSettings


class Broken(NamedTuple):
    """What breaks a rule: a problem that does not know its file yet."""

    key: str
    value: object
    reason: str
    instead: str


def id_fits_the_mesh(cluster: ClusterSettings, mesh: MeshSettings) -> Iterator[Broken]:
    """A cluster's id is at most the number of clusters the mesh can hold."""
    most = mesh.max_connected_clusters
    if cluster.id > most:
        reason = f"is more than mesh.maxConnectedClusters, {most}"
        yield Broken("cluster.id", cluster.id, reason, f"write 1 to {most}")


def gateway_is_in_the_node_network(network: NetworkSettings) -> Iterator[Broken]:
    """A node reaches its gateway without a router."""
    if network.gateway not in network.node_cidr:
        reason = f"is not in network.nodeCidr, {network.node_cidr}"
        yield Broken("network.gateway", str(network.gateway), reason, "write an address of it")


def nodes_are_in_the_node_network(
    network: NetworkSettings, nodes: NodesSettings
) -> Iterator[Broken]:
    """Every node has an address of the node network, not its first or last and not the gateway."""
    taken = {network.node_cidr[0], network.node_cidr[-1], network.gateway}
    for key, address in nodes.keyed_addresses():
        if address not in network.node_cidr:
            reason = f"is not in network.nodeCidr, {network.node_cidr}"
        elif address in taken:
            reason = "is the gateway's or no node's address"
        else:
            continue
        yield Broken(key, str(address), reason, "write another address of network.nodeCidr")


def node_addresses_differ(nodes: NodesSettings) -> Iterator[Broken]:
    """No two nodes have one address."""
    for (first, one), (second, other) in combinations(nodes.keyed_addresses(), 2):
        if one == other:
            yield Broken(second, str(other), f"is {first} too", "write an address of its own")


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
    numbered = enumerate(load_balancer.addresses)
    for (_, one), (place, other) in combinations(numbered, 2):
        if one.overlaps(other):
            key = f"loadBalancer.addresses[{place}]"
            yield Broken(key, str(other), f"overlaps {one}", "write ranges that are apart")


_RULES: tuple[tuple[Callable[..., Iterator[Broken]], tuple[str, ...]], ...] = (
    (id_fits_the_mesh, ("cluster", "mesh")),
    (gateway_is_in_the_node_network, ("network",)),
    (nodes_are_in_the_node_network, ("network", "nodes")),
    (node_addresses_differ, ("nodes",)),
    (announced_addresses_differ, ("load_balancer", "nodes")),
    (announced_ranges_are_apart, ("load_balancer",)),
)


def broken_rules(groups: Mapping[str, Any]) -> Iterator[Broken]:
    """What breaks a rule among the groups that could be read, by their names in Settings."""
    for rule, needed in _RULES:
        if all(name in groups for name in needed):
            yield from rule(*(groups[name] for name in needed))
