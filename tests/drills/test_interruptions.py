"""What a user or a machine may do in the middle of an `up`, and what must work afterwards."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import node
from tests.drills.background_lab import BackgroundUp
from tests.whole import lab_command
from tests.whole.machine import Machine

pytestmark = [pytest.mark.drill, pytest.mark.timeout(2400)]

CONTROL_PLANE = "east-control-plane-1"


@pytest.fixture
def before() -> Iterator[Machine]:
    """The machine without a lab; afterwards there is none either."""
    lab_command.run("down")
    yield Machine.now()
    lab_command.run("down")


def test_after_an_interrupt_an_up_goes_on(before: Machine, tmp_path: Path) -> None:
    with BackgroundUp("east", tmp_path / "up.log") as up:
        up.wait_for(f"{CONTROL_PLANE} kubeadm-init running")
        up.interrupt()
        assert up.ended(120) != 0
        assert "`lab up` goes on from here" in up.said()
    assert lab_command.run("up", "east", seconds=900).returncode == 0
    assert lab_command.run("preview", "east", "--expect-no-changes").returncode == 0


def test_a_node_that_loses_power_in_kubeadm_becomes_a_node_all_the_same(
    before: Machine, tmp_path: Path
) -> None:
    with BackgroundUp("east", tmp_path / "up.log") as up:
        up.wait_for(f"{CONTROL_PLANE} kubeadm-init running")
        running = node.running(CONTROL_PLANE)
        assert running
        os.kill(running.pid, signal.SIGKILL)
        assert up.ended(900) == 0
    again = node.running(CONTROL_PLANE)
    assert again
    assert again.pid != running.pid


def test_down_cleans_up_after_a_lab_that_was_killed(before: Machine, tmp_path: Path) -> None:
    with BackgroundUp("east", tmp_path / "up.log") as up:
        up.wait_for(f"{CONTROL_PLANE} kubeadm-init running")
        up.kill_everything()
    assert node.running(CONTROL_PLANE)
    assert lab_command.run("down").returncode == 0
    assert Machine.now().additions_to(before) == []
