"""A stretched StatefulSet on the real engine and a real API server, with no peer and no node."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pulumi
import pulumi_kubernetes
import pytest
from pulumi import automation
from pulumi.automation import OpType

from components.stretched_stateful_set import StretchedStatefulSet, StretchedStatefulSetArgs
from mesh.pki import certificate_authority
from tests.cli.conftest import Kubernetes, kubernetes
from tests.engine.conftest import Engine
from tests.mesh.workloads.written import LEDGER, spread, workload

__all__ = ["kubernetes"]

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]
MESH_CA = certificate_authority("test", 10).as_mapping()


def program(kubeconfig: str, written: Mapping[str, Any] | None) -> None:
    access = pulumi_kubernetes.Provider(
        "access",
        kubeconfig=kubeconfig,
        # As our own provider has it.
        enable_config_map_mutable=True,
        enable_secret_mutable=True,
    )
    lifetime = pulumi.Stash("lifetime", input="east")
    if written is None:
        return
    found = workload(written)
    args = StretchedStatefulSetArgs(
        workload=found,
        site=found.site("east"),
        mesh_ca=pulumi.Output.secret(MESH_CA),
        generation=1,
        certificate_days=30,
        lifetime=lifetime,
    )
    StretchedStatefulSet("east-ledger", args, pulumi.ResourceOptions(providers=[access]))


def test_an_up_waits_for_no_peer_and_scaling_touches_what_it_must(
    engine: Engine, kubernetes: Kubernetes
) -> None:
    if not (engine.root / "bin/pulumi-resource-kubernetes").is_file():
        pytest.skip("WORKLOADS ARE NOT TESTED: no pulumi-resource-kubernetes")

    def stack(written: Mapping[str, Any] | None) -> automation.Stack:
        return engine.stack("east", partial(program, kubernetes.kubeconfig, written))

    few, more = spread(LEDGER, east=1, west=1), spread(LEDGER, east=1, west=2)
    few["clientNamespaces"] = more["clientNamespaces"] = ["default"]
    stack(few).up()
    assert stack(few).preview(expect_no_changes=True)

    # A member in west: other values, another Job, and not a single pod.
    changed = stack(more).preview().change_summary
    del changed[OpType.SAME]
    assert changed == {OpType.UPDATE: 1, OpType.CREATE: 1, OpType.DELETE: 1}

    # Kubernetes never changes the volumes of a StatefulSet: all members would go for it.
    assert stack({**few, "volumeGib": 99}).preview(expect_no_changes=True)

    [state] = (engine.home / "state").rglob("east.json")
    assert "ledger-certificates" in state.read_text()
    assert "PRIVATE KEY" not in state.read_text()
