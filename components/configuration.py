"""The settings of this stack and its peers, checked before anything is made of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi
from pulumi import Output
from pulumi.runtime.config import CONFIG, get_config, is_config_secret

import mesh.topology
from mesh.settings import (
    Problem,
    Settings,
    SettingsError,
    config_from_engine,
    file_of,
    password_command,
    readable_siblings,
    settings_from_config,
    stacks_with_a_file,
)
from mesh.topology import Topology


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """This stack's settings, its peers' by stack name, the whole mesh, the vCenter's password."""

    settings: Settings
    peers: Mapping[str, Settings]
    topology: Topology
    vcenter_password: Output[str]


def load() -> Configuration:
    """Return the configuration, or raise one RunError with everything that is wrong in it.

    Warn of what is allowed and looks like a mistake.
    """
    in_own: list[Problem] = []
    settings, own = _own(in_own), pulumi.get_stack()
    siblings, in_files = readable_siblings(_directory(), pulumi.get_project(), own)
    topology = _topology(settings, siblings)
    problems = [problem for problem in in_own if not _is_told_closer(problem, in_files)]
    problems += [one for one in _password() if not _is_told_closer(one, in_files)]
    problems += [*in_files, *mesh.topology.problems(topology)]
    if settings is None or problems:
        raise pulumi.RunError(str(SettingsError(tuple(problems))))
    for notice in mesh.topology.notices(topology):
        pulumi.log.warn(notice)
    return Configuration(
        settings=settings,
        peers={stack: siblings[stack] for stack in topology.peers_of(own)},
        topology=topology,
        vcenter_password=pulumi.Config().require_secret("vcenterPassword"),
    )


def _topology(settings: Settings | None, siblings: Mapping[str, Settings]) -> Topology:
    """Every cluster that could be read: a mistake in one file hides none in the others."""
    own = pulumi.get_stack()
    clusters = {**siblings} if settings is None else {own: settings, **siblings}
    files = {own, *stacks_with_a_file(_directory())}
    return Topology(clusters, own, frozenset(files - clusters.keys()), _directory())


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


def _is_told_closer(problem: Problem, in_files: Sequence[Problem]) -> bool:
    """The engine hands over values, and the file knows how and where they were written."""
    return any(
        # Of keys in another project's namespace the engine hands over none.
        (other.key == "name" and problem.reason == "is missing")
        or (
            other.file in problem.file
            and (
                other.key.rpartition(":")[2] == problem.key
                or (other.reason == problem.reason and other.key.startswith(problem.key))
            )
        )
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


def _directory() -> Path:
    return Path(pulumi.get_root_directory() or ".")


def _full(key: str) -> str:
    return f"{pulumi.get_project()}:{key}"


def _file() -> str:
    return file_of(pulumi.get_stack())
