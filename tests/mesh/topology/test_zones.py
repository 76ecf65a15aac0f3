"""A zone leads to one cluster, and only a name that means it is in it."""

import pytest

from tests.mesh.topology.written import lines, together


def test_two_clusters_of_one_zone_are_refused() -> None:
    assert lines(together(west={"cluster.zone": "east.mesh.example"})) == [
        (
            "Pulumi.west.yaml: cluster.zone: 'east.mesh.example' is cluster.zone of east too: "
            "write a zone of its own"
        )
    ]


def test_a_zone_in_another_ones_is_refused() -> None:
    assert lines(together(west={"cluster.zone": "west.of.east.mesh.example"})) == [
        (
            "Pulumi.west.yaml: cluster.zone: 'west.of.east.mesh.example' is in cluster.zone "
            "of east, "
            "east.mesh.example: write a zone outside it"
        )
    ]


def test_a_zone_around_another_ones_is_refused() -> None:
    assert lines(together(west={"cluster.zone": "mesh.example"})) == [
        (
            "Pulumi.west.yaml: cluster.zone: 'mesh.example' holds cluster.zone of east, "
            "east.mesh.example: write a zone outside it"
        )
    ]


def test_a_zone_that_ends_like_another_one_in_mid_label_is_apart() -> None:
    assert lines(together(west={"cluster.zone": "north-east.mesh.example"})) == []


@pytest.mark.parametrize("domain", ["west.mesh.example", "West.Mesh.Example."])
def test_a_zone_that_a_node_searches_is_refused(domain: str) -> None:
    searched = ["example.com", domain]
    assert lines(together(east={"network.searchDomains": searched})) == [
        (
            "Pulumi.west.yaml: cluster.zone: 'west.mesh.example' is "
            "network.searchDomains[1] of east: "
            "write a zone apart from search domains"
        )
    ]


def test_a_zone_around_a_search_domain_is_refused_once() -> None:
    searched = {"network.searchDomains": ["db.west.mesh.example"]}
    assert lines(together(east=searched, west=searched)) == [
        (
            "Pulumi.west.yaml: cluster.zone: 'west.mesh.example' holds db.west.mesh.example, "
            "network.searchDomains[0] of east: write a zone apart from search domains"
        )
    ]


def test_a_search_domain_above_the_zones_is_taken() -> None:
    assert lines(together(east={"network.searchDomains": ["mesh.example"]})) == []
