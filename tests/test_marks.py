"""Which tests run when none, or some, are asked for by their marks."""

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
OPTIONS = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
MARKS = {line.partition(":")[0] for line in OPTIONS["markers"]}
TEST = """
@pytest.mark.{mark}
def test_{mark}():
    Path(__file__).with_name("{mark}.ran").touch()
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module with a test of each mark, and with one that has none of ours."""
    tests = [TEST.format(mark=mark) for mark in sorted(MARKS)]
    unmarked = TEST.format(mark="unmarked").replace("@pytest.mark.unmarked\n", "")
    head = "import pytest\nfrom pathlib import Path\n"
    file = tmp_path / "test_marked.py"
    file.write_text("".join([head, unmarked, *tests]))
    return file


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", {"unmarked"}),
        ("-n 2", {"unmarked"}),
        ("-m lab", {"lab"}),
        ("-n 2 -m drill", {"drill"}),
        ("-m 'dns or engine'", {"dns", "engine"}),
    ],
    # Not of the sets: each worker has its own order of them.
    ids=range(5),
)
def test_a_test_with_a_mark_runs_only_where_it_is_asked_for(
    module: Path, words: str, expected: set[str]
) -> None:
    config = ("-c", str(PROJECT / "pyproject.toml"), f"--rootdir={module.parent}")
    command = [sys.executable, "-m", "pytest", *config, *shlex.split(words), str(module)]
    done = subprocess.run(command, cwd=module.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert {file.stem for file in module.parent.glob("*.ran")} == expected
