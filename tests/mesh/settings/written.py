"""A project as a user would write it, for tests to spoil."""

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from mesh.settings import Problem, Settings, SettingsError, settings_from_config

ROOT = Path(__file__).parents[3]
NAME = "vsphere-cluster-mesh"
Config = dict[str, Any]


def shipped(stack: str) -> Config:
    """The config of a shipped stack as the engine would hand it over, namespace taken off."""
    own, shared = _config(f"Pulumi.{stack}.yaml"), _config("Pulumi.yaml")
    plain = {key: item["value"] for key, item in shared.items() if ":" not in key}
    return plain | {key.removeprefix(f"{NAME}:"): value for key, value in own.items()}


def _config(file: str) -> Config:
    return deepcopy(_parsed(file))


@cache
def _parsed(file: str) -> Config:
    config: Config = yaml.safe_load((ROOT / file).read_text())["config"]
    return config


def changed(path: str, value: object, stack: str = "east") -> Config:
    """The shipped config with one value at a dotted path replaced or added."""
    config = shipped(stack)
    *groups, key = path.split(".")
    inner = config
    for group in groups:
        inner = inner[group]
    inner[key] = value
    return config


def without(path: str) -> Config:
    """The shipped config of east with the key at a dotted path taken out."""
    config = changed(path, None)
    *groups, key = path.split(".")
    inner = config
    for group in groups:
        inner = inner[group]
    del inner[key]
    return config


def read(config: Config) -> Settings:
    return settings_from_config("Pulumi.east.yaml", config)


def problems(config: Config) -> tuple[Problem, ...]:
    return problems_of(lambda: read(config))


def problems_of(reading: Callable[[], object]) -> tuple[Problem, ...]:
    with pytest.raises(SettingsError) as caught:
        reading()
    return caught.value.problems


def line(config: Config) -> str:
    """The one line a config with a single problem is answered with."""
    (problem,) = problems(config)
    return str(problem)
