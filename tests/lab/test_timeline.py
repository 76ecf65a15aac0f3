import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from lab.timeline import Phase, Timeline


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Timeline:
    """A run of two phases that starts when a clock says 10 s."""
    clock = iter((12.0, 15.5, 20.0, 81.0))
    monkeypatch.setattr("lab.timeline.time", SimpleNamespace(monotonic=lambda: next(clock)))
    made = Timeline(_start=10.0)
    for name in ("programs", "up east"):
        with made.phase(name):
            pass
    return made


def test_a_phase_says_when_it_began_in_the_run_and_how_long_it_took(run: Timeline) -> None:
    assert run.phases == [Phase("programs", 2.0, 3.5), Phase("up east", 10.0, 61.0)]


def test_a_phase_that_failed_is_not_recorded() -> None:
    made = Timeline()
    with pytest.raises(OSError, match="no space"), made.phase("images"):
        raise OSError("no space")
    assert made.phases == []


def test_the_file_is_a_list_that_another_program_reads(run: Timeline, tmp_path: Path) -> None:
    run.write(tmp_path / "timeline.json")
    read = json.loads((tmp_path / "timeline.json").read_text())
    assert read[1] == {"name": "up east", "began": 10.0, "seconds": 61.0}


def test_the_table_has_a_line_for_each_phase(run: Timeline) -> None:
    shown = Console(file=io.StringIO(), width=80)
    run.show(shown)
    assert isinstance(shown.file, io.StringIO)
    [line] = [line for line in shown.file.getvalue().splitlines() if "up east" in line]
    assert "10 s" in line
    assert "61.0 s" in line
