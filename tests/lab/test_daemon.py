"""Programs that go on running, with real and small processes."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from lab import daemon

# A daemon outlives the object that started it; that is the point.
pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")

SLEEP = ["sleep", "300"]
IGNORING = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    "print('ready', flush=True); time.sleep(300)"
)
STUBBORN = [sys.executable, "-c", IGNORING]
Pid = Callable[[], int]


@pytest.fixture(autouse=True)
def run_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "run"
    monkeypatch.setattr(daemon, "RUN", made)
    return made


@pytest.fixture
def pid(run_directory: Path) -> Iterator[Pid]:
    """Tells the process id of the daemon `trial`, and ends it at last."""

    def read() -> int:
        return int(json.loads((run_directory / "trial.json").read_text())["pid"])

    yield read
    daemon.stop("trial")


def eventually(fact: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end
        time.sleep(0.02)


def runs(pid: int) -> bool:
    """Tell whether a process of ours does anything: none waits for those that have ended."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_started_program_runs_until_it_is_stopped(pid: Pid) -> None:
    assert not daemon.is_running("trial")
    daemon.start("trial", SLEEP)
    started = pid()
    assert daemon.is_running("trial")
    daemon.stop("trial")
    assert not daemon.is_running("trial")
    assert not runs(started)


def test_a_second_start_is_no_second_process(pid: Pid) -> None:
    daemon.start("trial", SLEEP)
    first = pid()
    daemon.start("trial", SLEEP)
    assert pid() == first


def test_an_interrupt_at_the_terminal_does_not_reach_it(pid: Pid) -> None:
    daemon.start("trial", SLEEP)
    assert os.getsid(pid()) == pid() != os.getsid(0)


def test_what_it_prints_on_both_streams_is_in_its_log_after_a_restart_too(pid: Pid) -> None:
    for word in ("one", "two"):
        daemon.start("trial", ["bash", "-c", f"echo {word}; echo {word} >&2; exec sleep 300"])
        eventually(lambda word=word: daemon.log("trial").read_text().count(word) == 2)  # type: ignore[misc]
        daemon.stop("trial")
    assert daemon.log("trial").read_text().split() == ["one", "one", "two", "two"]
    daemon.start("trial", SLEEP)
    assert daemon.is_running("trial")


def test_one_that_was_killed_behind_our_back_is_gone_and_started_again(pid: Pid) -> None:
    daemon.start("trial", SLEEP)
    first = pid()
    os.kill(first, signal.SIGKILL)
    eventually(lambda: not daemon.is_running("trial"))
    daemon.start("trial", SLEEP)
    assert daemon.is_running("trial")
    assert pid() != first


def test_a_program_that_ended_at_once_is_not_running(pid: Pid) -> None:
    daemon.start("trial", ["false"])
    eventually(lambda: not daemon.is_running("trial"))
    daemon.stop("trial")


def test_stopping_what_was_never_started_is_nothing() -> None:
    daemon.stop("trial")


def test_another_process_under_the_same_number_is_not_touched(
    run_directory: Path, pid: Pid
) -> None:
    daemon.start("trial", SLEEP)
    record = run_directory / "trial.json"
    alive = pid()
    genuine = record.read_text()
    record.write_text(json.dumps({**json.loads(genuine), "started": 1}))
    assert not daemon.is_running("trial")
    daemon.stop("trial")
    assert runs(alive)
    record.write_text(genuine)


@pytest.mark.parametrize("left", ["", '{"pid": 47'])
def test_a_record_that_was_half_written_is_no_daemon_and_no_hindrance(
    run_directory: Path, pid: Pid, left: str
) -> None:
    run_directory.mkdir()
    (run_directory / "trial.json").write_text(left)
    assert not daemon.is_running("trial")
    daemon.stop("trial")
    daemon.start("trial", SLEEP)
    assert daemon.is_running("trial")


def test_one_that_ignores_the_asking_is_forced(pid: Pid, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon, "END_SECONDS", 1.0)
    daemon.start("trial", STUBBORN)
    eventually(lambda: "ready" in daemon.log("trial").read_text())
    stubborn = pid()
    daemon.stop("trial")
    assert not runs(stubborn)


def test_two_programs_know_nothing_of_each_other(pid: Pid) -> None:
    daemon.start("trial", SLEEP)
    daemon.start("other", SLEEP)
    daemon.stop("other")
    assert daemon.is_running("trial")
    assert not daemon.is_running("other")
