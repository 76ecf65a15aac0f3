"""The chapters of the runbook about clusters that go, or go away."""

from collections.abc import Iterator

from mesh.render.markdown import commands
from mesh.settings import Settings
from mesh.topology import Topology


def peer_down(topology: Topology) -> Iterator[str]:
    """What still works, how to look, and how to mend or rebuild each cluster."""
    seconds = max(one.dns.serve_stale_seconds for one in topology.clusters.values())
    yield "## A peer is down"
    yield (
        "The other clusters work on, and so do their pods among each other. Of the one that is\n"
        "down they keep the last known state; its names are answered from their caches for up\n"
        f"to {seconds} seconds (`dns.serveStaleSeconds`). Nothing must be done on their side,\n"
        "also when it comes back."
    )
    for stack in sorted(topology.clusters):
        yield from _one_down(topology, stack)


def cluster_leaves(topology: Topology) -> Iterator[str]:
    """The order in which a cluster leaves, for each of them."""
    yield "## A cluster leaves"
    yield (
        "First the others let go of it, then it is destroyed, then its stack goes. The other way\n"
        "round they would dial a cluster that isn't there. `mesh remove` takes it out of their\n"
        "files and says what their previews will show."
    )
    for stack in sorted(topology.clusters):
        yield f"### {stack} leaves"
        if stack == authority_of(topology):
            yield _another_authority(stack)
        yield commands(
            f"mesh remove {stack}",
            *(f"pulumi up -s {one}" for one in _dialling(topology, stack)),
            f"pulumi state unprotect --all -s {stack}",
            f"pulumi destroy -s {stack}",
            f"pulumi stack rm {stack}",
        )
        yield f"The last command deletes `Pulumi.{stack}.yaml` too."


def address_changes(topology: Topology) -> Iterator[str]:
    """What to bring up in which order after an address changed."""
    yield "## An address of a peer changes"
    yield (
        "`loadBalancer.etcdAddress` and `loadBalancer.dnsAddress` may change: write the new one\n"
        "into the stack's file, bring that stack up, then its peers. A peer that wasn't brought\n"
        "up yet dials the old address: its pods go on reaching what they know, and new pods and\n"
        "names of the changed cluster stay unknown there."
    )
    for stack in sorted(topology.clusters):
        if dialling := _dialling(topology, stack):
            yield f"### An address of {stack} changes"
            if topology.clusters[stack].dns.exposure == "nodePort":
                yield f"{stack} is asked for names at its nodes: the same when nodes come or go."
            ups = [f"pulumi up -s {one}" for one in (stack, *dialling)]
            yield commands("mesh check", f"pulumi preview -s {stack}", *ups)
    yield (
        "The address of a node is another matter: a worker is built anew, and a control plane,\n"
        "which would lose its etcd, is protected. A cluster's pod range, service range, name and\n"
        "id never change while it lives."
    )


def authority_of(topology: Topology) -> str:
    """The stack that makes the CA of the mesh."""
    return next(iter(topology.clusters.values())).mesh.authority


def _one_down(topology: Topology, stack: str) -> Iterator[str]:
    settings, peers = topology.clusters[stack], topology.peers_of(stack)
    yield f"### {stack} is down"
    if peers:
        yield f"What {peers[0]} sees of it, in the lines below `ClusterMesh`:"
        yield commands(_agent_status(topology.clusters[peers[0]]))
    yield "Whether it answers, and what it announces to its peers:"
    own = f"kubectl --context {settings.cluster.name}"
    names = " mesh-dns" if settings.dns.forwarding else ""
    yield commands(
        f"{own} get nodes",
        f"{own} -n kube-system get pods -o wide",
        f"{own} -n kube-system get service clustermesh-apiserver{names}",
        _agent_status(settings),
    )
    yield "Bring it to what its file says; the first line cleans up after a killed engine:"
    yield commands(f"mesh repair {stack}", f"pulumi up -s {stack}")
    yield (
        "If the cluster is lost, destroy it and build it anew. It gets the same addresses and the\n"
        "same CA, and no peer has to be touched."
    )
    if stack == authority_of(topology):
        yield _another_authority(stack)
    yield commands(
        f"pulumi state unprotect --all -s {stack}",
        f"pulumi destroy -s {stack}",
        f"pulumi up -s {stack}",
    )


def _another_authority(stack: str) -> str:
    return (
        f"**{stack} is the authority of the mesh.** Name another stack in `mesh.authority` of\n"
        "`Pulumi.yaml` first: that one goes on exporting the CA it adopted. Otherwise the next\n"
        f"`up` of {stack} makes another CA, which every other stack refuses."
    )


def _dialling(topology: Topology, stack: str) -> list[str]:
    return [one for one, other in topology.pairs() if other == stack]


def _agent_status(settings: Settings) -> str:
    own = f"kubectl --context {settings.cluster.name} -n kube-system"
    return f"{own} exec ds/cilium -c cilium-agent -- cilium-dbg status --verbose"
