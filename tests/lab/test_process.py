"""Processes known by id and start, and the records of them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from lab.process import Process, read_record, write_record

# A name as a process may give itself, to be taken for other fields of /proc/PID/stat.
NAMED = (
    "import pathlib, time; pathlib.Path('/proc/self/comm').write_text('x) Z (1 2'); "
    "print('ready', flush=True); time.sleep(300)"
)


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "300"]) as started:
        yield started
        started.kill()


def test_a_process_runs_until_it_is_killed_waited_for_or_not(
    child: subprocess.Popen[bytes],
) -> None:
    process = Process.of(child.pid)
    assert process.is_running()
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE
    assert not process.is_running()
    child.wait()
    assert not process.is_running()


def test_a_later_process_of_the_same_id_is_another(child: subprocess.Popen[bytes]) -> None:
    process = Process.of(child.pid)
    assert not Process(process.pid, process.started - 1).is_running()
    assert Process.of(child.pid) == process


def test_a_clock_that_is_set_makes_no_process_another(
    child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = Process.of(child.pid)
    # A clock that is set moves the moment of the machine's start, which is told by it.
    real = Path.read_text

    def read_text(path: Path, *rest: str) -> str:
        text = real(path, *rest)
        return "btime 1\n" if path == Path("/proc/stat") else text

    monkeypatch.setattr(Path, "read_text", read_text)
    monkeypatch.setattr(time, "time", lambda: 1.0)
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: 1.0)
    assert process.is_running()
    assert Process.of(child.pid) == process


def test_a_start_is_counted_in_ticks_since_the_machines_own(
    child: subprocess.Popen[bytes],
) -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    since_boot = psutil.Process(child.pid).create_time() - psutil.boot_time()
    assert Process.of(child.pid).started / ticks == pytest.approx(since_boot, abs=1)


def test_a_name_with_parentheses_and_blanks_is_no_field() -> None:
    with subprocess.Popen([sys.executable, "-c", NAMED], stdout=subprocess.PIPE) as named:
        assert named.stdout
        assert named.stdout.readline() == b"ready\n"
        process = Process.of(named.pid)
        assert process.is_running()
        named.kill()
        named.wait()
        assert not process.is_running()


def test_an_id_that_nobody_has_is_said() -> None:
    free = 2**22 + 1  # the kernel gives none above 2**22
    with pytest.raises(ProcessLookupError, match=f"no process {free}"):
        Process.of(free)
    assert not Process(free, 0).is_running()


@dataclass(frozen=True)
class Named(Process):
    name: str


def test_a_record_is_read_as_it_was_written_in_a_directory_made_for_it(tmp_path: Path) -> None:
    record = tmp_path / "nodes" / "east-worker-1.json"
    for pid in (1, 2):
        write_record(record, Named(pid, 3, "east-worker-1"))
        assert read_record(record) == {"pid": pid, "started": 3, "name": "east-worker-1"}
    assert list(record.parent.iterdir()) == [record]


def test_a_record_that_was_never_written_is_none(tmp_path: Path) -> None:
    assert read_record(tmp_path / "nobody.json") is None


@pytest.mark.parametrize("left", [b"", b'{"pid": 47', b"\xff\xfe"])
def test_a_record_that_cannot_be_read_is_none(tmp_path: Path, left: bytes) -> None:
    record = tmp_path / "east-worker-1.json"
    record.write_bytes(left)
    assert read_record(record) is None


def test_a_record_whose_writing_fails_leaves_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "east-worker-1.json"
    write_record(record, Process(1, 2))
    real = Path.write_text

    def full(path: Path, text: str) -> int:
        real(path, text[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        write_record(record, Process(3, 4))
    assert read_record(record) == {"pid": 1, "started": 2}
