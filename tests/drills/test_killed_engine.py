"""An engine that dies in the middle of an `up`, at moments nobody chose; then it must converge."""

import os
import random
import time
from pathlib import Path

import pytest

from tests.drills.background_lab import BackgroundUp
from tests.whole import lab_command

pytestmark = [pytest.mark.drill, pytest.mark.timeout(5400)]

TIMES = 5
# The longest moment lies about where an `up` of a small cluster would end.
LONGEST_SECONDS = 110.0
UPDATING = r"lab: |Updating \(east\)"


def test_the_lab_converges_after_its_engine_was_killed_five_times(tmp_path: Path) -> None:
    seed = int(os.environ.get("DRILL_SEED", time.time_ns() % 100_000))
    moments = random.Random(seed)
    print(f"seed {seed}: DRILL_SEED={seed} repeats these moments")
    lab_command.run("down")
    try:
        killed = 0
        while killed < TIMES:
            seconds = moments.uniform(2, LONGEST_SECONDS)
            with BackgroundUp("east", tmp_path / "up.log") as up:
                up.wait_for(UPDATING)
                was_killed = _kill_after(up, seconds)
            killed += was_killed
            if was_killed:
                assert lab_command.run("repair", "east").returncode == 0
            else:
                # It went on from where the last one was killed, and ended: from the start again.
                assert lab_command.run("destroy", "east").returncode == 0
        assert lab_command.run("up", seconds=1800).returncode == 0
        for stack in ("east", "west"):
            assert lab_command.run("preview", stack, "--expect-no-changes").returncode == 0
    finally:
        lab_command.run("down")


def _kill_after(up: BackgroundUp, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if up.has_ended():
            print(f"the up had ended before {seconds:.0f} s")
            return False
        time.sleep(0.2)
    print(f"killing the engine {seconds:.0f} s into its up")
    up.kill_engine()
    assert up.ended(60) != 0
    return True
