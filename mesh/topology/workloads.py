"""Rules about workloads that are spread over the clusters."""

from collections.abc import Iterator, Mapping
from itertools import permutations

from mesh.settings import Problem, WorkloadSettings, file_of
from mesh.topology.topology import Topology, problem

_FILE, _FORWARDING = "Pulumi.yaml", "dns.forwarding"
_QUORUM = ("cockroachdb", "etcd", "galera", "mongodb")
"""Kinds of which more than half of the members must see each other."""


def members_are_in_clusters_with_a_file(topology: Topology) -> Iterator[Problem]:
    """A workload is spread over clusters that there are."""
    known = {*topology.clusters, *topology.unread}
    for name, workload in _workloads(topology).items():
        for stack in sorted(workload.clusters.keys() - known):
            key, reason = f"workloads.{name}.clusters", "is no stack with a file here"
            instead = f"write one of {', '.join(sorted(known))}, or add {file_of(stack)}"
            yield Problem(_FILE, key, stack, reason, instead)


def namespaces_have_one_workload(topology: Topology) -> Iterator[Problem]:
    """A workload's namespace is made for it, in each cluster, and for no other."""
    holders: dict[tuple[str, str], str] = {}
    for name, workload in _workloads(topology).items():
        told = set()
        for stack in workload.clusters:
            namespace = workload.namespace_in(name, stack)
            other = holders.setdefault((stack, namespace), name)
            if other != name and other not in told:
                told.add(other)
                key, reason = f"workloads.{name}.namespace", f"is the one of {other} too"
                yield Problem(_FILE, key, namespace, reason, "write a namespace of its own")


def members_have_names(topology: Topology) -> Iterator[Problem]:
    """Members know each other by names of the mesh, which CoreDNS has with forwarding only."""
    for name, workload in _workloads(topology).items():
        for stack in workload.clusters:
            one = topology.clusters.get(stack)
            if one and not one.dns.forwarding:
                reason = f"leaves the members of workloads.{name} without names"
                instead = f"write true, or take {stack} out of workloads.{name}.clusters"
                yield problem(stack, _FORWARDING, one.dns.forwarding, reason, instead)


def members_reach_each_other(topology: Topology) -> Iterator[Problem]:
    """Clusters with members of one workload are peers, on both sides."""
    told: set[tuple[str, str]] = set()
    for name, workload in _workloads(topology).items():
        here = [stack for stack in workload.clusters if stack in topology.clusters]
        for stack, other in permutations(sorted(here), 2):
            if other not in topology.peers_of(stack) and (stack, other) not in told:
                told.add((stack, other))
                reason = f"leaves out {other}, which has members of workloads.{name} too"
                yield problem(stack, "peers", None, reason, f"add {other}, or leave peers out")


def no_majority_is_left(topology: Topology) -> Iterator[str]:
    """A sentence for each workload that the loss of one cluster or member may stop."""
    for name, workload in _workloads(topology).items():
        if workload.kind not in _QUORUM:
            continue
        shares = {stack: one.replicas for stack, one in workload.clusters.items() if one.replicas}
        total, key = sum(shares.values()), f"{_FILE}: workloads.{name}"
        if total and total % 2 == 0:
            yield (
                f"{key}: {total} members are no better than {total - 1}: "
                "more than half must see each other; write an odd number in all"
            )
        fatal = [stack for stack, replicas in sorted(shares.items()) if replicas * 2 >= total]
        if fatal and len(shares) > 1:
            yield (
                f"{key}: stops when {' or '.join(fatal)} is lost: "
                "more than half of the members must see each other; a third cluster helps"
            )


def _workloads(topology: Topology) -> Mapping[str, WorkloadSettings]:
    """The workloads by name; they stand in the project's file, and so in any cluster's settings."""
    for stack in topology.ordered():
        return dict(sorted(topology.clusters[stack].workloads.items()))
    return {}
