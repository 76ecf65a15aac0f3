"""A namespace leads to one cluster."""

from typing import Any

from tests.mesh.topology.written import lines, together


def exported(*namespaces: str) -> dict[str, Any]:
    return {"dns": {"mode": "namespaces", "namespaces": [*namespaces]}}


def test_namespaces_of_two_clusters_go_together_and_with_a_zone() -> None:
    assert lines(together(exported("east-1", "shop"), exported("west-1"))) == []
    assert lines(together(exported("east-1"))) == []


def test_a_namespace_of_two_clusters_is_refused_once() -> None:
    assert lines(together(exported("east-1", "shop"), exported("west-1", "shop"))) == [
        (
            "Pulumi.west.yaml: dns.namespaces[1]: 'shop' is in dns.namespaces of east too: "
            "leave it out of one, or rename one"
        )
    ]


def test_the_file_of_the_stack_that_is_run_is_the_one_to_change() -> None:
    topology = together(exported("east-1", "shop"), exported("shop"), own="east")
    assert lines(topology) == [
        (
            "Pulumi.east.yaml: dns.namespaces[1]: 'shop' is in dns.namespaces of west too: "
            "leave it out of one, or rename one"
        )
    ]


def ledger(**namespaces: str) -> dict[str, Any]:
    """A workload in both clusters, whose namespace has that name in one of them."""
    clusters = {
        stack: {"replicas": 1, "namespace": namespaces.get(stack, "ledger")}
        for stack in ("east", "west")
    }
    return {"workloads": {"ledger": {"kind": "etcd", "clusters": clusters}}}


def test_the_namespace_of_a_workload_is_hidden_by_no_peer() -> None:
    both = ledger()
    assert lines(together(both, {**both, **exported("west-1", "ledger")})) == [
        (
            "Pulumi.west.yaml: dns.namespaces[1]: 'ledger' hides the namespace of "
            "workloads.ledger in east: write one of another name"
        )
    ]


def test_members_are_where_peers_find_them() -> None:
    both = ledger(west="ledger-west")
    assert lines(together(both, {**both, **exported("west-1")})) == [
        (
            "Pulumi.west.yaml: dns.namespaces: leaves out ledger-west, where members of "
            "workloads.ledger are: add ledger-west, or write another dns.mode"
        )
    ]
    assert lines(together(both, {**both, **exported("west-1", "ledger-west")})) == []
