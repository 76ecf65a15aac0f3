"""A further cluster: what a stack file like a neighbour's must say otherwise."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network

from cli.failure import Failure
from cli.free import (
    Interval,
    Taken,
    free_network,
    free_number,
    free_shift,
    interval,
    surroundings,
)
from cli.stack_file import Place
from mesh.settings import file_of
from mesh.topology import Topology

_TENS = 10
_OR = "or name a stack with more room by --like"


def proposal(topology: Topology, name: str, like: str) -> dict[Place, object]:
    """What is free for a cluster called `name`, as near to a neighbour's values as can be.

    By the places in the neighbour's file. Raises Failure, saying what there is no room for.
    """
    model = topology.clusters[like]
    most = model.mesh.max_connected_clusters
    number = free_number((one.cluster.id for one in topology.clusters.values()), most)
    if number is None:
        raise Failure(f"all ids of the mesh are taken, 1 to {most}")
    zone = model.cluster.zone.split(".")
    place = zone.index(model.cluster.name) if model.cluster.name in zone else 0
    folder = model.vsphere.folder.rpartition("/")
    return {
        ("cluster", "name"): name,
        ("cluster", "id"): number,
        ("cluster", "zone"): ".".join([*zone[:place], name, *zone[place + 1 :]]),
        **{
            ("dns", "namespaces", number): _namespace(one, model.cluster.name, name)
            for number, one in enumerate(model.dns.namespaces)
        },
        **dict(_ranges(topology, like)),
        **dict(_addresses(topology, like)),
        ("vsphere", "folder"): f"{folder[0]}{folder[1]}{name}",
    }


def _namespace(like: str, model: str, name: str) -> str:
    return like.replace(model, name) if model in like else f"{name}-{like}"


def _ranges(topology: Topology, stack: str) -> Iterator[tuple[Place, object]]:
    model = topology.clusters[stack]
    routed = model.mesh.native_routing_cidr
    taken = [*_inner(topology), *_outer(topology)]
    for key, like, within in (
        ("podCidr", model.network.pod_cidr, routed or surroundings(model.network.pod_cidr)),
        ("serviceCidr", model.network.service_cidr, surroundings(model.network.service_cidr)),
    ):
        found = free_network(like, Taken(taken), within)
        if found is None:
            raise Failure(
                f"{file_of(stack)}: network.{key}: {like} has no free range as large in {within}: "
                f"write another one, {_OR}"
            )
        taken.append(interval(found))
        yield ("network", key), str(found)


def _addresses(topology: Topology, stack: str) -> Iterator[tuple[Place, object]]:
    """Nodes and announced addresses, each group moved as a whole out of everybody's way."""
    model, taken = topology.clusters[stack], [*_single(topology)]
    subnet = model.network.node_cidr
    where = f"{file_of(stack)}: network.nodeCidr", "write a larger one"
    nodes = {_place(key): (int(one), int(one)) for key, one in model.nodes.keyed_addresses()}
    tens = -(-_span(nodes) // _TENS) * _TENS
    for place, (first, last) in _moved(nodes, taken, subnet, tens, where).items():
        taken.append((first, last))
        yield place, str(IPv4Address(first))
    announced: dict[Place, Interval] = {
        _place(key): (int(one), int(one)) for key, one in model.load_balancer.pinned()
    }
    for number, one in enumerate(model.load_balancer.addresses):
        announced["loadBalancer", "addresses", number] = int(one.first), int(one.last)
    if model.load_balancer.bgp:
        # Routed there, and no part of any node network.
        where = f"{file_of(stack)}: loadBalancer", "write addresses of another range"
        subnet = surroundings(IPv4Network(min(first for first, _ in announced.values())))
        taken += [*_inner(topology), *map(interval, _node_networks(topology))]
    room = _moved(announced, taken, subnet, _span(announced), where)
    for place, (first, last) in room.items():
        pinned = len(place) == 2
        start = str(IPv4Address(first))
        yield place, start if pinned else f"{start}-{IPv4Address(last)}"


def _moved(
    block: Mapping[Place, Interval],
    taken: list[Interval],
    subnet: IPv4Network,
    stride: int,
    where: tuple[str, str],
) -> dict[Place, Interval]:
    """The block in a free place of `subnet`, which is written at `where`.

    Raises Failure without one, with the file and key of `where` and what to write there.
    """
    if not block:
        return {}
    shift = free_shift([*block.values()], Taken(taken), subnet, stride)
    if shift is None:
        count = sum(last - first + 1 for first, last in block.values())
        kind = "nodes" if any(place[0] == "nodes" for place in block) else "loadBalancer"
        raise Failure(
            f"{where[0]}: {subnet} has no room for {count} more addresses of {kind}, placed alike: "
            f"{where[1]}, {_OR}"
        )
    return {place: (first + shift, last + shift) for place, (first, last) in block.items()}


def _span(block: Mapping[Place, Interval]) -> int:
    ends = [end for one in block.values() for end in one]
    return max(ends, default=0) - min(ends, default=0) + 1


def _place(key: str) -> Place:
    """The place of a dotted key, as in `nodes.worker.addresses[2]`."""
    parts = key.replace("]", "").replace("[", ".").split(".")
    return tuple(int(part) if part.isdecimal() else part for part in parts)


def _inner(topology: Topology) -> Iterator[Interval]:
    """What is inside the clusters, and what the site routes."""
    for settings in topology.clusters.values():
        yield interval(settings.network.pod_cidr)
        yield interval(settings.network.service_cidr)


def _outer(topology: Topology) -> Iterator[Interval]:
    """What is around the clusters: whole node networks, and single addresses elsewhere."""
    yield from map(interval, _node_networks(topology))
    yield from _single(topology)


def _node_networks(topology: Topology) -> set[IPv4Network]:
    return {settings.network.node_cidr for settings in topology.clusters.values()}


def _single(topology: Topology) -> Iterator[Interval]:
    for settings in topology.clusters.values():
        network, announced = settings.network, settings.load_balancer
        for one in (network.gateway, *network.name_servers):
            yield int(one), int(one)
        for _, one in (*settings.nodes.keyed_addresses(), *announced.pinned()):
            yield int(one), int(one)
        for ranges in announced.addresses:
            yield int(ranges.first), int(ranges.last)
        for _, router in announced.routers():
            yield int(router), int(router)
