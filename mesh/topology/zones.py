"""Rules about the DNS zones of the mesh."""

from collections.abc import Iterator

from mesh.settings import Problem
from mesh.topology.topology import Topology, problem

_KEY = "cluster.zone"


def zones_differ(topology: Topology) -> Iterator[Problem]:
    """A zone leads to one cluster.

    Source: CoreDNS's manual, server blocks; two of one zone are `already defined`.
    """
    zones = {stack: settings.cluster.zone for stack, settings in topology.clusters.items()}
    for stack, other in topology.equal(zones):
        reason = f"is {_KEY} of {other} too"
        yield problem(stack, _KEY, zones[stack], reason, "write a zone of its own")


def zones_are_not_nested(topology: Topology) -> Iterator[Problem]:
    """A name in the inner of two zones is in the outer one as well, and means another pod there.

    Source: CoreDNS's manual: the server block of the longest zone answers; the owner of the outer
    zone would be asked for none of the inner one's names.
    """
    holders = _holders(topology)
    for zone, inner in holders.items():
        for above in _above(zone):
            if above not in holders:
                continue
            outer = holders[above]
            if topology.blamed(inner, outer)[0] == inner:
                reason, place, value = f"is in {_KEY} of {outer}, {above}", inner, zone
            else:
                reason, place, value = f"holds {_KEY} of {inner}, {zone}", outer, above
            yield problem(place, _KEY, value, reason, "write a zone outside it")


def zones_are_no_search_domains(topology: Topology) -> Iterator[Problem]:
    """Short names of a pod are looked for in its node's search domains, and would lead to a peer.

    Source: resolv.conf(5); Kubernetes' documentation, DNS for Services and Pods: a pod's search
    list ends with its node's.
    """
    holders = _holders(topology)
    told = set()
    for stack in topology.ordered():
        for place, written in enumerate(topology.clusters[stack].network.search_domains):
            domain = written.lower().rstrip(".")
            for zone in (domain, *_above(domain)):
                if zone not in holders or (domain, zone) in told:
                    continue
                told.add((domain, zone))
                owner, key = holders[zone], f"network.searchDomains[{place}]"
                verb = "is" if zone == domain else f"holds {written},"
                reason = f"{verb} {key} of {stack}"
                yield problem(owner, _KEY, zone, reason, "write a zone apart from search domains")


def _holders(topology: Topology) -> dict[str, str]:
    holders: dict[str, str] = {}
    for stack in topology.ordered():
        holders.setdefault(topology.clusters[stack].cluster.zone, stack)
    return holders


def _above(name: str) -> Iterator[str]:
    """The domains that a name is in, from the nearest to the top."""
    while name := name.partition(".")[2]:
        yield name
