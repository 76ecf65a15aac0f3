"""What was seen of a cluster, as plain values: the only thing that judging knows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class Unanswered:
    """Why something could not be asked."""

    why: str


Asked: TypeAlias = Value | Unanswered


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A certificate, without its key."""

    holder: str
    """Where it was seen: `API server`, or a Secret's name."""
    kind: Literal["api server", "admin", "authority", "mesh", "hubble"]
    not_before: datetime
    not_after: datetime
    fingerprint: str
    signed: bool = True
    """Whether the CA that its cluster trusts vouches for it."""


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node, and why it isn't Ready; empty when it is."""

    name: str
    unready: str
    kubelet: str


@dataclass(frozen=True, kw_only=True)
class Controller:
    """A Deployment or a DaemonSet: how many pods it wants and has."""

    name: str
    wanted: int
    ready: int
    updated: int


@dataclass(frozen=True, kw_only=True)
class Remote:
    """Another cluster as an agent or kvstoremesh sees it."""

    cluster: str
    ready: bool
    status: str


@dataclass(frozen=True, kw_only=True)
class Agent:
    """A Cilium agent: its own state, the clusters and the nodes (`cluster/node`) it knows."""

    node: str
    state: str
    remotes: tuple[Remote, ...]
    nodes: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Cilium:
    """Cilium's controllers, agents by node, and kvstoremesh; the version is the release's."""

    version: Asked[str]
    controllers: Asked[tuple[Controller, ...]]
    agents: Asked[Mapping[str, Asked[Agent]]]
    kvstoremesh: Asked[tuple[Remote, ...]]


@dataclass(frozen=True, kw_only=True)
class LoadBalancer:
    """A Service of type LoadBalancer: its addresses, pinned and given, and who announces them."""

    namespace: str
    name: str
    pinned: tuple[str, ...]
    given: tuple[str, ...]
    announced_from: frozenset[str]
    ready_endpoints: int

    @property
    def full_name(self) -> str:
        """Namespace and name, as kubectl's columns have them."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Pod:
    """A pod, whether it is ready, and the log's line that says why it isn't."""

    name: str
    ready: bool
    complaint: str = ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a CoreDNS pod said to a question about a zone."""

    zone: str
    code: str
    """About a Service that every cluster has: `NOERROR`…, or why there was no answer."""
    addresses: tuple[str, ...] = ()
    unheard: str = "NXDOMAIN"
    """What it said to a name of the zone that nobody ever asked for, and no cache has."""


@dataclass(frozen=True, kw_only=True)
class Dns:
    """CoreDNS: its Corefile, the hash that was rolled out, its pods, and their answers."""

    corefile: Asked[str]
    rolled_out: str | None
    controller: Asked[Controller]
    pods: Asked[tuple[Pod, ...]]
    address: Asked[str]
    """ClusterIP of the Service `kube-dns`."""
    answers: Mapping[str, Asked[tuple[Answer, ...]]]
    """By pod."""
    node_local: Asked[str] | None
    """The Corefile of the DNS cache on the nodes; None where there is none."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """A Helm release's newest revision. Its values may hold secrets: only keys may be shown."""

    name: str
    status: str
    version: str
    values: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Job:
    """A Job of a stretched workload that failed, and its own reason."""

    namespace: str
    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Everything asked of one cluster that answers."""

    name: str
    version: str
    certificates: tuple[Asked[Certificate], ...]
    nodes: Asked[tuple[Node, ...]]
    cilium: Cilium
    load_balancers: Asked[tuple[LoadBalancer, ...]]
    dns: Dns
    releases: Asked[tuple[Release, ...]]
    failed_jobs: Asked[tuple[Job, ...]]


@dataclass(frozen=True, kw_only=True)
class Silent:
    """A cluster whose API gave no answer, and the certificates that may be why."""

    name: str
    server: str
    why: str
    certificates: tuple[Asked[Certificate], ...] = ()
