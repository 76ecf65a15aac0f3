"""Rules about the ranges of pods, Services and nodes, and what is announced beside them."""

from collections.abc import Iterator

from mesh.settings import Problem
from mesh.topology.claims import ANNOUNCED, NODES, PODS, SERVERS, SERVICES, ranges
from mesh.topology.sweep import Claim, Clash, clashes, shared
from mesh.topology.topology import Topology, problem


def pod_ranges_are_apart_from_all_else(topology: Topology) -> Iterator[Problem]:
    """A pod's address leads to that pod from everywhere in the mesh.

    Source: Cilium's documentation, network/clustermesh/setup (PodCIDR ranges of all clusters and
    all nodes are non-conflicting); cilium#42383, #31504: SSH and the API die after the install.
    """
    others = (PODS, SERVICES, NODES, ANNOUNCED, SERVERS)
    claims = shared(ranges(topology, *others), SERVICES, NODES, SERVERS)
    for clash in clashes(claims, [(PODS, other) for other in others]):
        told = _by_kind(topology, clash, PODS)
        yield _problem(told, "overlaps", "write a range apart from all others of the mesh")


def service_ranges_are_apart_from_what_is_reached(topology: Topology) -> Iterator[Problem]:
    """A Service's address hides any other use of it from the pods of its cluster.

    Source: Cilium's documentation, network/clustermesh/services: each cluster resolves a Service
    to an address of its own, so clusters may have one range; kubeadm's documentation: it must not
    overlap the nodes'. A name server, a node or an announced address in it can't be reached.
    """
    others = (NODES, ANNOUNCED, SERVERS)
    claims = shared(ranges(topology, SERVICES, *others), SERVICES, NODES, SERVERS)
    for clash in clashes(claims, [(SERVICES, other) for other in others]):
        told = _by_kind(topology, clash, SERVICES)
        yield _problem(told, "overlaps", "write a range apart from all others of the mesh")


def node_networks_are_one_or_apart(topology: Topology) -> Iterator[Problem]:
    """Clusters have one network for their nodes, or two with a router between them.

    Source: RFC 1122, 3.3.1.1: a host looks for an address of its own network by ARP, so two that
    overlap can't reach each other's nodes; Cilium's documentation, network/clustermesh/setup
    (nodes of all clusters reach each other).
    """
    claims = shared(ranges(topology, NODES), NODES)
    for clash in clashes(claims, [(NODES, NODES)]):
        instead = "write the same network, or one apart from it"
        yield _problem(_by_kind(topology, clash, NODES), "overlaps a part of", instead)


def announced_addresses_are_in_no_other_node_network(topology: Topology) -> Iterator[Problem]:
    """Nodes ask in their own network for its addresses, and no router is heard there.

    Source: RFC 1122, 3.3.1.1. What a cluster announces in its own network is checked with it.
    """
    claims = shared(ranges(topology, ANNOUNCED, NODES), NODES)
    for clash in clashes(claims, [(ANNOUNCED, NODES)]):
        told = _by_kind(topology, clash, ANNOUNCED)
        yield _problem(told, "is in", "write addresses outside the node networks of the others")


def _by_kind(topology: Topology, clash: Clash, kind: str) -> Clash:
    """The clash told from the side that is of this kind, or else of the file to be blamed."""
    one, other = clash.one, clash.other
    if one.kind != other.kind:
        return clash if one.kind == kind else clash.turned()
    blamed, _ = topology.blamed(clash.stack, clash.other_stack)
    return clash if clash.stack == blamed else clash.turned()


def _problem(clash: Clash, verb: str, instead: str) -> Problem:
    where = f" of {clash.other_stack}" if clash.other_stack != clash.stack else ""
    reason = f"{verb} {_key(clash.other, clash.other_stack)}{where}, {clash.other.shown}"
    key = _key(clash.one, clash.stack)
    return problem(clash.stack, key, clash.one.shown, reason, instead)


def _key(claim: Claim, stack: str) -> str:
    return claim.holders[stack]
