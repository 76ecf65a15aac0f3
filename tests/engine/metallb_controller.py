"""An API server where the real controller of MetalLB gives Services their addresses."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kubernetes
import pytest
import yaml

from lab.paths import cache
from mesh.render.metallb import address_pools
from mesh.settings import Settings
from tests.cli.conftest import Kubernetes
from tests.lab.conftest import located
from tests.mesh.render.metallb_api import PLURALS, install_kinds
from tests.ports import free_port

client: Any = kubernetes  # only half typed
SERVICES = ("clustermesh-apiserver", "mesh-dns")
POD = {
    "metadata": {"name": "controller"},
    "spec": {"containers": [{"name": "controller", "image": "nothing"}]},
}


@contextmanager
def addresses_given(api: Kubernetes, settings: Settings, directory: Path) -> Iterator[Any]:
    """A connection to the API server, where MetalLB knows the pools of a cluster's settings."""
    program = located("LAB_BIN", cache() / "bin", "metallb-controller") / "metallb-controller"
    connection = client.config.new_client_from_config_dict(yaml.safe_load(api.kubeconfig))
    install_kinds(connection)
    pools = client.client.CustomObjectsApi(connection)
    for pool in address_pools(settings):
        plural, namespace = PLURALS[pool["kind"]], pool["metadata"]["namespace"]
        pools.create_namespaced_custom_object("metallb.io", "v1beta1", namespace, plural, pool)
    core = client.client.CoreV1Api(connection)
    # Its own pod is the first thing the controller asks for.
    core.create_namespaced_pod("metallb-system", POD)
    pretend_that_pods_answer(connection)
    (directory / "kubeconfig").write_text(api.kubeconfig)
    command = [
        str(program),
        f"--kubeconfig={directory / 'kubeconfig'}",
        "--namespace=metallb-system",
        "--pod-name=controller",
        "--webhook-mode=disabled",
        f"--port={free_port()}",
        f"--health-probe-port={free_port()}",
    ]
    with (directory / "metallb.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield connection
    finally:
        process.kill()
        process.wait()
        connection.close()


def pretend_that_pods_answer(connection: Any) -> None:
    """Write what a cluster's own controllers would: Pulumi waits for Endpoints of a Service."""
    core = client.client.CoreV1Api(connection)
    for service in SERVICES:
        pods = {"metadata": {"name": service}, "subsets": [{"addresses": [{"ip": "10.102.0.9"}]}]}
        core.create_namespaced_endpoints("kube-system", pods)


def skip_without_the_plugin(root: Path) -> None:
    """Say so when the plugin that Pulumi asks for Kubernetes is not there."""
    if not (root / "bin/pulumi-resource-kubernetes").is_file():
        pytest.skip("CHOSEN ADDRESSES ARE NOT TESTED: no pulumi-resource-kubernetes")
