"""Workloads as a user would write them, in a mesh of two clusters or three."""

from collections.abc import Mapping
from typing import Any

from mesh.topology import Topology
from mesh.workloads import Workload, workloads_in
from tests.mesh.render.clusters import settings

LEDGER: dict[str, Any] = {
    "kind": "etcd",
    "clientNamespaces": ["shop"],
    "clusters": {
        "east": {"replicas": 2, "region": "us-east-1", "storageClass": "thin-disk"},
        "west": {"replicas": 1, "namespace": "ledger-west", "nodeSelector": {"disk": "fast"}},
    },
}
BOOKS: dict[str, Any] = {
    "kind": "galera",
    "clusters": {"east": {"replicas": 2}, "west": {"replicas": 1}},
}
NOTES: dict[str, Any] = {
    "kind": "custom",
    "image": "registry.example.com/notes:1.2.0",
    "arguments": ["--name=${MEMBER_NAME}", "--join=${SEED_ADDRESSES}"],
    "ports": {"client": 8080, "gossip": 8081},
    "configuration": {"path": "/etc/notes/notes.conf", "text": "${MEMBER_NAME}: ${MEMBERS}\n"},
    "clusters": {"east": {"replicas": 2}, "west": {"replicas": 1}},
}


def mesh(
    workloads: Mapping[str, Any],
    own: str = "east",
    clusters: tuple[str, ...] = ("east", "west"),
    **changes: Mapping[str, Any],
) -> Topology:
    """A mesh whose project file has these workloads."""
    written = {name: settings(name, workloads=workloads, **changes) for name in clusters}
    return Topology(written, own)


def workload(written: Mapping[str, Any], own: str = "east", **how: Any) -> Workload:
    """The workload `ledger`, written so, as the stack `own` sees it."""
    [found] = workloads_in(mesh({"ledger": written}, own, **how), own)
    return found


def spread(written: Mapping[str, Any], **replicas: int) -> dict[str, Any]:
    """The same workload with so many members in each cluster."""
    return {**written, "clusters": {name: {"replicas": some} for name, some in replicas.items()}}
