"""The wait on the real engine, in front of the real Kubernetes plugin."""

import shutil
from ipaddress import IPv4Address

import pulumi
import pulumi_kubernetes as kubernetes
import pulumi_vsphere as vsphere
import pytest
from pulumi import automation

from components.kubeadm_cluster import KubeadmCluster, KubeadmClusterArgs
from components.readiness import ready_hook
from mesh.nodes import Node
from mesh.pki import admin_certificate, certificate_authority
from mesh.readiness import Wait
from mesh.render.kubeconfig import kubeconfig
from tests.engine.conftest import Engine

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]

NODE = Node("east-control-plane-1", "control-plane", IPv4Address("10.11.85.11"), 4, 8, 40)
SERVER = "https://127.0.0.1:1"


def a_cluster_that_never_comes() -> None:
    ca = certificate_authority("east-ca", 1)
    admin = admin_certificate(ca, 1)
    wait = Wait(
        server=SERVER, ca=ca.certificate, admin=admin, nodes=(NODE,), bound=0.5, interval=0.2
    )
    vcenter = vsphere.Provider.__new__(vsphere.Provider)  # never asked: no machine is known
    text = kubeconfig("east", SERVER, ca.certificate, admin.certificate, admin.key)
    arguments = KubeadmClusterArgs(
        cluster="east",
        kubeconfig=pulumi.Output.secret(text),
        ready=ready_hook("east-ready", pulumi.Output.secret(wait), {}, vcenter),
    )
    cluster = KubeadmCluster("east", arguments)
    kubernetes.core.v1.Namespace(
        "inside", opts=pulumi.ResourceOptions(parent=cluster, provider=cluster.provider)
    )


def test_a_cluster_that_never_comes_is_named_and_tried_again_next_time(engine: Engine) -> None:
    if not shutil.which("pulumi-resource-kubernetes", path=str(engine.root / "bin")):
        pytest.skip("THE WAIT IS NOT TESTED: no pulumi-resource-kubernetes beside bin/pulumi")
    east = engine.stack("east", a_cluster_that_never_comes)
    east.preview()
    for _ in range(2):
        with pytest.raises(automation.CommandError) as failed:
            east.up()
        assert f"{SERVER} is not ready after" in str(failed.value)
        assert "east-control-plane-1 at 10.11.85.11" in str(failed.value)
        assert "/var/log/mesh/bootstrap.log" in str(failed.value)
        assert "of 0 s)" in str(failed.value) or "of 1 s)" in str(failed.value)
        assert "pulumi:providers:kubernetes" not in engine.resource_types("east")
