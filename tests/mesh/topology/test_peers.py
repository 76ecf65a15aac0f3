"""Who may be named as a peer, and what is said of a peering with one side."""

import pytest

from mesh.topology import Topology, notices
from tests.mesh.topology.written import lines, settings_of, together


def test_a_peer_without_a_file_is_refused_in_any_cluster() -> None:
    assert lines(together(west={"peers": ["esat"]}, own="east")) == [
        (
            "Pulumi.west.yaml: peers: 'esat' is no other stack with a file here: "
            "write one of east, or add Pulumi.esat.yaml"
        )
    ]


def test_a_cluster_is_not_its_own_peer() -> None:
    assert lines(together(east={"peers": ["west", "east"]})) == [
        (
            "Pulumi.east.yaml: peers: 'east' is this stack itself: "
            "take it out, no cluster is its own peer"
        )
    ]


def test_a_peer_or_authority_whose_file_cannot_be_read_is_there_all_the_same() -> None:
    east = settings_of("east", {"peers": ["north"], "mesh.authority": "south"})
    assert lines(Topology({"east": east}, unread=frozenset({"north", "south"}))) == []


def test_an_authority_without_a_file_is_refused_once() -> None:
    nobody = {"mesh.authority": "nobody"}
    assert lines(together(east=nobody, west=nobody)) == [
        (
            "Pulumi.yaml: mesh.authority: 'nobody' is no stack with a file here: "
            "write one of east, west, or add Pulumi.nobody.yaml"
        )
    ]


def test_a_cluster_that_leaves_out_who_dials_it_is_told() -> None:
    clusters = {f"c{number}": settings_of("east", {}) for number in range(6)}
    clusters["c0"] = settings_of("east", {"peers": ["c1"]})
    clusters["c1"] = settings_of("east", {"peers": ["c0"]})
    assert notices(Topology(clusters)) == tuple(
        f"Pulumi.{stack}.yaml: peers: leaves out c2, c3, c4 and 1 more, by which {stack} is "
        f"dialled; {stack} lets in the nodes of its own peers only: name both sides, or neither"
        for stack in ("c0", "c1")
    )


@pytest.mark.parametrize("named", [None, ["c0", "c1", "c2", "c3", "c4"]])
def test_a_cluster_that_all_others_leave_out_is_told_once(named: list[str] | None) -> None:
    names = [f"c{number}" for number in range(5)]
    clusters = {
        name: settings_of("east", {"peers": [one for one in names if one != name]})
        for name in names
    }
    clusters["north"] = settings_of("east", {} if named is None else {"peers": named})
    [says] = notices(Topology(clusters))
    assert says == (
        "Pulumi.north.yaml: north is left out by all others: its own `up` isn't needed; "
        "destroy it, or name it in the peers of the others"
    )


def test_an_authority_that_all_others_leave_out_is_not_told_to_go() -> None:
    spoke = {"peers": [], "mesh.authority": "hub"}
    clusters = {name: settings_of("east", spoke) for name in ("c0", "c1")}
    clusters["hub"] = settings_of("east", {"mesh.authority": "hub"})
    assert [says.partition(",")[0] for says in notices(Topology(clusters))] == [
        f"Pulumi.{stack}.yaml: peers: leaves out hub" for stack in ("c0", "c1")
    ]


def test_a_peering_named_on_one_side_alone_is_told_to_the_other() -> None:
    [says] = notices(together(east={"peers": ["west"]}, west={"peers": []}))
    assert says.startswith("Pulumi.west.yaml: peers: leaves out east, by which west is dialled")


def test_a_peering_named_on_both_sides_is_not_told() -> None:
    assert notices(together(east={"peers": ["west"]}, west={"peers": ["east"]})) == ()
    assert notices(together(east={"peers": ["west"]})) == ()
