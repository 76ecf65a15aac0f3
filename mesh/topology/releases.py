"""Rules about the releases the clusters run."""

from collections.abc import Iterator

from mesh.settings import Problem, Settings, either_file, file_of
from mesh.topology.topology import Topology
from mesh.versions import minor, numbers, version_notices, version_problems

_KEY = "versions.cilium"


def releases_go_together(topology: Topology) -> Iterator[Problem]:
    """Kubernetes, Cilium, CoreDNS and MetalLB of a cluster are of releases tested together.

    Source: the tables of `mesh/versions.py`. Clusters with the same releases are told once.
    """
    for stack, settings in _each_set_of_releases(topology).items():
        yield from version_problems(settings, either_file(file_of(stack)))


def releases_restart_something(topology: Topology) -> Iterator[str]:
    """A sentence for each release that restarts something when a peer is added."""
    for stack, settings in _each_set_of_releases(topology).items():
        yield from version_notices(settings, either_file(file_of(stack)))


def cilium_minors_are_within_one(topology: Topology) -> Iterator[Problem]:
    """Peers run the same minor of Cilium, or two that follow each other.

    Source: Cilium's documentation, network/clustermesh/setup (cilium#47351): 1.18 connects to 1.17
    and 1.19, not to 1.16. Each cluster is held against its oldest and its newest peer only.
    """
    minors = {one: numbers(of.versions.cilium)[1] for one, of in topology.clusters.items()}
    by_age = sorted(minors, key=minors.__getitem__)
    told: set[tuple[str, str]] = set()
    for stack in topology.ordered():
        named = topology.clusters[stack].peers
        known = minors.keys() & set(named or ())
        peers = by_age if named is None else sorted(known, key=minors.__getitem__)
        for peer in dict.fromkeys((*peers[:1], *peers[-1:])):
            pair = topology.blamed(stack, peer)
            if abs(minors[stack] - minors[peer]) > 1 and pair not in told:
                told.add(pair)
                yield _too_far(topology, *pair)


def _too_far(topology: Topology, stack: str, other: str) -> Problem:
    own, theirs = (topology.clusters[one].versions.cilium for one in (stack, other))
    reason = f"is more than one minor from {_KEY} of {other}, {theirs}"
    near = minor(theirs)
    return Problem(
        either_file(file_of(stack)), _KEY, own, reason, f"write a {near}, or one next to it"
    )


def _each_set_of_releases(topology: Topology) -> dict[str, Settings]:
    """One cluster for each set of releases there is, by its stack."""
    found: dict[object, str] = {}
    for stack in topology.ordered():
        found.setdefault(topology.clusters[stack].versions, stack)
    return {stack: topology.clusters[stack] for stack in found.values()}
