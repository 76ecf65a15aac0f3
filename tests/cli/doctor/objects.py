"""What a cluster's controllers and charts would have put into an API server, where nothing runs."""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import kubernetes
import yaml

from mesh.pki import KeyPair, admin_certificate
from tests.cli.conftest import Kubernetes

client: Any = kubernetes  # only half typed
SYSTEM = "/api/v1/namespaces/kube-system"
APPS = "/apis/apps/v1/namespaces/kube-system"
COREFILE = """\
.:53 {
    kubernetes cluster.local
    forward . /etc/resolv.conf
}
west.mesh.example:53 {
    forward . 10.11.84.32:53
}
east.mesh.example:1053 {
    forward . 127.0.0.1:53
}
"""
HASH = hashlib.sha256(COREFILE.encode()).hexdigest()
VALUES_SECRET = "a-password-in-helm-values"
Made = tuple[str, dict[str, Any]]


class Writer:
    """Puts objects and their status where they belong."""

    def __init__(self, api: Kubernetes) -> None:
        document = yaml.safe_load(api.kubeconfig)
        self._api = client.config.new_client_from_config_dict(document)
        self._server = api.server

    def create(self, path: str, item: dict[str, Any]) -> None:
        """Make an object, and write its status, which the API takes on its own."""
        made = self._send("POST", path, item)
        if "status" in item:
            name = item["metadata"]["name"]
            self._send("PUT", f"{path}/{name}/status", {**made, "status": item["status"]})

    def replace(self, path: str, item: dict[str, Any]) -> None:
        """Write an object over the one of its name."""
        self._send("PUT", f"{path}/{item['metadata']['name']}", item)

    def delete(self, path: str) -> None:
        """Take an object away at once."""
        self._send("DELETE", path, {"gracePeriodSeconds": 0})

    def close(self) -> None:
        """Close the connection."""
        self._api.close()

    def _send(self, method: str, path: str, item: dict[str, Any]) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        answer = self._api.rest_client.request(
            method, f"{self._server}{path}", headers=headers, body=item
        )
        return dict(json.loads(answer.read()))


def everything(authority: KeyPair) -> Iterator[Made]:
    """A cluster as the program makes it: one node, all pods ready."""
    yield "/api/v1/nodes", node("east-1", ready="True")
    for name in ("cilium-operator", "clustermesh-apiserver"):
        yield f"{APPS}/deployments", deployment(name, {})
    yield (
        f"{APPS}/deployments",
        deployment("coredns", {"vsphere-cluster-mesh/corefile-sha256": HASH}),
    )
    yield f"{APPS}/daemonsets", daemon_set("cilium")
    for app in ("cilium", "clustermesh-apiserver", "kube-dns"):
        yield f"{SYSTEM}/pods", pod(app)
    yield f"{SYSTEM}/configmaps", config_map("coredns", COREFILE)
    yield (
        f"{SYSTEM}/services",
        {
            "metadata": {"name": "kube-dns"},
            "spec": {"clusterIP": "10.0.0.10", "ports": [{"port": 53, "protocol": "UDP"}]},
        },
    )
    yield f"{SYSTEM}/services", load_balancer("clustermesh-apiserver", "10.11.84.20")
    yield (
        "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices",
        endpoints("clustermesh-apiserver"),
    )
    yield f"{SYSTEM}/secrets", secret("cilium-ca", {"ca.crt": authority.certificate})
    leaf = admin_certificate(authority, 30)
    yield (
        f"{SYSTEM}/secrets",
        secret(
            "clustermesh-apiserver-remote-cert", {"tls.crt": leaf.certificate, "tls.key": leaf.key}
        ),
    )
    for number in (9, 10):
        yield f"{SYSTEM}/secrets", release(number)
    yield "/apis/metallb.io/v1beta1/namespaces/metallb-system/servicel2statuses", announced()
    yield "/apis/batch/v1/namespaces/default/jobs", job()


