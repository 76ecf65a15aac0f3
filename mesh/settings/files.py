"""A Pulumi file as it was written: the keys of our namespace, and what no such file may hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from mesh.settings.load import PROJECT_FILE, PROJECT_KEYS
from mesh.settings.problems import Problem
from mesh.settings.secrets import SECRET_KEYS, secure, secure_paths


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
    document = _document(path)
    if isinstance(document, Problem):
        return File(None, (document,))
    written = document.get("config") if isinstance(document, dict) else None
    config = written if isinstance(written, dict) else {}
    # With our namespace or without; other namespaces are not ours.
    own = {str(key).removeprefix(f"{project_name}:"): value for key, value in config.items()}
    own = {key: value for key, value in own.items() if ":" not in key}
    problems = [*_misspelt_namespaces(path.name, config, project_name)]
    if path.name == PROJECT_FILE:
        own = {key: _unwrapped(value) for key, value in own.items()}
    else:
        problems += _misplaced_keys(path.name, own)
        own = {key: value for key, value in own.items() if key not in PROJECT_KEYS}
    problems += _secrets(path.name, own)
    return File(own, tuple(problems))


class _Twice(yaml.MarkedYAMLError):
    """A mapping has a key twice, of which YAML would silently take the last."""


class _Loader(yaml.SafeLoader):
    def compose_mapping_node(self, anchor: dict[Any, yaml.Node]) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                raise _Twice(problem=key.value, problem_mark=key.start_mark)
            seen.add(key.value)
        return node


def _document(path: Path) -> object:
    """What the file says, or the Problem of a file that says nothing."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - it is a safe one
    except FileNotFoundError:
        return Problem(path.name, "config", None, "cannot be read", "add the file")
    except UnicodeDecodeError as error:
        where = f"byte {error.start + 1}"
        return Problem(path.name, where, None, "is not UTF-8", "save the file as UTF-8")
    except _Twice as error:
        return Problem(path.name, _line(error), error.problem, "is here twice", "keep one of them")
    except (yaml.YAMLError, ValueError) as error:  # the latter for a day no calendar has
        instead = "mend its indents or quotes"
        return Problem(path.name, _line(error), None, "is not YAML", instead)


def _line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 1}" if mark else "the file"


def _unwrapped(value: object) -> object:
    """In the project file a value may stand in a `value:` or a `default:`."""
    wrapped = value if isinstance(value, dict) else {"value": value}
    return wrapped.get("value", wrapped.get("default", value))


def _misspelt_namespaces(
    file: str, config: Mapping[Any, Any], project_name: str
) -> Iterator[Problem]:
    for written in map(str, config):
        namespace, colon, key = written.partition(":")
        if not colon or namespace == project_name:
            continue
        if get_close_matches(namespace, [project_name], cutoff=0.8):
            reason = "is not in the project's namespace"
            yield Problem(file, written, None, reason, f"did you mean {project_name}:{key}?")


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
