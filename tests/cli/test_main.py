"""How the command starts and ends, as the shell sees it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.projects import PROJECT

MESH = [str(Path(sys.executable).with_name("mesh"))]


@pytest.mark.parametrize("command", [["check"], ["check", "--json"], ["firewall"], ["schema"]])
def test_output_that_can_not_be_written_is_told_in_one_line(command: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*MESH, *command], cwd=PROJECT, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (1, "mesh: no space left on device\n")


@pytest.mark.parametrize("command", ["check", "schema", "--help"])
def test_a_directory_that_is_gone_is_told_in_one_line(tmp_path: Path, command: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = 'rmdir "$1" && shift && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", words, "sh", str(gone), *MESH, command],
        cwd=gone,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        "mesh: the current directory was deleted: change to the project's directory\n"
    )


@pytest.mark.parametrize("module", ["pydantic", "typer", "cli.app"])
def test_an_interrupt_while_modules_load_ends_quietly(module: str) -> None:
    # The import that is interrupted says so itself, so that no clock is needed.
    program = (
        "import sys, importlib.abc, os, signal\n"
        "class Interrupt(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.argv = ['mesh', 'check']\n"
        "from cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
