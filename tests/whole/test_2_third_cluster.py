"""A third cluster joins and leaves: one more file, and nothing that runs is touched."""

from pathlib import Path

import pytest

from lab import node
from tests.whole import lab_command
from tests.whole.clone import restarts, run_mesh

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1200)]


def test_a_third_cluster_is_one_more_file_and_restarts_nothing(clone: Path) -> None:
    running = {each.name: each.pid for each in node.all_recorded()}
    pods = {cluster: restarts(cluster) for cluster in ("east", "west")}
    run_mesh(clone, "add", "north")
    joined = lab_command.run("up", clone=clone, seconds=900)
    assert joined.returncode == 0
    assert joined.stdout.count("2/2 remote clusters ready") == 3
    assert " 0 wrong" in joined.stdout
    assert running.items() <= {each.name: each.pid for each in node.all_recorded()}.items()
    for cluster, before in pods.items():
        assert restarts(cluster) == before


def test_the_third_cluster_leaves_again_and_restarts_nothing(clone: Path) -> None:
    pods = {cluster: restarts(cluster) for cluster in ("east", "west")}
    run_mesh(clone, "remove", "north")
    assert lab_command.run("up", "east", "west", clone=clone).returncode == 0
    assert lab_command.run("destroy", "north", clone=clone, seconds=400).returncode == 0
    (clone / "Pulumi.north.yaml").unlink()
    left = lab_command.run("up", seconds=900)
    assert left.returncode == 0
    assert left.stdout.count("1/1 remote clusters ready") == 2
    assert " 0 wrong" in left.stdout
    for cluster, before in pods.items():
        assert restarts(cluster) == before
