"""The rules about addresses MetalLB chooses itself, and addresses it announces by BGP."""

from collections.abc import Iterator
from ipaddress import summarize_address_range

from mesh.settings.load_balancer import AUTO, AddressRange, LoadBalancerSettings
from mesh.settings.network import NetworkSettings
from mesh.settings.nodes import NodesSettings
from mesh.settings.problems import Broken


def an_address_can_be_chosen(load_balancer: LoadBalancerSettings) -> Iterator[Broken]:
    """MetalLB chooses an address out of the ranges, and nowhere else; one for each Service."""
    free = sum(len(addresses) for addresses in load_balancer.addresses)
    chosen = [key for key, written in load_balancer.dialled() if written == AUTO]
    for key in chosen[free:]:
        if free:
            reason, instead = "finds none left in loadBalancer.addresses", "write more there"
        else:
            reason, instead = "has no range to come from", "write one into loadBalancer.addresses"
        yield Broken(key, AUTO, reason, instead)


def bgp_announces_outside_the_node_network(
    load_balancer: LoadBalancerSettings, network: NetworkSettings
) -> Iterator[Broken]:
    """A neighbour in the node network asks by ARP for an address of it, and BGP answers none."""
    nodes = AddressRange(network.node_cidr[0], network.node_cidr[-1])
    for key, addresses in _announced(load_balancer) if load_balancer.bgp else ():
        if addresses.overlaps(nodes):
            reason = f"is in network.nodeCidr, {network.node_cidr}, where BGP announces nothing"
            instead = "write one outside it, or leave loadBalancer.bgp out"
            yield Broken(key, _shown(addresses), reason, instead)


def bgp_announces_nothing_of_the_sites(
    load_balancer: LoadBalancerSettings, network: NetworkSettings
) -> Iterator[Broken]:
    """A route to the address of a router or a name server leads away from it."""
    site = {one: f"network.nameServers[{place}]" for place, one in enumerate(network.name_servers)}
    site |= {router: key for key, router in load_balancer.routers()}
    for key, addresses in _announced(load_balancer) if load_balancer.bgp else ():
        for one, whose in site.items():
            # Of the node network nothing is announced at all, and the rule above says so.
            if one in addresses and one not in network.node_cidr:
                alone = addresses.first == addresses.last
                reason = f"is {whose}" if alone else f"holds {one}, {whose}"
                yield Broken(key, _shown(addresses), reason, "write others, which are nobody's")


def routers_are_no_nodes(
    load_balancer: LoadBalancerSettings, nodes: NodesSettings
) -> Iterator[Broken]:
    """Two hosts with one address disturb both (RFC 5227), and a node has no session with itself."""
    taken = {address: key for key, address in nodes.keyed_addresses()}
    for key, router in load_balancer.routers():
        if router in taken:
            reason, instead = f"is {taken[router]} too", "write the router's own address"
            yield Broken(key, str(router), reason, instead)


def bgp_peers_differ(load_balancer: LoadBalancerSettings) -> Iterator[Broken]:
    """A router keeps one session with a node, and ends the older of two."""
    before = set()
    for key, router in load_balancer.routers():
        if router in before:
            yield Broken(key, str(router), "is another peer's too", "take one of them out")
        before.add(router)


def only_another_system_is_many_hops_away(load_balancer: LoadBalancerSettings) -> Iterator[Broken]:
    """Sessions inside one autonomous system cross routers anyway; MetalLB refuses the word."""
    bgp = load_balancer.bgp
    for place, peer in enumerate(bgp.peers if bgp else ()):
        if bgp and peer.multi_hop and peer.asn == bgp.asn:
            reason = "is for a router of another autonomous system"
            key = f"loadBalancer.bgp.peers[{place}].multiHop"
            yield Broken(key, peer.multi_hop, reason, "take it out")


def announcements_are_no_wider_than_ranges(
    load_balancer: LoadBalancerSettings,
) -> Iterator[Broken]:
    """MetalLB refuses to announce more at once than the largest block of a range holds."""
    bgp = load_balancer.bgp
    for addresses in load_balancer.addresses if bgp else ():
        blocks = summarize_address_range(addresses.first, addresses.last)
        widest = min(block.prefixlen for block in blocks)
        if bgp and bgp.aggregation_length < widest:
            reason = f"is wider than all blocks of {addresses}"
            key = "loadBalancer.bgp.aggregationLength"
            yield Broken(key, bgp.aggregation_length, reason, f"write {widest} to 32")


def _announced(load_balancer: LoadBalancerSettings) -> Iterator[tuple[str, AddressRange]]:
    for key, address in load_balancer.pinned():
        yield key, AddressRange(address, address)
    for place, addresses in enumerate(load_balancer.addresses):
        yield f"loadBalancer.addresses[{place}]", addresses


def _shown(addresses: AddressRange) -> str:
    return str(addresses.first if addresses.first == addresses.last else addresses)
