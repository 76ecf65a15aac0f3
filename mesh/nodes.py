"""The machines of a cluster as its settings plan them."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Literal

from mesh.settings import ControlPlaneSettings, Settings, WorkerSettings


@dataclass(frozen=True)
class Node:
    """One machine; `name` is its VM's name, its hostname and its name in Kubernetes."""

    name: str
    role: Literal["control-plane", "worker"]
    address: IPv4Address
    cpus: int
    memory_gib: int
    disk_gib: int


def nodes(settings: Settings) -> tuple[Node, ...]:
    """Every node of the cluster, control planes first, each kind numbered from 1."""
    cluster, planned = settings.cluster.name, settings.nodes
    return (
        *_nodes(cluster, "control-plane", planned.control_plane),
        *_nodes(cluster, "worker", planned.worker),
    )


def node_generation(settings: Settings, node: Node) -> str:
    """Twelve hexadecimal digits that change when the node must be built anew.

    They stand for the template, the Kubernetes version, and the node's own identity and way out.
    Processors, memory and disk are left out as vSphere changes them in place; so are tokens,
    keys and other nodes, so that adding a worker rebuilds no other.
    """
    built_from = {
        "template": settings.vsphere.template,
        "kubernetes": settings.versions.kubernetes,
        "name": node.name,
        "role": node.role,
        "address": f"{node.address}/{settings.network.node_cidr.prefixlen}",
        "gateway": str(settings.network.gateway),
    }
    text = json.dumps(built_from, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _nodes(
    cluster: str,
    role: Literal["control-plane", "worker"],
    planned: ControlPlaneSettings | WorkerSettings,
) -> Iterator[Node]:
    for number, address in enumerate(planned.addresses, start=1):
        yield Node(
            name=f"{cluster}-{role}-{number}",
            role=role,
            address=address,
            cpus=planned.cpus,
            memory_gib=planned.memory_gib,
            disk_gib=planned.disk_gib,
        )
