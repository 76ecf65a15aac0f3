"""Recordings of the shipped stacks, and of projects in which somebody changed something."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.preview.recording import Recording
from cli.preview.runner import record
from mesh.pki import certificate_authority
from tests.mocks import NAME, PROJECT

MESH_CA = certificate_authority("test", 10).as_mapping()
Edit = Callable[[dict[str, Any]], None]
"""Changes the groups of a stack file, by their names."""
Recorder = Callable[..., Recording]


def edited(project: Path, stack: str, edit: Edit) -> None:
    file = project / f"Pulumi.{stack}.yaml"
    document = yaml.safe_load(file.read_text())
    groups = {key.removeprefix(f"{NAME}:"): value for key, value in document["config"].items()}
    edit(groups)
    file.write_text(
        yaml.safe_dump({"config": {f"{NAME}:{key}": value for key, value in groups.items()}})
    )


def group(name: str, **changed: object) -> Edit:
    """An edit of one group of a stack file."""

    def edit(groups: dict[str, Any]) -> None:
        groups[name] = {**groups.get(name, {}), **changed}

    return edit


def copy_of_the_stack_files(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    for file in (*PROJECT.glob("Pulumi*.yaml"), PROJECT / "__main__.py"):
        shutil.copy(file, directory)
    return directory


@pytest.fixture(scope="session")
def shipped() -> Recording:
    return record(PROJECT, "east", MESH_CA)


@pytest.fixture
def recorded(tmp_path: Path) -> Recorder:
    """Record a stack of the shipped project after edits of its files, by stack."""

    def recorder(stack: str = "east", **edits: Edit) -> Recording:
        project = copy_of_the_stack_files(tmp_path / "project")
        for name, edit in edits.items():
            edited(project, name, edit)
        return record(project, stack, MESH_CA)

    return recorder
