"""The machines of a cluster, and what makes one of them a new machine."""

import pytest

from mesh.nodes import node_generation, nodes
from tests.mesh.settings.written import changed, read, shipped


def test_nodes_are_named_by_cluster_role_and_number_control_planes_first() -> None:
    assert [node.name for node in nodes(read(shipped("east")))] == [
        "east-control-plane-1",
        "east-worker-1",
        "east-worker-2",
        "east-worker-3",
    ]


def test_a_node_has_the_size_of_its_role() -> None:
    control_plane, *workers = nodes(read(shipped("east")))
    assert (control_plane.cpus, control_plane.memory_gib, control_plane.disk_gib) == (4, 8, 40)
    assert {(node.cpus, node.memory_gib, node.disk_gib) for node in workers} == {(8, 32, 100)}


def generations(path: str, value: object) -> list[str]:
    settings = read(changed(path, value))
    return [node_generation(settings, node) for node in nodes(settings)]


SHIPPED = generations("dns.forwarding", True)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("vsphere.template", "kubernetes-1.36.4"),
        ("versions.kubernetes", "1.36.4"),
        ("network.gateway", "10.11.84.254"),
    ],
)
def test_what_is_baked_into_every_node_makes_every_node_new(path: str, value: str) -> None:
    assert not {*generations(path, value)} & {*SHIPPED}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("nodes.worker.cpus", 16),
        ("nodes.controlPlane.memoryGib", 16),
        ("nodes.worker.diskGib", 200),
        ("versions.cilium", "1.20.3"),
        ("vsphere.user", "another"),
        ("cluster.zone", "elsewhere.example"),
    ],
)
def test_what_changes_in_place_makes_no_node_new(path: str, value: object) -> None:
    assert generations(path, value) == SHIPPED


def test_adding_a_worker_makes_no_other_node_new() -> None:
    addresses = ["10.11.85.12", "10.11.85.13", "10.11.85.14", "10.11.85.15"]
    assert generations("nodes.worker.addresses", addresses)[:4] == SHIPPED


def test_moving_a_worker_makes_that_worker_new_alone() -> None:
    moved = generations("nodes.worker.addresses", ["10.11.85.12", "10.11.85.99", "10.11.85.14"])
    assert [one == other for one, other in zip(moved, SHIPPED, strict=True)] == [
        True,
        True,
        False,
        True,
    ]


def test_every_node_has_a_generation_of_its_own() -> None:
    assert len({*SHIPPED}) == 4
