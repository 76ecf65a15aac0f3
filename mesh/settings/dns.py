"""What a cluster's CoreDNS does with the zones of the mesh."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from mesh.settings.base import Model, matching, refused
from mesh.settings.namespaces import OTHERS_PATTERN, is_in_every_cluster

_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
DEFAULT_NODE_PORT = 30053


def namespace(value: str) -> str:
    """The name of a namespace that a cluster may have for itself: no other has one of that name."""
    if not _NAMESPACE.fullmatch(value):
        raise refused("is not the name of a namespace", "write one like east-1")
    if is_in_every_cluster(value):
        raise refused("is a namespace of every cluster", "write one of this cluster's own")
    return value


Namespace = Annotated[
    str,
    AfterValidator(namespace),
    matching(OTHERS_PATTERN + _NAMESPACE.pattern),
]


class ExtraDnsSettings(Model):
    """Parts of a Corefile, as CoreDNS's manual writes them; read and checked, not copied."""

    plugins: str = Field(default="", examples=["log"])
    """Lines for the block that answers pods, as `hosts`, `template` or `log`."""
    servers: str = Field(default="", examples=["corp.example { forward . 10.0.0.53 }"])
    """Whole server blocks for zones of yours, as `corp.example { forward . 10.0.0.53 }`."""


class DnsSettings(Model):
    """What CoreDNS does with the zones of the mesh."""

    forwarding: bool = True
    """Answer the own zone and forward the peers' zones; false restores kubeadm's Corefile."""
    mode: Literal["zones", "namespaces", "domain"] = "zones"
    """Which names peers find: all below `cluster.zone`, or whole namespaces, or the own domain.

    With `domain`, `cluster.zone` is the cluster's own domain instead of cluster.local, for ever.
    """
    namespaces: tuple[Namespace, ...] = Field(default=(), examples=[["east-1"]])
    """Namespaces peers may ask for by `<namespace>.svc.cluster.local`; for that mode only."""
    exposure: Literal["loadBalancer", "nodePort"] = "loadBalancer"
    """Where peers ask: at `loadBalancer.dnsAddress`, or at the nodes, where anyone gets in."""
    node_port: int = Field(default=DEFAULT_NODE_PORT, ge=30000, le=32767)
    """Port of every node, UDP and TCP, for the exposure `nodePort` only."""
    cache_seconds: int = Field(default=5, ge=1, le=3600)
    """Longest time a peer's answer is kept; what a peer's Kubernetes says holds for 5 at most."""
    denial_cache_seconds: int = Field(default=2, ge=1, le=3600)
    """Longest time a name that a peer doesn't have stays missing; a new pod is seen then."""
    serve_stale_seconds: int = Field(default=3600, ge=0, le=86400)
    """How long a peer that is away is answered for from what was known before; 0 is not at all."""
    expire_seconds: int = Field(default=10, ge=1, le=3600)
    """How long an idle connection to a peer's DNS is kept for the next question."""
    extra: ExtraDnsSettings = ExtraDnsSettings()
    """What you add to the Corefile."""
