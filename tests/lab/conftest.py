"""The real programs that tests of the lab run, on loopback only."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.guestinfo import GuestInfoServer
from lab.paths import cache
from lab.vcenter import VCenter, connect

START_SECONDS = 20


def located(variable: str, default: Path, needed: str) -> Path:
    """The path in an environment variable, else the lab's own; skips with words when neither is."""
    path = Path(os.environ.get(variable) or default)
    if not (path / needed).exists():
        pytest.skip(f"NOT TESTED: {path / needed} is missing; run `lab build` or set {variable}")
    return path


@pytest.fixture
def quick_doors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Doors of nodes close in no time: each waits for its next look around, by default 0.5 s."""
    monkeypatch.setattr(GuestInfoServer.serve_forever, "__defaults__", (0.01,))


@pytest.fixture(scope="session")
def pulumi_root() -> Path:
    """The directory whose bin/pulumi is the engine."""
    return located("PULUMI_ROOT", cache(), "bin/pulumi")


@pytest.fixture(scope="module")
def simulator() -> Iterator[str]:
    """The address and port of a vcsim with the shipped inventory."""
    program = located("VCSIM", cache() / "bin" / "vcsim", "")
    command = [str(program), "-listen=127.0.0.1:0", "-template-disk-gib=20"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            found = re.search(r"serving (\S+)", process.stderr.readline())
            assert found, "vcsim did not start"
            yield found.group(1)
        finally:
            process.terminate()
            process.wait(START_SECONDS)


@pytest.fixture
def vcenter(simulator: str) -> Iterator[VCenter]:
    """A session with the simulator."""
    address, _, port = simulator.partition(":")
    session = connect(address, int(port), "user", "password")
    yield session
    session.close()
