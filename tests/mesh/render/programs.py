"""Programs of the machine that read what we render."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def program(name: str, variable: str) -> str:
    """The program's path: from the environment variable, else from PATH, else the test skips."""
    found = os.environ.get(variable) or shutil.which(name)
    if found is None:
        pytest.skip(f"no {name}: set {variable} to it, to have it read what is rendered")
    return found


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
