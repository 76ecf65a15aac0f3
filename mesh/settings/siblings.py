"""The other stacks' settings, read from the files beside our own."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from mesh.settings.load import PROJECT_FILE, PROJECT_KEYS, settings_from_config
from mesh.settings.problems import Problem, SettingsError
from mesh.settings.settings import SECRET_KEYS, Settings
from mesh.settings.vsphere import VsphereSettings

_READ_BY_PEERS = ("versions", "cluster", "network", "nodes", "loadBalancer", "dns", "peers")
_HIDDEN = "(secure)"


def sibling_settings(project: Path, project_name: str, own_stack: str) -> dict[str, Settings]:
    """The settings of every other stack that has a file in `project`, by stack name, sorted.

    A stack's key replaces the project's key whole, as the engine does it. A `secure:` value that
    no peer reads is passed over: its text reads `(secure)`, any other of its kind its default.
    Our own file is only checked for what no stack file may hold. Raises SettingsError with the
    problems of all files.
    """
    problems: list[Problem] = []
    shared = _project_config(_config(project / PROJECT_FILE, problems), project_name)
    siblings = {}
    for path in sorted(project.glob("Pulumi.*.yaml")):
        stack = path.name.removeprefix("Pulumi.").removesuffix(".yaml")
        own = _stack_config(_config(path, problems), project_name)
        refused = [*_misplaced_keys(path.name, own), *_secrets_peers_read(path.name, own)]
        problems += refused
        if stack == own_stack:
            continue
        try:
            merged = {**shared, **_without_secrets(own)}
            siblings[stack] = settings_from_config(path.name, merged)
        except SettingsError as error:
            said = tuple(problem.key for problem in refused)
            problems += [found for found in error.problems if not found.key.startswith(said)]
    if problems:
        raise SettingsError(tuple(problems))
    return siblings


def _config(path: Path, problems: list[Problem]) -> Mapping[str, Any]:
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except FileNotFoundError:
        problems.append(Problem(path.name, "config", None, "cannot be read", "add the file"))
        return {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark else "the file"
        problems.append(
            Problem(path.name, where, None, "is not YAML", "mend its indents or quotes")
        )
        return {}
    config = document.get("config") if isinstance(document, dict) else None
    return config if isinstance(config, dict) else {}


def _project_config(config: Mapping[str, Any], project_name: str) -> dict[str, Any]:
    """Pulumi.yaml's own keys; there a value may stand in a `value:` or a `default:`."""
    plain = {}
    for key, value in _stack_config(config, project_name).items():
        wrapped = value if isinstance(value, dict) else {"value": value}
        plain[key] = wrapped.get("value", wrapped.get("default", value))
    return plain


def _stack_config(config: Mapping[str, Any], project_name: str) -> dict[str, Any]:
    """The keys of our namespace, written with it or without; other namespaces are not ours."""
    plain = {str(key).removeprefix(f"{project_name}:"): value for key, value in config.items()}
    return {key: value for key, value in plain.items() if ":" not in key}


def _misplaced_keys(file: str, config: Mapping[str, Any]) -> Iterator[Problem]:
    """What must be equal in all clusters stands in the project file only."""
    for key in PROJECT_KEYS:
        if key in config:
            reason = "must be equal in all clusters"
            yield Problem(file, key, None, reason, f"move it to {PROJECT_FILE}")


def _secrets_peers_read(file: str, config: Mapping[str, Any]) -> Iterator[Problem]:
    """A peer has no key to another stack's secrets, so what it reads must be plain."""
    for key in _READ_BY_PEERS:
        for path in _secret_paths(config.get(key), key):
            reason = "is secure, and the peers read it from this file"
            yield Problem(file, path, None, reason, "write it in plain")


def _secret_paths(value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        if set(value) == {"secure"}:
            yield path
            return
        for key, inner in value.items():
            yield from _secret_paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _secret_paths(inner, f"{path}[{place}]")


def _without_secrets(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config with every group that hides something replaced by what is plain of it."""
    left_out = (*SECRET_KEYS, *PROJECT_KEYS)
    plain = {key: value for key, value in config.items() if key not in left_out}
    unread = (key for key in plain if key not in _READ_BY_PEERS)
    hiding = [key for key in unread if any(_secret_paths(plain[key], key))]
    for key in hiding:
        group = plain.pop(key)
        if key == "vsphere" and isinstance(group, dict):
            plain[key] = _hidden_texts() | _plain_items(group)
    return plain


def _hidden_texts() -> dict[str, Any]:
    fields = VsphereSettings.model_fields.values()
    return {str(field.alias): _HIDDEN for field in fields if field.is_required()}


def _plain_items(group: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: item
        for key, item in group.items()
        if key != "secure" and not any(_secret_paths(item, key))
    }
