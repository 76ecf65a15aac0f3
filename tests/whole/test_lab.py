"""The whole story on this machine, in the order a user lives it: one lab, test after test."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import node, project, vcenter_simulator
from tests.whole import lab_command, third_cluster
from tests.whole.machine import Machine
from tests.whole.secrets import places_with, plain_secrets

NOTHING_BUT_REFERENCES = {
    "pulumi:pulumi:Stack",
    "pulumi:pulumi:StackReference",
    "pulumi:providers:pulumi",  # the engine's own, which reads the references
}

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def before() -> Iterator[Machine]:
    """The machine before the lab; afterwards the lab is taken down, whatever happened."""
    lab_command.run("down")
    yield Machine.now()
    lab_command.run("down")


def test_west_before_its_authority_is_refused_and_leaves_nothing(before: Machine) -> None:
    refused = lab_command.run("up", "west", seconds=5000)
    previewed = lab_command.run("preview", "west")
    for attempt in (refused, previewed):
        assert attempt.returncode != 0
        assert "Run first: pulumi up -s east" in attempt.stdout
    assert lab_command.resource_types("west") <= NOTHING_BUT_REFERENCES
    assert not node.all_recorded()


def test_east_comes_up_alone() -> None:
    assert lab_command.run("up", "east", seconds=900).returncode == 0
    assert "kubernetes:helm.sh/v3:Release" in lab_command.resource_types("east")


def test_west_joins_without_another_up_of_east() -> None:
    untouched = lab_command.deployment("east")
    assert lab_command.run("up", "west", seconds=900).returncode == 0
    assert lab_command.deployment("east") == untouched


def test_the_report_finds_everything_right_and_a_second_run_changes_nothing() -> None:
    running = {each.name: each.pid for each in node.all_recorded()}
    reported = lab_command.run("up", seconds=900)
    assert reported.returncode == 0
    assert " 0 wrong" in reported.stdout
    assert {each.name: each.pid for each in node.all_recorded()} == running
    assert reported.stdout.count("unchanged") >= 2
    assert "to create" not in reported.stdout
    assert "replaced" not in reported.stdout
    phases = json.loads(Path("/run/vsphere-cluster-mesh/timeline.json").read_text())
    assert {"up east", "up west"} <= {phase["name"] for phase in phases}


@pytest.mark.parametrize("stack", ["east", "west"])
def test_a_second_preview_shows_no_change(stack: str) -> None:
    assert lab_command.run("preview", stack, "--expect-no-changes").returncode == 0


def test_status_agrees_with_the_report() -> None:
    assert lab_command.run("status").returncode == 0


def test_a_command_runs_in_the_lab_with_a_context_per_cluster() -> None:
    contexts = lab_command.run("exec", "--", "kubectl", "config", "get-contexts", "-o", "name")
    assert contexts.stdout.split() == ["east", "west"]


def test_no_secret_lies_in_plain_text_outside_its_place() -> None:
    secrets = plain_secrets(project.stacks())
    assert len(secrets) > 10
    assert places_with(secrets) == []


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return third_cluster.clone(tmp_path_factory.mktemp("clone"))


def test_a_third_cluster_is_one_more_file_and_restarts_nothing(clone: Path) -> None:
    running = {each.name: each.pid for each in node.all_recorded()}
    pods = {cluster: third_cluster.pods(cluster) for cluster in ("east", "west")}
    third_cluster.mesh(clone, "add", "north")
    joined = lab_command.run("up", clone=clone, seconds=900)
    assert joined.returncode == 0
    assert joined.stdout.count("2/2 remote clusters ready") == 3
    assert " 0 wrong" in joined.stdout
    assert running.items() <= {each.name: each.pid for each in node.all_recorded()}.items()
    for cluster, before in pods.items():
        assert third_cluster.pods(cluster) == before


def test_the_third_cluster_leaves_again_and_restarts_nothing(clone: Path) -> None:
    pods = {cluster: third_cluster.pods(cluster) for cluster in ("east", "west")}
    third_cluster.mesh(clone, "remove", "north")
    assert lab_command.run("up", "east", "west", clone=clone).returncode == 0
    assert lab_command.run("destroy", "north", clone=clone, seconds=400).returncode == 0
    (clone / "Pulumi.north.yaml").unlink()
    left = lab_command.run("up", seconds=900)
    assert left.returncode == 0
    assert left.stdout.count("1/1 remote clusters ready") == 2
    assert " 0 wrong" in left.stdout
    for cluster, before in pods.items():
        assert third_cluster.pods(cluster) == before


@pytest.mark.parametrize("stack", ["west", "east"])
def test_destroy_says_what_it_unprotects_and_ends(stack: str) -> None:
    began = time.monotonic()
    destroyed = lab_command.run("destroy", stack, seconds=400)
    assert destroyed.returncode == 0
    assert f"lifting the protection of {stack}-control-plane-1" in destroyed.stdout
    assert time.monotonic() - began < 180
    assert lab_command.resource_types(stack) <= NOTHING_BUT_REFERENCES


def test_the_vcenter_is_empty_again() -> None:
    assert vcenter_simulator.machine_names() == []


def test_down_leaves_the_machine_as_it_was(before: Machine) -> None:
    assert lab_command.run("down").returncode == 0
    assert Machine.now().additions_to(before) == []
