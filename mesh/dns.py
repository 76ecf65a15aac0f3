"""What a cluster's DNS answers its peers, and where they ask for it."""

from dataclasses import replace
from ipaddress import IPv4Address
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass as checked_dataclass

from mesh.settings import Settings

DNS_PORT = 53
MOST_UPSTREAMS = 15
"""Addresses that CoreDNS's `forward` takes."""
CAMEL_CASE = ConfigDict(alias_generator=to_camel, validate_by_name=True)

_CLUSTER_LOCAL = "cluster.local"
_Mode = Literal["zones", "namespaces", "domain"]


@checked_dataclass(frozen=True, config=CAMEL_CASE)
class Dns:
    """Where a cluster is asked for names; no addresses when it answers no peer, or not yet.

    What has a default was not exported from the beginning, and had that value then.
    """

    addresses: tuple[IPv4Address, ...]
    port: int
    mode: _Mode = "zones"
    namespaces: tuple[str, ...] = ()
    """Those peers may ask for, with the mode `namespaces`."""
    awaited: Annotated[bool, Field(exclude=True)] = False
    """Whether MetalLB is to choose the address in the cluster's own `up`. Never exported."""

    def zones(self, zone: str) -> tuple[str, ...]:
        """The zones that are answered for peers, in the cluster whose own one is `zone`."""
        if self.mode == "namespaces":
            return tuple(f"{name}.svc.{_CLUSTER_LOCAL}" for name in self.namespaces)
        return (zone,)

    def namespace(self, name: str, zone: str) -> str:
        """What follows a Service of a namespace in the name by which every cluster finds it."""
        if self.mode == "namespaces":
            return f"{name}.svc.{_CLUSTER_LOCAL}"
        return f"{name}.{zone}"

    def domain(self, zone: str) -> str:
        """What Kubernetes itself calls its cluster, kubeadm's `dnsDomain`."""
        return zone if self.mode == "domain" else _CLUSTER_LOCAL


def planned_dns(settings: Settings) -> Dns:
    """What the settings say; addresses that MetalLB chooses are awaited."""
    own, address = settings.dns, settings.load_balancer.dns_address
    names = Dns((), DNS_PORT, own.mode, own.namespaces)
    if not own.forwarding:
        return names
    if own.exposure == "nodePort":
        return replace(names, addresses=_nodes(settings), port=own.node_port)
    if isinstance(address, IPv4Address):
        return replace(names, addresses=(address,))
    return replace(names, awaited=True)


def _nodes(settings: Settings) -> tuple[IPv4Address, ...]:
    """The nodes that peers ask: the first workers, which a worker added at the end leaves alone."""
    nodes = settings.nodes
    return (*nodes.worker.addresses, *nodes.control_plane.addresses)[:MOST_UPSTREAMS]
