"""Nodes, controllers, load balancers, releases and Jobs, out of the API's own documents."""

import base64
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cli.doctor.asking.api import Api
from cli.doctor.asking.careful import version_in
from cli.doctor.facts import Controller, Job, LoadBalancer, Node, Release
from cli.repair.releases import OURS
from mesh.render.metallb import NAMESPACE as METALLB_NAMESPACE

Document = Mapping[str, Any]
_PINNED = "metallb.io/loadBalancerIPs"
_ANNOUNCED = ("servicel2statuses", "servicebgpstatuses")


def nodes(api: Api) -> tuple[Node, ...]:
    """Every node of the cluster."""
    return tuple(
        Node(
            name=item["metadata"]["name"],
            unready=_unready(item),
            kubelet=version_in(item["status"]["nodeInfo"]["kubeletVersion"]),
        )
        for item in api.items("/api/v1/nodes")
    )


def controller(item: Document) -> Controller:
    """A Deployment's or a DaemonSet's count of pods."""
    status, spec = item.get("status") or {}, item.get("spec") or {}
    daemon = "desiredNumberScheduled" in status
    updated = "updatedNumberScheduled" if daemon else "updatedReplicas"
    return Controller(
        name=item["metadata"]["name"],
        wanted=status["desiredNumberScheduled"] if daemon else spec.get("replicas", 1),
        ready=status.get("numberReady" if daemon else "readyReplicas") or 0,
        updated=status.get(updated) or 0,
    )


def load_balancers(api: Api) -> tuple[LoadBalancer, ...]:
    """Every Service of type LoadBalancer, with the nodes that MetalLB announces it from."""
    announced: dict[tuple[str, str], set[str]] = {}
    for kind in _ANNOUNCED:
        path = f"/apis/metallb.io/v1beta1/namespaces/{METALLB_NAMESPACE}/{kind}"
        for status in (item.get("status") or {} for item in api.items(path)):
            service = (status.get("serviceNamespace", ""), status.get("serviceName", ""))
            announced.setdefault(service, set()).add(status.get("node", ""))
    return tuple(
        _load_balancer(api, item, announced)
        for item in api.items("/api/v1/services")
        if item["spec"].get("type") == "LoadBalancer"
    )


def releases(api: Api) -> tuple[Release, ...]:
    """The newest revision of each release that the program makes."""
    found = []
    for namespace, name in OURS:
        path = f"/api/v1/namespaces/{namespace}/secrets"
        revisions = api.items(path, labelSelector=f"owner=helm,name={name}")
        if revisions:
            newest = max(revisions, key=lambda one: int(one["metadata"]["labels"]["version"]))
            found.append(_release(name, newest))
    return tuple(found)


def failed_jobs(api: Api, selector: str) -> tuple[Job, ...]:
    """The Jobs with a label that have failed for good."""
    return tuple(
        Job(
            namespace=item["metadata"]["namespace"],
            name=item["metadata"]["name"],
            reason=failed.get("reason") or "no reason given",
        )
        for item in api.items("/apis/batch/v1/jobs", labelSelector=selector)
        if (failed := _condition(item, "Failed")) and failed.get("status") == "True"
    )


def _condition(item: Document, kind: str) -> Document | None:
    conditions: Iterable[Document] = (item.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one.get("type") == kind), None)


def _unready(node: Document) -> str:
    ready = _condition(node, "Ready")
    if ready is None:
        return "its kubelet never reported"
    if ready.get("status") == "True":
        return ""
    return str(ready.get("message") or ready.get("reason") or "no reason given")


def _load_balancer(
    api: Api, item: Document, announced: Mapping[tuple[str, str], set[str]]
) -> LoadBalancer:
    metadata = item["metadata"]
    namespace, name = metadata["namespace"], metadata["name"]
    pinned = (metadata.get("annotations") or {}).get(_PINNED, "")
    balancer = (item.get("status") or {}).get("loadBalancer") or {}
    return LoadBalancer(
        namespace=namespace,
        name=name,
        pinned=tuple(one.strip() for one in pinned.split(",") if one.strip()),
        given=tuple(one["ip"] for one in balancer.get("ingress") or () if one.get("ip")),
        announced_from=frozenset(announced.get((namespace, name), ())),
        ready_endpoints=_ready_endpoints(api, namespace, name),
    )


def _ready_endpoints(api: Api, namespace: str, service: str) -> int:
    path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
    slices: Sequence[Document] = api.items(
        path, labelSelector=f"kubernetes.io/service-name={service}"
    )
    endpoints = [one for each in slices for one in each.get("endpoints") or ()]
    return sum(bool((one.get("conditions") or {}).get("ready", True)) for one in endpoints)


def _release(name: str, secret: Document) -> Release:
    # Helm: JSON in gzip in base64, and the API puts base64 around the Secret's content.
    packed = base64.b64decode(base64.b64decode(secret["data"]["release"]))
    document = json.loads(gzip.decompress(packed))
    metadata = (document.get("chart") or {}).get("metadata") or {}
    return Release(
        name=name,
        status=str((document.get("info") or {}).get("status", "")),
        version=version_in(metadata.get("version", "")),
        values=document.get("config") or {},
    )
