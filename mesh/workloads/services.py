"""The names by which members and clients find each other."""

from typing import Any

from mesh.workloads.names import client_host, public_name
from mesh.workloads.pod import labels, selector
from mesh.workloads.software import Software
from mesh.workloads.workload import Site

_WITHOUT_AWAIT = {"pulumi.com/skipAwait": "true"}


def services(site: Site, software: Software) -> tuple[dict[str, Any], ...]:
    """The headless Service of the members, and the Service that clients in the cluster use."""
    return (
        # Members find each other before they are ready: they get ready by finding each other.
        _service(site, software, site.workload, clusterIP="None", publishNotReadyAddresses=True),
        _service(site, software, public_name(site.workload)),
    )


def client_service(site: Site, namespace: str) -> dict[str, Any]:
    """The same name in a namespace of clients."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": public_name(site.workload),
            "namespace": namespace,
            "labels": labels(site.workload),
        },
        "spec": {"type": "ExternalName", "externalName": client_host(site)},
    }


def _service(site: Site, software: Software, name: str, **spec: object) -> dict[str, Any]:
    ports = [
        {"name": name, "port": port, "targetPort": port} for name, port in software.ports.items()
    ]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": name,
            "namespace": site.namespace,
            "labels": labels(site.workload),
            # A member is ready when the peers' members are there, and no `up` waits for a peer.
            "annotations": _WITHOUT_AWAIT,
        },
        "spec": {**spec, "selector": selector(site.workload), "ports": ports},
    }
