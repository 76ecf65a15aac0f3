"""The other stacks' settings, read from the files beside our own."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mesh.settings.files import File, read_file
from mesh.settings.load import PROJECT_FILE, PROJECT_KEYS, file_of, settings_from_config
from mesh.settings.problems import Problem, SettingsError
from mesh.settings.settings import Settings


def sibling_settings(project: Path, project_name: str, own_stack: str) -> dict[str, Settings]:
    """The settings of every other stack that has a file in `project`, by stack name, sorted.

    Raises SettingsError with the problems of all files.
    """
    siblings, problems = readable_siblings(project, project_name, own_stack)
    if problems:
        raise SettingsError(problems)
    return siblings


def readable_siblings(
    project: Path, project_name: str, own_stack: str
) -> tuple[dict[str, Settings], tuple[Problem, ...]]:
    """The siblings that can be read, and the problems of all files.

    A stack's key replaces the project's key whole, as the engine does it. Our own file is only
    checked for what no stack file may hold.
    """
    shared = read_file(project / PROJECT_FILE, project_name)
    problems = [*shared.problems]
    siblings = {}
    for stack in stacks_with_a_file(project):
        path = project / file_of(stack)
        file = read_file(path, project_name)
        problems += file.problems
        if stack == own_stack or file.config is None:
            continue
        try:
            siblings[stack] = _settings(path.name, file, shared)
        except SettingsError as error:
            problems += error.problems
    return siblings, tuple(problems)


def stacks_with_a_file(project: Path) -> tuple[str, ...]:
    """Every stack that has a file in `project`, sorted, whatever the file says."""
    names = sorted(path.name for path in project.glob("Pulumi.*.yaml"))
    return tuple(name.removeprefix("Pulumi.").removesuffix(".yaml") for name in names)


def _settings(name: str, file: File, shared: File) -> Settings:
    """One sibling's settings. Raises SettingsError with what its file did not say yet."""
    config = file.config or {}
    said = (*file.said(), *shared.said(), *(PROJECT_KEYS if shared.config is None else ()))
    try:
        return settings_from_config(name, {**(shared.config or {}), **config})
    except SettingsError as error:
        unsaid = [problem for problem in error.problems if not _is_below(problem.key, said)]
        told = [_in_its_file(problem, name, config) for problem in unsaid]
        stray = not file.problems and not config.keys() & _groups_of_a_stack()
        raise SettingsError(tuple(map(_or_move, told) if stray else told)) from None


def _in_its_file(problem: Problem, name: str, config: Mapping[str, object]) -> Problem:
    """Of a key that may stand in either file, the file that has it."""
    if " or " not in problem.file:
        return problem
    return replace(problem, file=name if problem.key.split(".")[0] in config else PROJECT_FILE)


def _is_below(key: str, said: tuple[str, ...]) -> bool:
    return any(re.fullmatch(rf"{re.escape(known)}(?:[.\[].*)?", key) for known in said)


def _or_move(problem: Problem) -> Problem:
    return replace(problem, instead=f"{problem.instead}, or move the file away")


def _groups_of_a_stack() -> set[str]:
    """The keys every stack file has."""
    fields = Settings.model_fields.values()
    return {str(field.alias) for field in fields if field.is_required()} - {*PROJECT_KEYS}
