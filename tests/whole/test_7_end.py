"""The story's end: the clusters are destroyed, and the machine is as it was."""

import time

import pytest

from lab import vcenter_simulator
from tests.whole import lab_command
from tests.whole.lab_command import NOTHING_BUT_REFERENCES
from tests.whole.machine import Machine

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1200)]


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
