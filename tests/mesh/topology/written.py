"""The shipped clusters together, with what a test writes differently."""

from typing import Any

from mesh.settings import Settings, settings_from_config
from mesh.topology import Topology, problems
from tests.mesh.settings.written import Config, shipped

Changes = dict[str, Any]


def put(config: Config, path: str, value: object) -> None:
    """Write a value at a dotted path."""
    *groups, key = path.split(".")
    for group in groups:
        config = config.setdefault(group, {})
    config[key] = value


def settings_of(stack: str, changes: Changes, base: str = "east") -> Settings:
    """The settings of a shipped stack with values replaced at dotted paths."""
    config = shipped(base)
    for path, value in changes.items():
        put(config, path, value)
    return settings_from_config(f"Pulumi.{stack}.yaml", config)


def together(
    east: Changes | None = None, west: Changes | None = None, own: str | None = None
) -> Topology:
    """East and west, and what is changed in each."""
    clusters = {
        "east": settings_of("east", east or {}),
        "west": settings_of("west", west or {}, "west"),
    }
    return Topology(clusters, own)


def lines(topology: Topology) -> list[str]:
    """What a user reads of a topology."""
    return [str(problem) for problem in problems(topology)]
