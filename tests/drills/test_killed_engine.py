"""An engine that dies in the middle of an `up`, at moments nobody chose; then it must converge."""

import os
import random
import signal
import subprocess
import time

import psutil
import pytest

from tests.whole import lab_command

pytestmark = [pytest.mark.drill, pytest.mark.timeout(5400)]

TIMES = 5
# The longest moment lies about where an `up` of a small cluster would end.
LONGEST_SECONDS = 150.0


def test_the_lab_converges_after_its_engine_was_killed_five_times() -> None:
    seed = int(os.environ.get("DRILL_SEED", time.time_ns() % 100_000))
    moments = random.Random(seed)
    print(f"seed {seed}: DRILL_SEED={seed} repeats these moments")
    lab_command.run("down")
    try:
        for _ in range(TIMES):
            _kill_after(moments.uniform(2, LONGEST_SECONDS))
            assert lab_command.run("repair", "east").returncode == 0
        assert lab_command.run("up", seconds=1800).returncode == 0
        for stack in ("east", "west"):
            assert lab_command.run("preview", stack, "--expect-no-changes").returncode == 0
    finally:
        lab_command.run("down")


def _kill_after(seconds: float) -> None:
    started = subprocess.Popen(
        [str(lab_command.LAB), "up", "east"],
        env={"LAB_WORKERS": "1", **os.environ},
        stdin=subprocess.DEVNULL,
    )
    engine = _await_engine(started)
    print(f"killing the engine {seconds:.0f} s into its up")
    time.sleep(seconds)
    for process in (engine, *engine.children(recursive=True)):
        if process.is_running():
            process.send_signal(signal.SIGKILL)
    started.wait(60)


def _await_engine(started: subprocess.Popen[bytes]) -> psutil.Process:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and started.poll() is None:
        for process in psutil.Process(started.pid).children(recursive=True):
            if "lab.engine up east" in " ".join(process.cmdline()):
                return process
        time.sleep(0.2)
    raise AssertionError("no engine came up")
