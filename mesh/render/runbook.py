"""What to do when something breaks, with this mesh's own names, addresses and commands."""

from collections.abc import Iterator

from mesh.endpoint import ETCD_PORT
from mesh.render import runbook_certificates, runbook_peers
from mesh.render.api_server import api_server
from mesh.render.dialled import dialled, dns_dialled, names_below
from mesh.render.markdown import commands, listed, table
from mesh.topology import Topology

_COLUMNS = ("stack", "id", "names below", "API server", "mesh etcd", "DNS", "nodes", "peers")


def runbook(topology: Topology) -> str:
    """Markdown: the clusters, then one chapter for each thing that happens to a mesh.

    Every command is one of `kubectl`, `pulumi` and `mesh`, ready to be pasted.
    """
    chapters = (
        _clusters(topology),
        runbook_peers.peer_down(topology),
        runbook_peers.cluster_leaves(topology),
        runbook_peers.address_changes(topology),
        runbook_certificates.certificate_expires(topology),
        runbook_certificates.rotate_the_ca(topology),
    )
    return "\n\n".join("\n\n".join(chapter) for chapter in chapters) + "\n"


def _clusters(topology: Topology) -> Iterator[str]:
    yield f"# Runbook of the mesh of {listed(sorted(topology.clusters))}"
    yield (
        "Written by `mesh runbook` from the stack files: write it anew when they change. Run all\n"
        "commands in the project's directory, with the passphrase or key of the stacks at hand."
    )
    yield table(_COLUMNS, (_row(topology, stack) for stack in sorted(topology.clusters)))
    yield "The way in, with one context for each cluster:"
    yield commands("mesh kubeconfig -o mesh.kubeconfig", "export KUBECONFIG=$PWD/mesh.kubeconfig")


def _row(topology: Topology, stack: str) -> tuple[str, ...]:
    settings = topology.clusters[stack]
    announced = settings.load_balancer
    return (
        stack,
        str(settings.cluster.id),
        names_below(settings),
        api_server(settings),
        dialled(announced.etcd_address, ETCD_PORT),
        dns_dialled(settings),
        str(settings.network.node_cidr),
        ", ".join(topology.peers_of(stack)) or "none",
    )
