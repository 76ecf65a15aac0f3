"""An `up` of the stack east that hangs, or with the word `patient` one that goes through.

Nothing runs pods behind the test's API server, so what waits for them waits for ever. Run in the
project's directory; KEYS is a file with the server and the keys of the cluster, CHART a directory.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from pulumi import Output, ResourceOptions, automation

from mesh.render.kubeconfig import kubeconfig

PATIENT = "patient" in sys.argv


def program() -> None:
    keys = json.loads(Path(os.environ["KEYS"]).read_text())
    secrets, admin = keys["secrets"], keys["admin"]
    pulumi.Stash("east-secrets", input=Output.secret(secrets))
    pulumi.Stash("east-admin-1", input=Output.secret(admin))
    ca = secrets["clusterCa"]["certificate"]
    text = kubeconfig("east", keys["server"], ca, admin["certificate"], admin["key"])
    access = k8s.Provider("east", kubeconfig=Output.secret(text), cluster_identifier="east")
    opts = ResourceOptions(provider=access)
    annotations: dict[str, Any] = {"pulumi.com/skipAwait": "true"} if PATIENT else {}
    k8s.core.v1.Service(
        "etcd",
        metadata={
            "name": "clustermesh-apiserver",
            "namespace": "kube-system",
            "annotations": annotations,
        },
        spec={"type": "LoadBalancer", "selector": {"a": "b"}, "ports": [{"port": 2379}]},
        opts=opts,
    )
    k8s.helm.v3.Release(
        "cilium",
        name="cilium",
        namespace="kube-system",
        chart=os.environ["CHART"],
        atomic=not PATIENT,  # Helm waits for what is atomic
        skip_await=PATIENT,
        opts=opts,
    )
    pulumi.export("kubeconfig", Output.secret(text))


def main() -> None:
    root = os.environ["PULUMI_ROOT"]
    options = automation.LocalWorkspaceOptions(
        work_dir=".", pulumi_command=automation.PulumiCommand(root)
    )
    stack = automation.select_stack("east", "vsphere-cluster-mesh", program, opts=options)
    stack.up(on_output=lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
