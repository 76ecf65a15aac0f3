"""What a test run that is killed leaves behind."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from lab.paths import cache
from tests.lab.conftest import located
from tests.mocks import PROJECT

pytestmark = pytest.mark.timeout(300)

RUN = """\
import sys, time
from pathlib import Path
from tests.cli.conftest import running_kubernetes
with running_kubernetes("east", Path(sys.argv[1])):
    print("it runs", flush=True)
    time.sleep(300)
"""


def programs_of(directory: Path) -> list[str]:
    """The programs whose command lines have a directory in them."""
    found = psutil.process_iter(["name", "cmdline"])
    return [
        str(one.info["name"])
        for one in found
        if any(str(directory) in word for word in (one.info["cmdline"] or ())[1:])
    ]


def test_the_api_server_of_a_killed_run_ends_with_it(tmp_path: Path) -> None:
    located("LAB_BIN", cache() / "bin", "kube-control-plane")
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stdout.readline() == b"it runs\n"
        assert len(programs_of(tmp_path)) == 3
        run.kill()
    end = time.monotonic() + 60
    while left := programs_of(tmp_path):
        assert time.monotonic() < end, left
        time.sleep(0.1)
