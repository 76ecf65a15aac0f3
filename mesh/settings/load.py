"""From plain mappings and YAML files to settings."""

from collections.abc import Mapping
from pathlib import Path

from mesh.settings.settings import Settings

SECRET_KEYS = frozenset({"vcenterPassword"})
"""Keys the program reads as secrets; they are known, and no part of the settings."""


def settings_from_config(file: str, config: Mapping[str, object]) -> Settings:
    """The settings in `config`: plain values by key, the namespace taken off.

    `file` is the stack file that problems are told about. Raises SettingsError with all of them.
    """
    return Settings.model_validate({k: v for k, v in config.items() if k not in SECRET_KEYS})


def sibling_settings(project: Path, project_name: str, own_stack: str) -> dict[str, Settings]:
    """The settings of every other stack that has a file in `project`, by stack name."""
    raise NotImplementedError
