"""The story's beginning: two clusters come up one by one, and a second run changes nothing."""

import json
from pathlib import Path

import pytest

from lab import node, project
from tests.whole import lab_command
from tests.whole.lab_command import NOTHING_BUT_REFERENCES
from tests.whole.machine import Machine
from tests.whole.secrets import places_with, plain_secrets

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1200)]


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