def node(name: str, *, ready: str) -> dict[str, Any]:
    condition = {"type": "Ready", "status": ready, "reason": "KubeletReady", "message": "as told"}
    info = dict.fromkeys(
        ("machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "operatingSystem"), "x"
    )
    info |= dict.fromkeys(("containerRuntimeVersion", "kubeProxyVersion", "architecture"), "x")
    return {
        "metadata": {"name": name},
        "status": {"conditions": [condition], "nodeInfo": {**info, "kubeletVersion": "v1.36.3"}},
    }


def template(app: str, annotations: dict[str, str]) -> dict[str, Any]:
    return {
        "selector": {"matchLabels": {"app": app}},
        "template": {
            "metadata": {"labels": {"app": app}, "annotations": annotations},
            "spec": {"containers": [{"name": app, "image": "nothing"}]},
        },
    }


def deployment(name: str, annotations: dict[str, str]) -> dict[str, Any]:
    status = {"replicas": 1, "readyReplicas": 1, "updatedReplicas": 1}
    spec = {"replicas": 1, **template(name, annotations)}
    return {"metadata": {"name": name}, "spec": spec, "status": status}


def daemon_set(name: str) -> dict[str, Any]:
    counts = ("currentNumberScheduled", "desiredNumberScheduled", "numberReady")
    status = dict.fromkeys((*counts, "updatedNumberScheduled"), 1)
    status["numberMisscheduled"] = 0
    return {"metadata": {"name": name}, "spec": template(name, {}), "status": status}


def pod(app: str) -> dict[str, Any]:
    return {
        "metadata": {"name": f"{app}-1", "labels": {"k8s-app": app}},
        "spec": {"nodeName": "east-1", "containers": [{"name": app, "image": "nothing"}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def config_map(name: str, corefile: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "data": {"Corefile": corefile}}


def load_balancer(name: str, address: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "annotations": {"metallb.io/loadBalancerIPs": address}},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 2379}]},
        "status": {"loadBalancer": {"ingress": [{"ip": address}]}},
    }


def endpoints(service: str) -> dict[str, Any]:
    conditions = ({"ready": True}, {"ready": False})
    return {
        "metadata": {"name": service, "labels": {"kubernetes.io/service-name": service}},
        "addressType": "IPv4",
        "endpoints": [
            {"addresses": [f"10.101.0.{n}"], "conditions": one} for n, one in enumerate(conditions)
        ],
        "ports": [{"port": 2379}],
    }


def secret(name: str, data: dict[str, str], labels: dict[str, str] | None = None) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": labels or {}}, "stringData": data}


def release(number: int) -> dict[str, Any]:
    document = {
        "name": "cilium",
        "info": {"status": "deployed" if number == 10 else "superseded"},
        "chart": {"metadata": {"version": "1.20.2"}},
        "config": {"MTU": number, "hubble": {"password": VALUES_SECRET}},
    }
    packed = base64.b64encode(gzip.compress(json.dumps(document).encode())).decode()
    labels = {"owner": "helm", "name": "cilium", "version": str(number)}
    return secret(f"sh.helm.release.v1.cilium.v{number}", {"release": packed}, labels)


def announced() -> dict[str, Any]:
    service = {"serviceName": "clustermesh-apiserver", "serviceNamespace": "kube-system"}
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "ServiceL2Status",
        "metadata": {"name": "l2-1"},
        "status": {"node": "east-1", **service},
    }


def job() -> dict[str, Any]:
    containers = [{"name": "verify", "image": "nothing"}]
    moment = "2026-11-30T12:00:00Z"
    failed = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}
    doomed = {**failed, "type": "FailureTarget"}
    return {
        "metadata": {
            "name": "etcd-verify",
            "labels": {"app.kubernetes.io/part-of": "vsphere-cluster-mesh"},
        },
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": containers}}},
        "status": {
            "startTime": moment,
            "failed": 1,
            "conditions": [{**one, "lastTransitionTime": moment} for one in (doomed, failed)],
        },
    }
