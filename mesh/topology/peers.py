"""Rules about who dials whom."""

from collections.abc import Collection, Iterator

from mesh.settings import Problem, file_of
from mesh.topology.topology import Topology, problem

_KEY = "peers"


def peers_have_a_file(topology: Topology) -> Iterator[Problem]:
    """A peer is dialled at the addresses its file plans, and no cluster is its own peer.

    Source: Cilium ignores an own entry, and waits for ever for a cluster that isn't there.
    """
    known = {*topology.clusters, *topology.unread}
    for stack in topology.ordered():
        for peer in topology.clusters[stack].peers or ():
            if peer == stack:
                reason, instead = "is this stack itself", "take it out, no cluster is its own peer"
                yield problem(stack, _KEY, peer, reason, instead)
            elif peer not in known:
                reason = "is no other stack with a file here"
                yield problem(stack, _KEY, peer, reason, _one_of(peer, known - {stack}))


def the_authority_has_a_file(topology: Topology) -> Iterator[Problem]:
    """The stack that makes the mesh's CA is one of the mesh."""
    known = {*topology.clusters, *topology.unread}
    for authority in {one.mesh.authority: None for one in topology.clusters.values()}:
        if authority not in known:
            reason, instead = "is no stack with a file here", _one_of(authority, known)
            yield Problem("Pulumi.yaml", "mesh.authority", authority, reason, instead)


def dialled_by_one_side_only(topology: Topology) -> Iterator[str]:
    """A cluster lets in the nodes of its own peers only, so a peering has two sides.

    One sentence for each cluster that leaves out clusters by which it is dialled; one alone for a
    cluster that all others leave out, as one that is about to leave is. Source: our own
    `loadBalancerSourceRanges`.
    """
    leaving = _left_out_by_all(topology)
    for stack in sorted(leaving):
        yield (
            f"{file_of(stack)}: {stack} is left out by all others: its own `up` isn't needed; "
            f"destroy it, or name it in the {_KEY} of the others"
        )
    dial_all = {stack for stack, one in topology.clusters.items() if one.peers is None}
    dialled_by: dict[str, set[str]] = {}
    for stack, settings in topology.clusters.items():
        for peer in settings.peers or ():
            dialled_by.setdefault(peer, set()).add(stack)
    for stack in topology.ordered():
        named = topology.clusters[stack].peers
        if named is None:
            continue
        missing = (dial_all | dialled_by.get(stack, set())) - {*named, stack, *leaving}
        if missing:
            yield (
                f"{file_of(stack)}: {_KEY}: leaves out {_listed(missing)}, by which {stack} is "
                f"dialled; {stack} lets in the nodes of its own peers only: "
                "name both sides, or neither"
            )


def _left_out_by_all(topology: Topology) -> set[str]:
    """The clusters that dial several others and are dialled by none; the authority can't leave."""
    dialled = {other for _, other in topology.pairs()}
    authorities = {one.mesh.authority for one in topology.clusters.values()}
    alone = topology.clusters.keys() - dialled - authorities
    return {stack for stack in alone if len(topology.peers_of(stack)) > 1}


def _listed(stacks: Collection[str]) -> str:
    first = sorted(stacks)[:3]
    more = len(stacks) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")


def _one_of(stack: str, known: set[str]) -> str:
    choices = f"write one of {', '.join(sorted(known))}, or " if known else ""
    return f"{choices}add {file_of(stack)}"
