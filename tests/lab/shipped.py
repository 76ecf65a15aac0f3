"""The settings of stack files, as the program reads them."""

from pathlib import Path

import yaml

from mesh.settings import Settings, settings_from_config

PROJECT = Path(__file__).parents[2]


def settings(stack: str, project: Path = PROJECT) -> Settings:
    """Return the settings of a shipped stack, or of its file in another directory."""
    common = yaml.safe_load((project / "Pulumi.yaml").read_text())["config"]
    shared = {key: entry["value"] for key, entry in common.items() if ":" not in key}
    file = f"Pulumi.{stack}.yaml"
    config = yaml.safe_load((project / file).read_text())["config"]
    own = {key.partition(":")[2]: value for key, value in config.items()}
    return settings_from_config(file, {**shared, **own})
