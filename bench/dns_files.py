"""The Corefiles that `bench/dns.py` compares, for as many peers as wanted."""

from collections.abc import Callable

from mesh.endpoint import Endpoint
from mesh.peer import Peer
from mesh.render.corefile import corefile
from tests.dns.fleets import at, watching, with_the_articles_lines
from tests.dns.kubernetes_api import KubernetesApi
from tests.mesh.render.clusters import settings

Renderer = Callable[[str, KubernetesApi, str, int], str]
"""The Corefile of a cluster with that API, its one real peer's address, and the peers in all."""


def ours(own: str, api: KubernetesApi, address: str, count: int) -> str:
    """What the program renders."""
    [name] = {"east", "west"} - {own}
    real = at(name, address)
    others = [_peer(real.endpoint, number) for number in range(1, count)]
    return watching(corefile(settings(own), [real, *others]), api)


def the_articles(own: str, api: KubernetesApi, address: str, count: int) -> str:
    """What the articles write, into the Corefile that kubeadm ships today."""
    [name] = {"east", "west"} - {own}
    zones = [f"{name}.mesh.example", *(_zone(number) for number in range(1, count))]
    return watching(with_the_articles_lines(own, dict.fromkeys(zones, address)), api)


RENDERERS: dict[str, Renderer] = {"ours": ours, "articles": the_articles}


def _zone(number: int) -> str:
    return f"cluster-{number}.mesh.example"


def _peer(like: Endpoint, number: int) -> Peer:
    changed = {"cluster": f"cluster-{number}", "id": number + 10, "zone": _zone(number)}
    return Peer("", Endpoint.from_output(like.as_output() | changed), "exported", "")
