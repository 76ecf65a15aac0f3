from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.render.corefile import corefile
from mesh.render.members import SpreadWorkload, members
from mesh.topology import Topology
from tests.mesh.render.clusters import peers, settings
from tests.mesh.render.rewriting import server_of

STACKS = ("east", "west", "north")
MESH = Topology({stack: settings(stack) for stack in STACKS})
REPLICAS = st.fixed_dictionaries({}, optional=dict.fromkeys(STACKS, st.integers(0, 5)))


def workload(**replicas: int) -> SpreadWorkload:
    return SpreadWorkload(name="mongo", service="db", namespace="shop", replicas=replicas)


def test_members_come_by_cluster_id_and_number() -> None:
    assert members(MESH, workload(north=1, west=2, east=2)) == (
        "mongo-0.db.shop.east.mesh.example",
        "mongo-1.db.shop.east.mesh.example",
        "mongo-0.db.shop.west.mesh.example",
        "mongo-1.db.shop.west.mesh.example",
        "mongo-0.db.shop.north.mesh.example",
    )


def test_a_cluster_that_is_not_named_has_no_member() -> None:
    assert members(MESH, workload(west=1)) == ("mongo-0.db.shop.west.mesh.example",)


def test_a_stack_without_a_cluster_is_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no cluster south: write some of east, north, west"):
        members(MESH, workload(south=1, east=1))


@given(REPLICAS, st.permutations(STACKS))
def test_every_cluster_renders_the_same_list(replicas: dict[str, int], order: list[str]) -> None:
    lists = {
        members(replace(MESH, clusters={one: MESH.clusters[one] for one in order}, own=own), work)
        for own in STACKS
        for work in (workload(**replicas), workload(**dict(reversed(replicas.items()))))
    }
    assert len(lists) == 1


@given(REPLICAS, st.sampled_from(STACKS))
def test_more_pods_in_one_cluster_rename_nobody(replicas: dict[str, int], stack: str) -> None:
    before = members(MESH, workload(**replicas))
    after = members(MESH, workload(**{**replicas, stack: replicas.get(stack, 0) + 1}))
    assert [name for name in after if name in before] == list(before)
    assert len(after) == len(before) + 1


@pytest.mark.parametrize("asker", STACKS)
def test_every_member_is_asked_of_its_own_cluster(asker: str) -> None:
    text = corefile(settings(asker), peers(*(stack for stack in STACKS if stack != asker)))
    for name in members(MESH, workload(east=1, west=1, north=1)):
        zone = name.split(".", 3)[3]
        assert server_of(text, f"{name}.") == ("." if zone.startswith(asker) else zone)
