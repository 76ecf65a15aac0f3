"""What acceptance brings into a cluster: a pod that answers, two Services, and a Job that asks."""

import hashlib
import json
from typing import Any

from mesh.acceptance.probe.plan import GLOBAL, PORT, TARGET, Plan, marked
from mesh.acceptance.probe.run import RESULT
from mesh.acceptance.sources import MODULE, mounted, sources

Manifest = dict[str, Any]

NAMESPACE = "mesh-acceptance"
"""Of what a stack keeps; a run by hand has one of its own."""
BOUND = 480
"""Seconds after which a run that hasn't ended is ended."""
_ACCOUNT = "asks"
_SOURCES = "probe"
_DIRECTORY = "/probe"
_LABELS = {"app.kubernetes.io/name": "mesh-acceptance"}
_TARGET_LABELS = {**_LABELS, "app.kubernetes.io/component": TARGET}
_USER = 65532  # nobody's, and not root
_RESTRICTED = {
    f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("audit", "enforce", "warn")
}


def lasting(namespace: str, cluster: str, image: str, mark: str = "") -> list[Manifest]:
    """What stays for the peers to ask, and what a run needs, in the order to make it in.

    `mark` is that of the plans which ask for it.
    """
    headless = marked(TARGET, mark)
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": namespace, "labels": {**_LABELS, **_RESTRICTED}},
        },
        _object("v1", "ConfigMap", _SOURCES, namespace, data=sources()),
        result_map(namespace),
        *_account(namespace),
        _service(headless, namespace, {"clusterIP": "None"}),
        _service(marked(GLOBAL, mark), namespace, {}, {"service.cilium.io/global": "true"}),
        _target(namespace, cluster, image, headless),
    ]


def result_map(namespace: str) -> Manifest:
    """The ConfigMap that runs write into; without it they would need the right to make any."""
    return _object("v1", "ConfigMap", RESULT, namespace, data={})


def job(plan: Plan, image: str) -> Manifest:
    """The Job of one run; it writes its result whatever that is, and fails if it can't."""
    environment = {"PLAN": plan.text()}
    spec = {
        "backoffLimit": 1,
        "activeDeadlineSeconds": BOUND,
        "template": {
            "metadata": {"labels": {**_LABELS, "app.kubernetes.io/component": "run"}},
            "spec": {
                **_pod("run", image, environment),
                "restartPolicy": "Never",
                "serviceAccountName": _ACCOUNT,
            },
        },
    }
    return _object("batch/v1", "Job", f"run-{plan.run}", plan.namespace, spec=spec)


def _account(namespace: str) -> list[Manifest]:
    rules = [
        {
            "apiGroups": [""],
            "resources": ["configmaps"],
            "resourceNames": [RESULT],
            "verbs": ["patch"],
        }
    ]
    group = "rbac.authorization.k8s.io"
    role = {"apiGroup": group, "kind": "Role", "name": _ACCOUNT}
    subject = {"kind": "ServiceAccount", "name": _ACCOUNT, "namespace": namespace}
    return [
        _object("v1", "ServiceAccount", _ACCOUNT, namespace),
        _object(f"{group}/v1", "Role", _ACCOUNT, namespace, rules=rules),
        _object(
            f"{group}/v1", "RoleBinding", _ACCOUNT, namespace, roleRef=role, subjects=[subject]
        ),
    ]


def _target(namespace: str, cluster: str, image: str, headless: str) -> Manifest:
    pod = _pod("target", image, {"CLUSTER": cluster, "POD": f"{TARGET}-0"})
    pod["containers"][0] |= {
        "ports": [
            {"name": protocol.lower(), "protocol": protocol, "containerPort": PORT}
            for protocol in ("TCP", "UDP")
        ],
        "readinessProbe": {"httpGet": {"path": "/", "port": PORT}, "periodSeconds": 2},
    }
    # Python reads its sources at its start only.
    read = hashlib.sha256(json.dumps(sources()).encode()).hexdigest()
    template = {
        "metadata": {
            "labels": _TARGET_LABELS,
            "annotations": {"vsphere-cluster-mesh/probe-sha256": read},
        },
        "spec": {
            **pod,
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 2,
        },
    }
    spec = {
        "serviceName": headless,
        "replicas": 1,
        "selector": {"matchLabels": _TARGET_LABELS},
        "template": template,
    }
    return _object("apps/v1", "StatefulSet", TARGET, namespace, spec=spec)


def _pod(mode: str, image: str, environment: dict[str, str]) -> Manifest:
    variables = {
        "PYTHONPATH": _DIRECTORY,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        **environment,
    }
    files = [{"key": name, "path": mounted(name)} for name in sources()]
    return {
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": mode,
                "image": image,
                "command": ["python3", "-m", MODULE, mode],
                "env": [{"name": name, "value": value} for name, value in variables.items()],
                "resources": {
                    "requests": {"cpu": "10m", "memory": "32Mi"},
                    "limits": {"memory": "128Mi"},
                },
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                "volumeMounts": [{"name": _SOURCES, "mountPath": _DIRECTORY}],
            }
        ],
        "volumes": [{"name": _SOURCES, "configMap": {"name": _SOURCES, "items": files}}],
    }


def _service(
    name: str, namespace: str, more: Manifest, annotations: dict[str, str] | None = None
) -> Manifest:
    ports = [
        {"name": protocol.lower(), "protocol": protocol, "port": PORT, "targetPort": PORT}
        for protocol in ("TCP", "UDP")
    ]
    spec = {"selector": _TARGET_LABELS, "ports": ports, **more}
    made = _object("v1", "Service", name, namespace, spec=spec)
    if annotations:
        made["metadata"]["annotations"] = annotations
    return made


def _object(
    version: str,
    kind: str,
    name: str,
    namespace: str,
    **rest: Any,  # noqa: ANN401
) -> Manifest:
    metadata = {"name": name, "namespace": namespace, "labels": _LABELS}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **rest}
