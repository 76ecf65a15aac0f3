"""Rules about the namespaces that clusters have for themselves."""

from collections.abc import Iterator

from mesh.settings import Problem
from mesh.topology.topology import Topology, problem


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
            place = topology.clusters[blamed].dns.namespaces.index(name)
            reason = f"is in dns.namespaces of {holder} too"
            instead = "leave it out of one, or rename one"
            yield problem(blamed, f"dns.namespaces[{place}]", name, reason, instead)
