"""Everything that one cluster needs of a workload, as plain Kubernetes objects."""

from collections.abc import Mapping
from typing import Any

from mesh.workloads.environment import facts, member_variables
from mesh.workloads.kinds import software_of
from mesh.workloads.pod import labels, pod_spec, selector
from mesh.workloads.services import client_service, services
from mesh.workloads.software import Software, secret_name
from mesh.workloads.tasks import tasks
from mesh.workloads.workload import Site, Workload

Manifest = dict[str, Any]
_GENERATION = "vsphere-cluster-mesh/certificates"
_DISRUPTION = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"}


def manifests(workload: Workload, site: Site, generation: int) -> tuple[Manifest, ...]:
    """All objects but the Secrets, each after those it needs.

    `generation` counts the renewals of the certificates.
    """
    software = software_of(workload, site)
    return (
        *_configuration(workload, site, software),
        *services(site, software),
        _budget(site),
        _stateful_set(workload, site, software, generation),
        *(client_service(site, namespace) for namespace in workload.settings.client_namespaces),
        *tasks(workload, site, software),
    )


def namespace(site: Site) -> Manifest:
    """The namespace of the members."""
    metadata = {"name": site.namespace, "labels": labels(site.workload)}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def secret_manifests(workload: Workload, site: Site) -> dict[tuple[str, str], bool]:
    """The Secrets by (namespace, name), and whether each is for clients."""
    spaces = (site.namespace, *workload.settings.client_namespaces)
    return {
        (site.namespace, secret_name(site)): False,
        **{(space, secret_name(site, for_clients=True)): True for space in spaces},
    }


def _configuration(workload: Workload, site: Site, software: Software) -> tuple[Manifest, ...]:
    members = {**facts(workload, software.ports), **software.facts}
    maps = {"members": members, "configuration": software.files}
    return tuple(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": _metadata(site, f"{site.workload}-{name}"),
            "data": dict(data),
        }
        for name, data in maps.items()
        if data is not None
    )


def _budget(site: Site) -> Manifest:
    spec = {"maxUnavailable": 1, "selector": {"matchLabels": selector(site.workload)}}
    return {**_DISRUPTION, "metadata": _metadata(site, site.workload), "spec": spec}


def _stateful_set(workload: Workload, site: Site, software: Software, generation: int) -> Manifest:
    renewed = {} if software.reloads_certificates else {_GENERATION: str(generation)}
    metadata = _metadata(site, site.workload)
    # Its pods are ready when the peers' are there too, and no `up` waits for a peer.
    metadata["annotations"] = {"pulumi.com/skipAwait": "true"}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": metadata,
        "spec": {
            "replicas": site.share.replicas,
            "serviceName": site.workload,
            "selector": {"matchLabels": selector(site.workload)},
            # The first members wait for the others, so none may wait to be made.
            "podManagementPolicy": "Parallel",
            "template": {
                "metadata": {
                    "labels": labels(site.workload, "member"),
                    "annotations": renewed,
                },
                "spec": _pod(workload, site, software),
            },
            "volumeClaimTemplates": [_volume(site)],
        },
    }


def _pod(workload: Workload, site: Site, software: Software) -> Manifest:
    container: dict[str, Any] = {
        "name": site.workload,
        "ports": [{"name": name, "containerPort": port} for name, port in software.ports.items()],
        "readinessProbe": dict(software.readiness),
        **({"livenessProbe": dict(software.liveness)} if software.liveness else {}),
        "volumeMounts": [{"name": "data", "mountPath": software.data}, *software.mounts],
    }
    if software.command:
        container["command"] = list(software.command)
    if software.arguments:
        container["args"] = list(software.arguments)
    variables = member_variables(workload, site, software)
    pod = pod_spec(site, software, container, variables=variables, for_clients=False)
    pod["terminationGracePeriodSeconds"] = software.grace_seconds
    pod["affinity"] = {"podAntiAffinity": _apart(site)}
    return pod


def _apart(site: Site) -> Mapping[str, Any]:
    """Members on nodes of their own, as far as there are nodes."""
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": selector(site.workload)},
    }
    return {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 100, "podAffinityTerm": term}
        ]
    }


def _volume(site: Site) -> Manifest:
    gib = site.written.volume_gib
    spec: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{gib}Gi"}},
    }
    if site.share.storage_class:
        spec["storageClassName"] = site.share.storage_class
    return {"metadata": {"name": "data"}, "spec": spec}


def _metadata(site: Site, name: str) -> dict[str, Any]:
    return {"name": name, "namespace": site.namespace, "labels": labels(site.workload)}
