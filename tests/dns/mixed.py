"""Clusters of all three modes in one mesh: east a zone, west a namespace, north a domain."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from mesh.endpoint import planned_endpoint
from mesh.peer import Peer, peer
from mesh.render.corefile import EXPOSED_PORT, corefile
from mesh.settings import Settings
from tests.dns.fleets import Fleet, World, at, watching
from tests.dns.hosts import Host
from tests.dns.objects import EXPORTED
from tests.dns.servers import Server, coredns
from tests.mesh.render.clusters import settings

NODE_PORT = 30153
DNS: Mapping[str, Mapping[str, Any]] = {
    "east": {},
    "west": {"mode": "namespaces", "namespaces": [EXPORTED]},
    "north": {"mode": "domain", "exposure": "nodePort", "nodePort": NODE_PORT},
}


@contextmanager
def mixed_fleet(
    world: World, name: str, number: int, program: str | None = None
) -> Iterator[Fleet]:
    """A CoreDNS for each cluster, north's asked at its nodes; `number` keeps fleets apart."""
    clusters = {cluster: _settings(cluster, number) for cluster in DNS}
    hosts = {
        cluster: world.network.host(f"10.11.86.{10 * number + last}")
        for last, cluster in enumerate(DNS)
    }
    with ExitStack() as ends:
        servers: dict[str, Server] = {}
        for cluster, own in clusters.items():
            others = [_peer(clusters[one], hosts[one]) for one in DNS if one != cluster]
            text = watching(corefile(own, others), world.apis[cluster])
            directory = world.directory / f"{name}-{cluster}"
            directory.mkdir()
            started = coredns(
                hosts[cluster], directory, exposed(own, hosts[cluster], text), _site(world), program
            )
            servers[cluster] = ends.enter_context(started)
        yield Fleet(world, servers)


def exposed(own: Settings, host: Host, text: str) -> str:
    """The Corefile of a pod that is reached where its nodes are, no NodePort being in front."""
    if own.dns.exposure == "loadBalancer":
        return text
    for address in planned_endpoint(own).dns.addresses:
        host.also_has(str(address))
    zone = own.cluster.zone
    return text.replace(f"{zone}:{EXPOSED_PORT} {{", f"{zone}:{own.dns.node_port} {{")


def _settings(cluster: str, number: int) -> Settings:
    first = 150 + 5 * number
    nodes = {
        "controlPlane": {"addresses": [f"10.11.87.{first}"]},
        "worker": {"addresses": [f"10.11.87.{first + last}" for last in (1, 2, 3)]},
    }
    return settings(cluster, dns=DNS[cluster], nodes=nodes)


def _peer(other: Settings, host: Host) -> Peer:
    if other.dns.exposure == "loadBalancer":
        return at(other.cluster.name, host.address, dns=DNS[other.cluster.name])
    # As it was planned: these nodes do answer.
    return peer(other.cluster.name, planned_endpoint(other), None)


def _site(world: World) -> str:
    return world.site.host.address
