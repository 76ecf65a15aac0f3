"""The settings of this stack and its peers, checked before anything is made of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pulumi
from pulumi import Output
from pulumi.runtime.config import CONFIG

from mesh.settings import (
    Problem,
    Settings,
    SettingsError,
    config_from_engine,
    settings_from_config,
    sibling_settings,
)


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """This stack's settings, its peers' by stack name, and the vCenter's password (secret)."""

    settings: Settings
    peers: Mapping[str, Settings]
    vcenter_password: Output[str]


def load() -> Configuration:
    """Return the configuration, or raise one RunError with everything that is wrong in it."""
    problems: list[Problem] = []
    settings, siblings = _own(problems), _siblings(problems)
    if settings is not None:
        problems += _without_file(settings, siblings)
    if settings is None or problems:
        raise pulumi.RunError(str(SettingsError(tuple(problems))))
    named = siblings if settings.peers is None else settings.peers
    return Configuration(
        settings=settings,
        peers={stack: siblings[stack] for stack in sorted(named)},
        vcenter_password=pulumi.Config().require_secret("vcenterPassword"),
    )


def _own(problems: list[Problem]) -> Settings | None:
    # CONFIG and not pulumi.Config: only it has the keys nobody knows, which are the misspelt ones.
    config = config_from_engine(CONFIG.get(), pulumi.get_project())
    try:
        return settings_from_config(_file(), config)
    except SettingsError as error:
        problems += error.problems
        return None


def _siblings(problems: list[Problem]) -> dict[str, Settings]:
    directory = Path(pulumi.get_root_directory() or ".")
    try:
        return sibling_settings(directory, pulumi.get_project(), pulumi.get_stack())
    except SettingsError as error:
        problems += error.problems
        return {}


def _without_file(settings: Settings, siblings: Mapping[str, Settings]) -> Iterator[Problem]:
    own = pulumi.get_stack()
    named = [("peers", stack, {*siblings}) for stack in settings.peers or ()]
    named.append(("mesh.authority", settings.mesh.authority, {*siblings, own}))
    for key, stack, known in named:
        if stack not in known:
            instead = f"write one of {', '.join(sorted(known))}, or add Pulumi.{stack}.yaml"
            yield Problem(_file(), key, stack, "is no other stack with a file here", instead)


def _file() -> str:
    return f"Pulumi.{pulumi.get_stack()}.yaml"
