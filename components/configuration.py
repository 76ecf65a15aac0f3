"""The settings of this stack and its peers, checked before anything is made of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pulumi
from pulumi import Output
from pulumi.runtime.config import CONFIG, get_config, is_config_secret

from mesh.settings import (
    Problem,
    Settings,
    SettingsError,
    config_from_engine,
    password_command,
    settings_from_config,
    sibling_settings,
    stacks_with_a_file,
)


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """This stack's settings, its peers' by stack name, and the vCenter's password (secret)."""

    settings: Settings
    peers: Mapping[str, Settings]
    vcenter_password: Output[str]


def load() -> Configuration:
    """Return the configuration, or raise one RunError with everything that is wrong in it."""
    in_own: list[Problem] = []
    in_files: list[Problem] = []
    settings, siblings = _own(in_own), _siblings(in_files)
    problems = [problem for problem in in_own if not _is_told_closer(problem, in_files)]
    problems += [*_password(), *in_files]
    if settings is not None:
        problems += _without_file(settings)
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
    # The engine hands these over decrypted, and a problem would print them.
    encrypted = [key for key in config if is_config_secret(_full(key))]
    try:
        return settings_from_config(_file(), config, encrypted)
    except SettingsError as error:
        problems += error.problems
        return None


def _siblings(problems: list[Problem]) -> dict[str, Settings]:
    try:
        return sibling_settings(_directory(), pulumi.get_project(), pulumi.get_stack())
    except SettingsError as error:
        problems += error.problems
        return {}


def _is_told_closer(problem: Problem, in_files: list[Problem]) -> bool:
    """The engine knows the group in which something is encrypted, and the file knows where."""
    return any(
        other.reason == problem.reason
        and other.file in problem.file
        and other.key.startswith(problem.key)
        for other in in_files
    )


def _password() -> Iterator[Problem]:
    key = _full("vcenterPassword")
    if not get_config(key):
        reason = "is missing"
    elif not is_config_secret(key):
        reason = "is given as plain text"
    else:
        return
    instead = f"run {password_command(pulumi.get_stack())}"
    yield Problem(_file(), "vcenterPassword", None, reason, instead)


def _without_file(settings: Settings) -> Iterator[Problem]:
    own, authority = pulumi.get_stack(), settings.mesh.authority
    siblings = {*stacks_with_a_file(_directory())} - {own}
    for stack in settings.peers or ():
        if stack == own:
            reason, instead = "is this stack itself", "take it out, no cluster is its own peer"
            yield Problem(_file(), "peers", stack, reason, instead)
        elif stack not in siblings:
            reason = "is no other stack with a file here"
            yield Problem(_file(), "peers", stack, reason, _one_of(stack, siblings))
    if authority not in siblings | {own}:
        reason, instead = "is no stack with a file here", _one_of(authority, siblings | {own})
        yield Problem("Pulumi.yaml", "mesh.authority", authority, reason, instead)


def _one_of(stack: str, known: set[str]) -> str:
    choices = f"write one of {', '.join(sorted(known))}, or " if known else ""
    return f"{choices}add Pulumi.{stack}.yaml"


def _directory() -> Path:
    return Path(pulumi.get_root_directory() or ".")


def _full(key: str) -> str:
    return f"{pulumi.get_project()}:{key}"


def _file() -> str:
    return f"Pulumi.{pulumi.get_stack()}.yaml"
