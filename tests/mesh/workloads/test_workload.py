from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.render.corefile import corefile
from mesh.workloads import workloads_in
from tests.mesh.render.clusters import peers, settings
from tests.mesh.render.rewriting import server_of
from tests.mesh.workloads.written import LEDGER, mesh, spread, workload

STACKS = ("east", "west", "north")
REPLICAS = st.fixed_dictionaries(
    {"east": st.integers(0, 5)}, optional={"west": st.integers(0, 5), "north": st.integers(0, 5)}
)


def members(own: str = "east", **replicas: int) -> tuple[str, ...]:
    mesh_of_three = mesh({"ledger": spread(LEDGER, **replicas)}, own, STACKS)
    [found] = workloads_in(mesh_of_three, next(iter(replicas)))
    return found.members()


def test_members_come_by_cluster_id_and_number() -> None:
    assert members(north=1, west=2, east=2) == (
        "ledger-0.ledger.ledger.east.mesh.example",
        "ledger-1.ledger.ledger.east.mesh.example",
        "ledger-0.ledger.ledger.west.mesh.example",
        "ledger-1.ledger.ledger.west.mesh.example",
        "ledger-0.ledger.ledger.north.mesh.example",
    )


def test_a_namespace_of_one_cluster_is_in_the_names_of_its_members_only() -> None:
    names = workload(LEDGER).members()
    assert names[0] == "ledger-0.ledger.ledger.east.mesh.example"
    assert names[2] == "ledger-0.ledger.ledger-west.west.mesh.example"


def test_a_member_has_the_name_that_the_mode_of_its_cluster_gives_it() -> None:
    dns = {"mode": "namespaces", "namespaces": ["ledger-west"]}
    [west] = [site for site in workload(LEDGER, dns=dns).sites if site.stack == "west"]
    assert west.members() == ("ledger-0.ledger.ledger-west.svc.cluster.local",)
    [east] = [
        site for site in workload(LEDGER, dns={"mode": "domain"}).sites if site.stack == "east"
    ]
    assert east.member(0) == "ledger-0.ledger.ledger.east.mesh.example"
    assert east.service_domain == "ledger.svc.east.mesh.example"


def test_a_cluster_that_is_not_named_has_no_member_and_no_workload() -> None:
    assert members(west=1) == ("ledger-0.ledger.ledger.west.mesh.example",)
    assert workloads_in(mesh({"ledger": spread(LEDGER, west=1)}), "east") == ()


@given(REPLICAS, st.permutations(STACKS))
def test_every_cluster_renders_the_same_list(replicas: dict[str, int], order: list[str]) -> None:
    lists = set()
    for own in STACKS:
        for written in (replicas, dict(reversed(replicas.items()))):
            one = mesh({"ledger": spread(LEDGER, **written)}, own, STACKS)
            one = replace(one, clusters={stack: one.clusters[stack] for stack in order})
            [found] = workloads_in(one, "east")
            lists.add((found.members(), found.seeds()))
    assert len(lists) == 1


@given(REPLICAS, st.sampled_from(STACKS))
def test_more_pods_in_one_cluster_rename_nobody(replicas: dict[str, int], stack: str) -> None:
    before = members("east", **replicas)
    after = members("east", **{**replicas, stack: replicas.get(stack, 0) + 1})
    assert [name for name in after if name in before] == list(before)
    assert len(after) == len(before) + 1


@given(REPLICAS)
def test_seeds_are_the_same_however_many_members_there_are(replicas: dict[str, int]) -> None:
    none = dict.fromkeys(replicas, 0)
    seeds = {
        workloads_in(mesh({"ledger": spread(LEDGER, **some)}, "east", STACKS), "east")[0].seeds()
        for some in (replicas, none)
    }
    assert len(seeds) == 1
    assert len(seeds.pop()) == 3 * len(replicas)


def test_what_is_done_once_is_done_where_the_first_members_are() -> None:
    assert workload(spread(LEDGER, west=1, east=1)).first().stack == "east"
    assert workload(spread(LEDGER, west=1, east=0)).first().stack == "west"
    assert workload(spread(LEDGER, west=0, east=0)).first().stack == "east"


@pytest.mark.parametrize("asker", STACKS)
def test_every_member_is_asked_of_its_own_cluster(asker: str) -> None:
    text = corefile(settings(asker), peers(*(stack for stack in STACKS if stack != asker)))
    for name in members(east=1, west=1, north=1):
        zone = name.split(".", 3)[3]
        assert server_of(text, f"{name}.") == ("." if zone.startswith(asker) else zone)
