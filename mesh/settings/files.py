"""A Pulumi file as it was written: the keys of our namespace, and what no such file may hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from mesh.settings.document import Document, read_document
from mesh.settings.keys import is_setting, setting_keys
from mesh.settings.load import PROJECT_FILE, PROJECT_KEYS, value_of_text
from mesh.settings.problems import Problem, Written
from mesh.settings.scalars import doubts
from mesh.settings.secrets import (
    SECRET_KEYS,
    is_password,
    plain_password,
    secure,
    secure_paths,
)
from mesh.settings.settings import Settings

_WRAPPERS = ("value", "default")
"""Below one of these a value stands in the project file, where the engine asks for it."""


@dataclass(frozen=True)
class File:
    """The `config` of one file; None when the file cannot be read, and a problem says why."""

    config: dict[str, Any] | None
    problems: tuple[Problem, ...]

    def said(self) -> tuple[str, ...]:
        """The keys about which there is a problem already."""
        return tuple(problem.key.rpartition(":")[2] for problem in self.problems)


def read_file(path: Path, project_name: str) -> File:
    """The project file or a stack file. What it may not hold is in `problems`, never raised."""
    document = read_document(path)
    if isinstance(document, Problem):
        return File(None, (document,))
    if problem := _no_config(path.name, document.value):
        return File(None, (problem,))
    return _file(path.name, document, project_name)


def _file(name: str, document: Document, project_name: str) -> File:
    top = document.value if isinstance(document.value, dict) else {}
    config: dict[str, Any] = top.get("config") or {}
    if other := _other_project(config, project_name):
        return File(None, (other,))
    problems = [
        *_beside_config(name, top, project_name),
        *_misspelt_namespaces(name, config, project_name),
        *_twice(name, config, project_name),
        *_misreadable(name, document.node, project_name),
    ]
    # With our namespace or without; other namespaces are not ours.
    own = {key.removeprefix(f"{project_name}:"): value for key, value in config.items()}
    own = {key: value for key, value in own.items() if ":" not in key}
    if name == PROJECT_FILE:
        problems += _without_wrapper(name, own)
        own = {key: _unwrapped(value) for key, value in own.items()}
        own = {key: value for key, value in own.items() if value is not None}
    else:
        problems += _misplaced_keys(name, own)
        own = {key: value for key, value in own.items() if key not in PROJECT_KEYS}
    problems += _secrets(name, own)
    read = {
        key: value_of_text(value) if isinstance(value, str) else value for key, value in own.items()
    }
    return File(read, tuple(problems))


def _no_config(file: str, value: object) -> Problem | None:
    """A file in which no settings can be looked for."""
    if value is not None and not isinstance(value, dict):
        return Problem(file, "the file", None, "has no keys", "begin it with config:")
    config = value.get("config") if value else None
    if config is not None and not isinstance(config, dict):
        instead = "write the groups below it, as the shipped Pulumi.east.yaml does"
        return Problem(file, "config", None, "is not a group of settings", instead)
    if value and "config" not in value:
        near = get_close_matches("config", map(str.lower, value), n=1, cutoff=0.75)
        for key in (key for key in value if key.lower() in near):
            return Problem(file, key, None, "is no key of a stack file", "did you mean config?")
    return None


def _other_project(config: Mapping[str, Any], project_name: str) -> Problem | None:
    """Several groups in one other namespace and none in ours: the project has another name."""
    groups = {*_groups()}
    found = [key.rpartition(":") for key in config if key.rpartition(":")[2] in groups]
    spaces = {namespace for namespace, _, _ in found}
    if len(found) < 2 or len(spaces) != 1 or spaces & {"", project_name}:
        return None
    [namespace] = spaces
    reason = f"has stack files whose keys are of the project {namespace}"
    instead = f"write {namespace}, or begin those keys with {project_name}:"
    return Problem(PROJECT_FILE, "name", project_name, reason, instead)


def _beside_config(file: str, top: Mapping[str, Any], project_name: str) -> Iterator[Problem]:
    groups = {*_groups(), *SECRET_KEYS}
    for key in (key.removeprefix(f"{project_name}:") for key in top):
        if key in groups:
            yield Problem(file, key, None, "stands beside config", "move it below config")


def _groups() -> list[str]:
    return [str(field.alias) for field in Settings.model_fields.values()]


def _misspelt_namespaces(
    file: str, config: Mapping[str, Any], project_name: str
) -> Iterator[Problem]:
    for written in config:
        namespace, colon, key = written.partition(":")
        if not colon:
            continue
        if namespace == project_name:
            if ":" in key:
                reason, outer = "has one colon too many", key.partition(":")[0]
                instead = f"write it in a group below {project_name}:{outer}"
                yield Problem(file, written, None, reason, instead)
        elif get_close_matches(namespace, [project_name], cutoff=0.8):
            reason = "is not in the project's namespace"
            yield Problem(file, written, None, reason, f"did you mean {project_name}:{key}?")


def _twice(file: str, config: Mapping[str, Any], project_name: str) -> Iterator[Problem]:
    for key in config:
        if f"{project_name}:{key}" in config:
            reason = "is here twice, with the namespace and without"
            yield Problem(file, key, None, reason, "keep one of them")


def _misreadable(file: str, document: yaml.Node | None, project_name: str) -> Iterator[Problem]:
    """What readers of YAML read apart, wherever a setting is. Of anything else nothing is shown."""
    for written, node in _pairs(dict(_pairs(document)).get("config")):
        key = written.removeprefix(f"{project_name}:")
        wrapped = dict(_pairs(node)) if file == PROJECT_FILE else {}
        inner = next((wrapped[name] for name in _WRAPPERS if name in wrapped), node)
        for problem in doubts(file, key, inner):
            if problem.value is None or (is_setting(problem.key) and not is_password(problem.key)):
                yield _or_full_version(problem)


def _or_full_version(problem: Problem) -> Problem:
    """Of a version that is read as a number, neither the number nor its quotes would do."""
    if not (problem.key.startswith("versions.") and isinstance(problem.value, Written)):
        return problem
    like = setting_keys()[problem.key].default
    return replace(problem, instead=f"write a full version like {like}")


def _pairs(node: yaml.Node | None) -> list[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        return []
    return [(key.value, value) for key, value in node.value]


def _without_wrapper(file: str, config: Mapping[str, Any]) -> Iterator[Problem]:
    """The engine takes a group for the declaration of one, unless a `value:` is around it."""
    for key, value in config.items():
        if isinstance(value, dict) and not {*value} & {*_WRAPPERS, "secure"}:
            instead = "write value: below it, and its settings below that"
            yield Problem(file, key, None, "is a group without the word value", instead)


def _unwrapped(value: object) -> object:
    """In the project file a value may stand in a `value:` or a `default:`."""
    wrapped = value if isinstance(value, dict) else {"value": value}
    return next((wrapped[name] for name in _WRAPPERS if name in wrapped), value)


def _misplaced_keys(file: str, config: Mapping[str, Any]) -> Iterator[Problem]:
    """What must be equal in all clusters stands in the project file only."""
    for key in PROJECT_KEYS:
        if key in config:
            reason = "must be equal in all clusters"
            yield Problem(file, key, None, reason, f"move it to {PROJECT_FILE}")


def _secrets(file: str, config: Mapping[str, Any]) -> Iterator[Problem]:
    for key, value in config.items():
        if key not in SECRET_KEYS:
            yield from (secure(file, path) for path in secure_paths(value, key))
        elif file == PROJECT_FILE or not isinstance(value, dict) or [*value] != ["secure"]:
            yield plain_password(file, key)
