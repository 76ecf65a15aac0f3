"""The rules about kinds of workloads, each broken once."""

from typing import Any

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
