"""The releases of all clusters."""

from mesh.topology import Topology, problems
from tests.mesh.topology.written import lines, settings_of, together


def with_cilium(*versions: str, **changes: object) -> Topology:
    clusters = {}
    for number, version in enumerate(versions):
        own = {"versions.cilium": version, **changes}
        clusters[f"c{number}"] = settings_of("east", own)
    return Topology(clusters)


def said(topology: Topology) -> list[str]:
    found = [problem for problem in problems(topology) if problem.key == "versions.cilium"]
    return [str(problem) for problem in found if "minor" in problem.reason]


def test_minors_that_follow_each_other_are_taken() -> None:
    assert said(with_cilium("1.19.6", "1.20.2", "1.20.0")) == []


def test_minors_further_apart_are_refused_once_and_with_both() -> None:
    assert said(with_cilium("1.18.1", "1.20.2")) == [
        (
            "Pulumi.yaml or Pulumi.c1.yaml: versions.cilium: '1.20.2' is more than one minor from "
            "versions.cilium of c0, 1.18.1: write a 1.18, or one next to it"
        )
    ]


def test_every_cluster_that_is_too_far_from_another_is_told() -> None:
    found = said(with_cilium("1.18.1", "1.19.1", "1.20.1", "1.20.2"))
    assert [line.split(": ")[0] for line in found] == [
        "Pulumi.yaml or Pulumi.c3.yaml",
        "Pulumi.yaml or Pulumi.c2.yaml",
    ]


def test_clusters_that_are_no_peers_may_be_further_apart() -> None:
    assert said(with_cilium("1.18.1", "1.20.2", peers=[])) == []


def test_a_named_peer_too_far_is_refused() -> None:
    east = {"versions.cilium": "1.18.1", "peers": ["west"]}
    assert len(said(together(east=east, west={"peers": ["east"]}))) == 1


def test_an_unknown_release_of_all_clusters_is_told_once() -> None:
    old = {"versions.metallb": "0.13.0"}
    assert lines(together(east=old, west=old)) == [
        (
            "Pulumi.yaml or Pulumi.east.yaml: versions.metallb: '0.13.0' is no release this "
            "program "
            "knows: write a 0.15 or 0.16"
        )
    ]
