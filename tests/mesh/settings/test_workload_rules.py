"""The rules about kinds of workloads, each broken once."""

from typing import Any

import pytest

from cli.verify import workbench
from mesh.acceptance import manifests
from tests.mesh.settings.written import changed, line, read

HERE = {"east": {"replicas": 30}, "west": {"replicas": 20}}


def test_a_licence_is_for_cockroachdb() -> None:
    def written(kind: str) -> dict[str, Any]:
        one = {"kind": kind, "licenceSecret": "licence", "clusters": HERE}
        return changed("workloads", {"bank": one})

    assert line(written("etcd")) == (
        "Pulumi.yaml: workloads.bank.licenceSecret: 'licence' means nothing with kind: etcd: "
        "take it out"
    )
    assert read(written("cockroachdb")).workloads["bank"].licence_secret == "licence"


def test_a_replica_set_has_fifty_members_at_most() -> None:
    def written(**more: Any) -> dict[str, Any]:
        return changed("workloads", {"shelf": {"kind": "mongodb", "clusters": HERE | more}})

    assert read(written())
    assert line(written(north={"replicas": 1})) == (
        "Pulumi.yaml: workloads.shelf.clusters: 51 is more than a replica set of MongoDB has: "
        "write 50 replicas in all, at most"
    )


@pytest.mark.parametrize("name", [workbench.NAMESPACE, manifests.NAMESPACE, "kube-system"])
def test_nobody_keeps_data_in_a_namespace_that_is_made_and_deleted_for_something_else(
    name: str,
) -> None:
    def written(workload: str, **more: Any) -> dict[str, Any]:
        return changed("workloads", {workload: {"kind": "etcd", "clusters": HERE, **more}})

    assert line(written(name)) == (
        f"Pulumi.yaml: workloads.{name}: '{name}' is a namespace of others: "
        "write another name, or a namespace of its own below it"
    )
    assert line(written("bank", namespace=name)) == (
        f"Pulumi.yaml: workloads.bank.namespace: '{name}' is a namespace of others: "
        "write one like ledger"
    )
    assert read(written(name, namespace="bank"))


@pytest.mark.parametrize("key", ["region", "zone"])
def test_a_place_of_cockroachdb_is_one_word_of_its_list(key: str) -> None:
    def written(kind: str) -> dict[str, Any]:
        east = {"east": {"replicas": 3, key: "a,b=c"}}
        return changed("workloads", {"bank": {"kind": kind, "clusters": east}})

    assert line(written("cockroachdb")) == (
        f"Pulumi.yaml: workloads.bank.clusters.east.{key}: 'a,b=c' has , or = in it: "
        "write one like us-east-1"
    )
    assert read(written("mongodb"))
