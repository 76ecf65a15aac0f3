"""The project in the current directory: its stack files, and the order to bring them up in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.failure import Failure
from mesh.settings import (
    Problem,
    Settings,
    SettingsError,
    file_of,
    readable_siblings,
    stacks_with_a_file,
)
from mesh.settings.document import read_document
from mesh.topology import Topology


@dataclass(frozen=True)
class Project:
    """A directory with Pulumi.yaml; `settings` has every stack whose file can be read, by name."""

    directory: Path
    name: str
    settings: Mapping[str, Settings]
    unread: frozenset[str] = frozenset()
    """Stacks that have a file too, which can't be read."""

    @property
    def topology(self) -> Topology:
        """All clusters together."""
        return Topology(self.settings, unread=self.unread, project=self.directory)

    @property
    def stacks(self) -> tuple[str, ...]:
        """The stacks in the order of `up`."""
        authority = next(iter(self.settings.values())).mesh.authority
        return in_order(authority, self.settings)

    def require(self, stack: str) -> None:
        """Raise Failure, naming the stacks that have a file, when this one has none."""
        if stack not in self.settings:
            known = ", ".join(self.stacks)
            raise Failure(f"no {file_of(stack)} here: the stacks with a file are {known}")


def in_order(authority: str, stacks: Mapping[str, object]) -> tuple[str, ...]:
    """The stacks with the authority first, the others by name. Raises Failure without it."""
    if authority not in stacks:
        known = ", ".join(sorted(stacks))
        raise Failure(
            f"Pulumi.yaml: mesh.authority: {authority!r} has no stack file: write one of {known}"
        )
    return (authority, *sorted(stack for stack in stacks if stack != authority))


def load(directory: Path) -> Project:
    """The project in a directory. Raises Failure with everything wrong in its settings."""
    project, problems = read(directory)
    if problems:
        raise Failure(str(SettingsError(problems)))
    return project


def read(directory: Path) -> tuple[Project, tuple[Problem, ...]]:
    """The project in a directory, and what is wrong in its files.

    Raises Failure where no project is.
    """
    name, files = name_in(directory), frozenset(stacks_with_a_file(directory))
    if not files:
        raise Failure(f"no stack file in {directory}: add one such as Pulumi.east.yaml")
    settings, problems = readable_siblings(directory, name, own_stack="")
    return Project(directory, name, settings, files - settings.keys()), problems


def name_in(directory: Path) -> str:
    """The name in a directory's Pulumi.yaml. Raises Failure where there is none."""
    file = directory / "Pulumi.yaml"
    if not file.is_file():
        raise Failure(f"no Pulumi.yaml in {directory}: run this in the project's directory")
    document = read_document(file)
    if isinstance(document, Problem):
        raise Failure(str(document))
    name = document.value.get("name") if isinstance(document.value, dict) else None
    if not isinstance(name, str):
        raise Failure(f"{file.name} is no Pulumi project file: give it a `name`")
    return name
