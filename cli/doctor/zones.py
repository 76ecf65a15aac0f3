"""What a Corefile says about zones."""

from collections.abc import Iterator

from mesh.corefile.names import served_zones
from mesh.corefile.reader import Directive, server_blocks
from mesh.corefile.words import CorefileError
from mesh.render.corefile import EXPOSED_PORT

_CLUSTER_LOCAL = "cluster.local"


def exposed_zones(corefile: str) -> tuple[str, ...]:
    """The zones that a cluster answers its peers for, sorted; none where it answers none."""
    return tuple(sorted({zone for zone, port in _served(corefile) if port == EXPOSED_PORT}))


def served_zones_of(corefile: str) -> frozenset[str]:
    """Every zone with a server block on the port that pods ask at."""
    return frozenset(zone for zone, port in _served(corefile) if port != EXPOSED_PORT)


def is_namespace(zone: str) -> bool:
    """Whether a zone is one namespace of a cluster, by the label that Kubernetes puts behind it."""
    return zone.split(".")[1:2] == ["svc"]


def domain_of(corefile: str) -> str:
    """What Kubernetes itself calls the cluster, by the plugin that answers for it."""
    lines = (line for block in _blocks(corefile) for line in block.inner())
    named = (line.arguments[0] for line in lines if line.name == "kubernetes" and line.arguments)
    return next(named, _CLUSTER_LOCAL)


def _served(corefile: str) -> Iterator[tuple[str, int]]:
    for block in _blocks(corefile):
        for key in block.words:
            try:
                served = served_zones(key)
            except ValueError:
                continue
            yield from ((one.zone, one.port) for one in served)


def _blocks(corefile: str) -> tuple[Directive, ...]:
    try:
        return server_blocks(corefile)
    except CorefileError:
        return ()
