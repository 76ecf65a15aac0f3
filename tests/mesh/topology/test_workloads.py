from dataclasses import replace
from typing import Any

import pytest

from mesh.topology import notices, problems
from tests.mesh.workloads.written import LEDGER, NOTES, mesh, spread

THREE = ("east", "west", "north")


def said(workloads: dict[str, Any], **how: Any) -> list[str]:
    return [str(problem) for problem in problems(mesh(workloads, **how))]


def noticed(**replicas: int) -> list[str]:
    lines = notices(mesh({"ledger": spread(LEDGER, **replicas)}, clusters=THREE))
    return [line for line in lines if "workloads" in line]


def test_sound_workloads_are_taken() -> None:
    assert said({"ledger": LEDGER, "notes": NOTES}) == []


def test_a_cluster_without_names_has_no_members() -> None:
    [line] = said({"ledger": spread(LEDGER, east=1)}, dns={"forwarding": False})
    assert line == (
        "Pulumi.east.yaml: dns.forwarding: false leaves the members of workloads.ledger without "
        "names: write true, or take east out of workloads.ledger.clusters"
    )


def test_clusters_with_members_dial_each_other() -> None:
    topology = mesh({"ledger": LEDGER})
    alone = {
        stack: one.model_copy(update={"peers": ()}) for stack, one in topology.clusters.items()
    }
    assert [str(problem) for problem in problems(replace(topology, clusters=alone))] == [
        f"Pulumi.{one}.yaml: peers: leaves out {other}, which has members of workloads.ledger "
        f"too: add {other}, or leave peers out"
        for one, other in (("east", "west"), ("west", "east"))
    ]


def test_a_namespace_is_compared_in_the_cluster_where_it_is() -> None:
    apart = {
        "ledger": {**LEDGER, "clusters": {"east": {"replicas": 1, "namespace": "shared"}}},
        "books": {**LEDGER, "clusters": {"west": {"replicas": 1, "namespace": "shared"}}},
    }
    assert said(apart) == []
    apart["books"]["clusters"] = apart["ledger"]["clusters"]
    [line] = said(apart)
    assert line == (
        "Pulumi.yaml: workloads.ledger.namespace: 'shared' is the one of books too: "
        "write a namespace of its own"
    )


@pytest.mark.parametrize(
    ("replicas", "fatal"),
    [
        ({"east": 2, "west": 1}, "east"),
        ({"east": 1, "west": 1, "north": 3}, "north"),
        ({"east": 3, "west": 3}, "east or west"),
    ],
)
def test_a_cluster_whose_loss_stops_everything_is_named(
    replicas: dict[str, int], fatal: str
) -> None:
    assert (
        f"Pulumi.yaml: workloads.ledger: stops when {fatal} is lost: more than half of the "
        "members must see each other; a third cluster helps"
    ) in noticed(**replicas)


def test_a_member_in_each_of_three_clusters_survives_any_and_says_nothing() -> None:
    assert noticed(east=1, west=1, north=1) == []


def test_an_even_number_of_members_is_no_gain() -> None:
    [line] = [one for one in noticed(east=2, west=1, north=1) if "no better" in one]
    assert line.startswith("Pulumi.yaml: workloads.ledger: 4 members are no better than 3: ")


def test_what_needs_no_majority_is_not_told_of_one() -> None:
    lines = notices(mesh({"notes": spread(NOTES, east=1, west=1)}))
    assert not any("workloads" in line for line in lines)
