"""A `lab up` in the background, whose moments a drill can wait for."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType

import psutil

from tests.whole import lab_command


class BackgroundUp:
    """`lab up STACK`, running; its output goes to a file."""

    def __init__(self, stack: str, log: Path) -> None:
        self._log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                # Without `timeout`: it would kill the command soon after an interrupt.
                [str(lab_command.LAB), "up", stack],
                env={"LAB_WORKERS": "1", **os.environ},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def __enter__(self) -> "BackgroundUp":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        print(self.said())

    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def wait_for(self, pattern: str, seconds: float = 600) -> None:
        """Return when the output has the pattern; fails if the command ends before."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.said()):
            assert self._process.poll() is None, f"ended before {pattern!r}: {self.said()[-2000:]}"
            assert time.monotonic() < deadline, f"no {pattern!r} in {seconds:.0f} s"
            time.sleep(0.5)

    def interrupt(self) -> None:
        """Do what Ctrl-C in a terminal does."""
        os.killpg(self._process.pid, signal.SIGINT)

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def ended(self, seconds: float) -> int:
        """Return the exit status."""
        return self._process.wait(seconds)

    def kill_engine(self) -> None:
        """Kill -9 the engine, its program and its plugins, but not the lab's command."""
        for process in psutil.Process(self._process.pid).children(recursive=True):
            if "lab.engine" in " ".join(process.cmdline()):
                for each in (process, *process.children(recursive=True)):
                    _kill(each)
                return
        raise AssertionError("no engine runs")

    def kill_everything(self) -> None:
        """Kill -9 the command, all it started, and the lab's own programs behind it."""
        words = ("bin/lab up", "lab.engine", "lab.supervisor", "vcsim -listen=10.", "bin/pulumi")
        for process in psutil.process_iter(["cmdline"]):
            command = " ".join(process.info["cmdline"] or ())
            if any(word in command for word in words):
                _kill(process)


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return
