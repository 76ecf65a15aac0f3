"""From plain mappings to settings, with everything that is wrong said at once."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from mesh.settings.problems import Problem, SettingsError
from mesh.settings.rules import broken_rules
from mesh.settings.secrets import SECRET_KEYS, secure
from mesh.settings.settings import Settings
from mesh.settings.wording import problem_of

PROJECT_FILE = "Pulumi.yaml"
"""The file of what all stacks share."""
PROJECT_KEYS = ("mesh", "workloads")
"""Keys that only the project file may have, as they must be equal in all clusters."""
_SHARED_KEYS = ("versions", "charts", "images", "lifetimes", "acceptance")


def config_from_engine(engine: Mapping[str, str], project_name: str) -> dict[str, object]:
    """The project's own keys out of the engine's: JSON read, without namespace and secrets."""
    namespace = f"{project_name}:"
    own = {key.removeprefix(namespace): key for key in engine if key.startswith(namespace)}
    return {key: value_of_text(engine[full]) for key, full in own.items() if key not in SECRET_KEYS}


def settings_from_config(
    file: str, config: Mapping[str, object], encrypted: Collection[str] = ()
) -> Settings:
    """The settings in `config`: plain values by key, the namespace taken off.

    `file` is the stack file that problems name. The keys in `encrypted` are refused, and nothing
    of their values is said. Raises SettingsError with all problems.
    """
    unread = {*SECRET_KEYS, *encrypted}
    plain = {key: value for key, value in config.items() if key not in unread}
    refused = [key for key in encrypted if key not in SECRET_KEYS]
    problems = [secure(_file_with(key, file), key) for key in refused]
    settings = None
    try:
        settings = Settings.model_validate(plain)
        groups = dict(settings)
    except ValidationError as error:
        found = error.errors(include_url=False)
        details = [one for one in found if one["loc"][0] not in unread and not _is_emptied(one)]
        told = [problem_of(_file_with(detail["loc"][0], file), detail) for detail in details]
        problems += _without_misspelt(told)
        groups = _sound_groups(plain, {*unread, *(detail["loc"][0] for detail in details)})
    problems += [
        Problem(_file_with(broken.key.partition(".")[0], file), *broken)
        for broken in broken_rules(groups)
    ]
    if problems or settings is None:
        raise SettingsError(tuple(problems))
    return settings


def _is_emptied(error: ErrorDetails) -> bool:
    """A list that only seems empty, as each of its items has an error of its own."""
    return error["type"] == "too_short" and bool(error["input"])


def _without_misspelt(problems: list[Problem]) -> list[Problem]:
    """A key that was meant by another one is not missing too."""
    meant = set()
    for problem in problems:
        if match := re.fullmatch(r"did you mean (\w+)\?", problem.instead):
            meant.add(re.sub(r"\w+$", match[1], problem.key))
    return [one for one in problems if one.reason != "is missing" or one.key not in meant]


def _sound_groups(config: Mapping[str, object], wrong: set[int | str]) -> dict[str, Any]:
    """The groups without an error of their own, so that the rules among them still speak."""
    groups = {}
    for name, field in Settings.model_fields.items():
        key = str(field.alias)
        if key in wrong:
            continue
        adapter: TypeAdapter[Any] = TypeAdapter(field.rebuild_annotation())
        groups[name] = adapter.validate_python(config[key]) if key in config else field.default
    return groups


def file_of(stack: str) -> str:
    """The name of a stack's file."""
    return f"Pulumi.{stack}.yaml"


def either_file(stack_file: str) -> str:
    """Where a group stands that the project's file or a stack's may have."""
    return f"{PROJECT_FILE} or {stack_file}"


def _file_with(key: int | str, stack_file: str) -> str:
    if key in PROJECT_KEYS:
        return PROJECT_FILE
    return either_file(stack_file) if key in _SHARED_KEYS else stack_file


def value_of_text(text: str) -> object:
    """What a key of the engine says: groups and lists are JSON, and a key without a value is ''.

    A stack file has JSON in a text where `pulumi config set` put it.
    """
    if not text:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict | list) else text
