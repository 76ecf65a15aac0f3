"""Cilium's own word on itself, by its command line inside the agents."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from cli.doctor.asking.api import Api, NoAnswerError
from cli.doctor.asking.careful import asked
from cli.doctor.asking.inside import Inside
from cli.doctor.asking.objects import controller
from cli.doctor.facts import Agent, Asked, Cilium, Controller, Release, Remote, Unanswered

_PODS = "/api/v1/namespaces/kube-system/pods"
_APPS = "/apis/apps/v1/namespaces/kube-system"
_DEBUG = ("/usr/bin/clustermesh-apiserver", "kvstoremesh-dbg", "status", "-o", "json")
_AT_ONCE = 8


def cilium(api: Api, inside: Inside, releases: Asked[tuple[Release, ...]]) -> Cilium:
    """Everything about Cilium; the agent of every node is asked."""
    return Cilium(
        version=_version(releases),
        controllers=asked(lambda: _controllers(api)),
        agents=asked(lambda: _agents(api, inside)),
        kvstoremesh=asked(lambda: _kvstoremesh(api, inside)),
    )


def remotes(clusters: object) -> tuple[Remote, ...]:
    """The remote clusters in the JSON that agents and kvstoremesh have for them."""
    listed: Sequence[Mapping[str, Any]] = clusters if isinstance(clusters, list) else []
    return tuple(
        Remote(
            cluster=str(one.get("name", "")),
            ready=bool(one.get("ready")),
            status=str(one.get("status") or "no word about it"),
        )
        for one in listed
    )


def _version(releases: Asked[tuple[Release, ...]]) -> Asked[str]:
    if isinstance(releases, Unanswered):
        return releases
    found = [one.version for one in releases if one.name == "cilium"]
    return found[0] if found else Unanswered("there is no Helm release cilium")


def _controllers(api: Api) -> tuple[Controller, ...]:
    kinds = (
        ("daemonsets", "cilium"),
        ("deployments", "cilium-operator"),
        ("deployments", "clustermesh-apiserver"),
    )
    return tuple(controller(api.get(f"{_APPS}/{kind}/{name}")) for kind, name in kinds)


def _agents(api: Api, inside: Inside) -> Mapping[str, Asked[Agent]]:
    pods = {
        pod["spec"]["nodeName"]: pod["metadata"]["name"]
        for pod in api.items(_PODS, labelSelector="k8s-app=cilium")
        if pod["spec"].get("nodeName")
    }
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        found = threads.map(lambda item: asked(lambda: _agent(inside, *item)), pods.items())
        return dict(zip(pods, found, strict=True))


def _agent(inside: Inside, node: str, pod: str) -> Agent:
    status = _document(inside.run(pod, "cilium-agent", "cilium-dbg", "status", "-o", "json"))
    listed = inside.run(pod, "cilium-agent", "cilium-dbg", "node", "list", "-o", "json")
    own = status.get("cilium") or {}
    return Agent(
        node=node,
        state=str(own.get("state") or "unknown"),
        remotes=remotes((status.get("cluster-mesh") or {}).get("clusters")),
        nodes=frozenset(str(one.get("name")) for one in json.loads(listed or "[]")),
    )


def _kvstoremesh(api: Api, inside: Inside) -> tuple[Remote, ...]:
    pods = api.items(_PODS, labelSelector="k8s-app=clustermesh-apiserver")
    running = [one for one in pods if (one.get("status") or {}).get("phase") == "Running"]
    if not running:
        raise NoAnswerError("no pod of clustermesh-apiserver runs")
    return remotes(json.loads(inside.run(running[0]["metadata"]["name"], "kvstoremesh", *_DEBUG)))


def _document(text: str) -> Mapping[str, Any]:
    document = json.loads(text)
    return document if isinstance(document, Mapping) else {}
