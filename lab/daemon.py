"""Programs that go on running after their command: the simulator, the supervisor."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from lab.paths import RUN
from lab.process import Process, read_record, write_record

END_SECONDS = 10.0


def start(name: str, command: list[str]) -> None:
    """Start the program in a session of its own, unless it runs; its output goes to its log."""
    if is_running(name):
        return
    RUN.mkdir(parents=True, exist_ok=True)
    with log(name).open("ab") as output:
        started = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    write_record(_record(name), Process.of(started.pid))


def stop(name: str) -> None:
    """End the program: asked first, forced after some seconds. Nothing happens if it is gone."""
    process = _process(name)
    if process:
        _signal(process, signal.SIGTERM)
        if not _ended(process, END_SECONDS):
            _signal(process, signal.SIGKILL)
            _ended(process, END_SECONDS)
    _record(name).unlink(missing_ok=True)


def is_running(name: str) -> bool:
    """Tell whether the program that was started is still there."""
    process = _process(name)
    return process is not None and process.is_running()


def log(name: str) -> Path:
    """Return the file with the program's output."""
    return RUN / f"{name}.log"


def _signal(process: Process, number: int) -> None:
    if process.is_running():
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


def _ended(process: Process, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while process.is_running():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _process(name: str) -> Process | None:
    found = read_record(_record(name))
    return Process(**found) if found else None  # type: ignore[arg-type]


def _record(name: str) -> Path:
    return RUN / f"{name}.json"
