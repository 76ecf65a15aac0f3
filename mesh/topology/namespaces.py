"""Rules about the namespaces that clusters have for themselves."""

from collections.abc import Iterator

from mesh.settings import Problem
from mesh.topology.topology import Topology, problem

_KEY = "dns.namespaces"


def exported_namespaces_differ(topology: Topology) -> Iterator[Problem]:
    """`<namespace>.svc.cluster.local` leads to one cluster in the whole mesh.

    Source: CoreDNS's manual, server blocks: all below such a zone is asked of the one cluster, and
    two blocks of one zone are `already defined`.
    """
    first: dict[str, str] = {}
    for stack in topology.ordered():
        for name in topology.clusters[stack].dns.namespaces:
            if (other := first.setdefault(name, stack)) == stack:
                continue
            blamed, holder = topology.blamed(stack, other)
            reason, instead = f"is in {_KEY} of {holder} too", "leave it out of one, or rename one"
            yield _problem(topology, blamed, name, reason, instead)


def exported_namespaces_hide_no_workload(topology: Topology) -> Iterator[Problem]:
    """A namespace that a peer exports hides the own one of that name, with all that is in it."""
    for stack, name, workload in _kept(topology):
        for other in topology.ordered():
            if other != stack and name in topology.clusters[other].dns.namespaces:
                reason = f"hides the namespace of workloads.{workload} in {stack}"
                yield _problem(topology, other, name, reason, "write one of another name")


def members_are_in_exported_namespaces(topology: Topology) -> Iterator[Problem]:
    """Where only namespaces have names for peers, those of a workload's members are among them."""
    for stack, name, workload in _kept(topology):
        dns = topology.clusters[stack].dns
        if dns.mode == "namespaces" and name not in dns.namespaces:
            reason = f"leaves out {name}, where members of workloads.{workload} are"
            yield problem(stack, _KEY, None, reason, f"add {name}, or write another dns.mode")


def _kept(topology: Topology) -> Iterator[tuple[str, str, str]]:
    """Each stack, a namespace that a workload has there, and the workload."""
    for stack in topology.ordered():
        for name, workload in sorted(topology.clusters[stack].workloads.items()):
            if stack in workload.clusters:
                yield stack, workload.namespace_in(name, stack), name


def _problem(topology: Topology, stack: str, name: str, reason: str, instead: str) -> Problem:
    place = topology.clusters[stack].dns.namespaces.index(name)
    return problem(stack, f"{_KEY}[{place}]", name, reason, instead)
