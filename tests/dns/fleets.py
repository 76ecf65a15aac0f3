"""The CoreDNS of every cluster, all with the Corefiles of one kind: ours, or the articles'."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesh.endpoint import Endpoint
from mesh.peer import Peer
from mesh.render.corefile import EXPOSED_PORT, corefile
from tests.dns.hosts import Network
from tests.dns.kubernetes_api import KubernetesApi
from tests.dns.servers import Server, Site, coredns
from tests.mesh.render.clusters import peers, settings

ARTICLES_PEER = """\
{zone}:53 {{
    errors
    cache 10
    rewrite name substring {zone} svc.cluster.local
    forward . {address}:53 {{
        expire 10s
        policy round_robin
    }}
}}
"""


@dataclass(frozen=True)
class World:
    """What all fleets share: the network, each cluster's API, the site's resolver."""

    network: Network
    apis: Mapping[str, KubernetesApi]
    site: Site
    directory: Path


@dataclass(frozen=True)
class Fleet:
    """One running CoreDNS per cluster, by the cluster's name."""

    world: World
    servers: Mapping[str, Server]

    def __getitem__(self, cluster: str) -> Server:
        return self.servers[cluster]


def at(name: str, *addresses: str, dns: Mapping[str, Any] | None = None) -> Peer:
    """A peer whose exposed listener is reached at these addresses, no Service being in front."""
    [peer] = peers(name, dns=dns or {})
    output = peer.endpoint.as_output()
    output["dns"] |= {"addresses": list(addresses), "port": EXPOSED_PORT}
    return Peer(name, Endpoint.from_output(output), "exported", "")


def watching(text: str, api: KubernetesApi) -> str:
    """The Corefile with the one line a pod does not need: where the API server is."""
    plugin = "       pods insecure\n"
    assert text.count(plugin) == 1
    return text.replace(plugin, f"{plugin}       kubeconfig {api.kubeconfig()}\n")


def our_corefile(world: World, own: str, addresses: Mapping[str, str]) -> str:
    """What we render for a cluster whose peers are at these addresses."""
    others = [at(name, address) for name, address in addresses.items() if name != own]
    return watching(corefile(settings(own), others), world.apis[own])


def the_articles_corefile(world: World, own: str, addresses: Mapping[str, str]) -> str:
    """What the first article writes for the same cluster: the rewriting is the asker's."""
    zones = {f"{name}.mesh.example": address for name, address in addresses.items() if name != own}
    return watching(with_the_articles_lines(own, zones), world.apis[own])


def with_the_articles_lines(own: str, peers: Mapping[str, str]) -> str:
    """Kubeadm's Corefile with the article's line for the own zone, and a block for each peer's."""
    kubeadm = corefile(settings(own, dns={"forwarding": False}), [])
    line = f"    rewrite name substring {own}.mesh.example svc.cluster.local\n"
    blocks = [ARTICLES_PEER.format(zone=zone, address=at) for zone, at in peers.items()]
    return "".join([kubeadm.replace("    ready\n", f"    ready\n{line}"), *blocks])


@contextmanager
def fleet(
    world: World, name: str, number: int, *, ours: bool = True, program: str | None = None
) -> Iterator[Fleet]:
    """A CoreDNS for each cluster; `number` keeps the addresses of two fleets apart."""
    addresses = {
        cluster: f"10.11.86.{10 * number + last}" for last, cluster in enumerate(world.apis)
    }
    render = our_corefile if ours else the_articles_corefile
    with ExitStack() as ends:
        servers = {}
        for cluster, address in addresses.items():
            directory = world.directory / f"{name}-{cluster}"
            directory.mkdir()
            text = render(world, cluster, addresses)
            host = world.network.host(address)
            started = coredns(host, directory, text, world.site.host.address, program)
            servers[cluster] = ends.enter_context(started)
        yield Fleet(world, servers)
