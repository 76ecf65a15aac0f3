"""The rival of the program is no easier one: it registers the very same resources."""

import shutil
from pathlib import Path

from bench.bare_program import write_list
from bench.preview import table
from cli.preview.mocks import World
from cli.preview.program import Run
from cli.preview.program import run_program as run_project
from tests.cli.preview.conftest import copy_of_the_stack_files
from tests.mocks import config_of, run_program

OPTIONS = ("parent", "provider", "protect", "retainOnDelete", "deletedWith")
LISTS = ("ignoreChanges", "additionalSecretOutputs")


def registered(run: Run) -> dict[str, tuple[object, ...]]:
    return {
        f"{one.type}::{one.name}": (
            one.inputs if one.request.custom else None,
            one.request.custom,
            *(getattr(one.request, option) for option in OPTIONS),
            *({*getattr(one.request, option)} for option in LISTS),
        )
        for one in run.made
    }


def test_program_and_rival_register_the_same_resources(tmp_path: Path) -> None:
    run = run_program("east")
    write_list(run, tmp_path / "list.json")
    project = copy_of_the_stack_files(tmp_path / "project")
    shutil.copy(tmp_path / "list.json", project)
    (project / "__main__.py").write_text(
        "from pathlib import Path\nfrom bench.bare_program import bare\n"
        f"bare(Path({str(project / 'list.json')!r}), ['east', 'west'])\n"
    )
    rival = run_project(project, "east", config_of("east"), World(), preview=False)
    ours, theirs = registered(run), registered(rival)
    assert ours.keys() == theirs.keys()
    for key, resource in ours.items():
        assert theirs[key] == resource, key
    assert len(rival.monitor.calls) == len(run.monitor.calls)


def test_the_ratio_is_of_each_round() -> None:
    text = table({"program": [2.0, 3.0, 8.0], "bare": [1.0, 2.0, 2.0]})
    assert text.splitlines()[-1] == "| program : bare | 1.50 | 2.00 | 4.00 |"
