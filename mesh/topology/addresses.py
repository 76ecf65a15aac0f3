"""Rules about single addresses: nobody has one that another cluster has already."""

from collections.abc import Iterator

from mesh.settings import Problem
from mesh.topology.claims import SITE, TAKEN, addresses
from mesh.topology.sweep import Clash, clashes, shared
from mesh.topology.topology import Topology, problem

_ETCD = "loadBalancer.etcdAddress"


def no_address_is_taken_twice(topology: Topology) -> Iterator[Problem]:
    """An address of a node, a LoadBalancer or a pool is one cluster's in the whole mesh.

    Source: RFC 5227: two hosts with one address disturb both; MetalLB's documentation: pools of
    two clusters are not compared by anyone. Two clusters with one etcd address dial themselves.
    """
    taken = [claim for claim in addresses(topology) if claim.kind == TAKEN]
    for clash in clashes(taken, [(TAKEN, TAKEN)], _between_clusters):
        blamed, _ = topology.blamed(clash.stack, clash.other_stack)
        told = clash if clash.stack == blamed else clash.turned()
        key = told.one.holders[told.stack]
        reason = f"{_meets(told)} of {told.other_stack}"
        if key == told.other.holders[told.other_stack] == _ETCD:
            reason = f"{_meets(told)} of {told.other_stack} too, so each would dial itself"
        yield problem(told.stack, key, told.one.shown, reason, "write addresses of its own")


def no_cluster_has_what_is_the_sites(topology: Topology) -> Iterator[Problem]:
    """No cluster has an address of the site that another cluster relies on.

    Source: RFC 5227; within one cluster the settings' own rules say it.
    """
    claims = shared(addresses(topology), SITE)
    for clash in clashes(claims, [(TAKEN, SITE)], _between_clusters):
        told = clash if clash.one.kind == TAKEN else clash.turned()
        key = told.one.holders[told.stack]
        reason = f"{_meets(told)} of {told.other_stack}"
        yield problem(told.stack, key, told.one.shown, reason, "write another address")


def _between_clusters(clash: Clash) -> bool:
    return clash.stack != clash.other_stack


def _meets(clash: Clash) -> str:
    one, other, key = clash.one, clash.other, clash.other.holders[clash.other_stack]
    if (one.first, one.last) == (other.first, other.last):
        return f"is {key}"
    if one.first <= other.first and other.last <= one.last:
        return f"holds {other.shown}, {key}"
    inside = other.first <= one.first and one.last <= other.last
    return f"{'is in' if inside else 'overlaps'} {other.shown}, {key}"
