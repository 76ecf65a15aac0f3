"""Programs that go on running after their command: the simulator, the supervisor."""

import json
import os
import signal
import subprocess
from pathlib import Path

import psutil

from lab.paths import RUN

END_SECONDS = 10.0


def start(name: str, command: list[str]) -> None:
    """Start the program in a session of its own, unless it runs; its output goes to its log."""
    if is_running(name):
        return
    RUN.mkdir(parents=True, exist_ok=True)
    with log(name).open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    started = psutil.Process(process.pid).create_time()
    _record(name).write_text(json.dumps({"pid": process.pid, "started": started}))


def stop(name: str) -> None:
    """End the program: asked first, forced after some seconds. Nothing happens if it is gone."""
    process = _process(name)
    if process:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(END_SECONDS)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(END_SECONDS)
    _record(name).unlink(missing_ok=True)


def is_running(name: str) -> bool:
    """Tell whether the program that was started is still there."""
    return _process(name) is not None


def log(name: str) -> Path:
    """Return the file with the program's output."""
    return RUN / f"{name}.log"


def _process(name: str) -> psutil.Process | None:
    try:
        known = json.loads(_record(name).read_text())
        process = psutil.Process(known["pid"])
        running = process.create_time() == known["started"]
    except (FileNotFoundError, psutil.NoSuchProcess):
        return None
    if os.getpid() == process.ppid() and process.status() == psutil.STATUS_ZOMBIE:
        process.wait()
        return None
    return process if running and process.status() != psutil.STATUS_ZOMBIE else None


def _record(name: str) -> Path:
    return RUN / f"{name}.json"
