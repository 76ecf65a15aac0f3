"""Who dials whom, and whose file a problem is said of."""

from mesh.topology import Topology, notices, problems
from tests.mesh.topology.written import lines, settings_of, together


def test_the_shipped_files_are_a_mesh_without_a_problem_or_a_notice() -> None:
    assert problems(together()) == ()
    assert notices(together()) == ()


def test_a_mesh_of_no_cluster_has_no_problem() -> None:
    assert problems(Topology({})) == ()


def test_peers_are_all_others_or_those_that_are_named_and_there() -> None:
    topology = together(east={"peers": ["west", "north", "east"]})
    assert topology.peers_of("east") == ("west",)
    assert topology.peers_of("west") == ("east",)
    assert [*together(west={"peers": []}).pairs()] == [("east", "west")]


def test_a_clash_is_said_of_the_own_file_or_else_of_the_later_one() -> None:
    same_id = {"cluster.id": 2}
    assert lines(together(east=same_id))[0].startswith("Pulumi.west.yaml: cluster.id")
    assert lines(together(east=same_id, own="east"))[0].startswith("Pulumi.east.yaml: cluster.id")


def test_every_copy_of_a_file_is_named() -> None:
    copies = {stack: settings_of(stack, {}) for stack in ("a", "b", "c", "d", "e", "f")}
    said = lines(Topology(copies))
    for stack in "bcdef":
        assert any(line.startswith(f"Pulumi.{stack}.yaml: network.podCidr: ") for line in said)


def test_many_copies_of_a_file_are_told_in_few_lines_each() -> None:
    same = settings_of("east", {})
    said = problems(Topology({f"c{number}": same for number in range(100)}))
    assert len([problem for problem in said if problem.key == "network.podCidr"]) <= 300
