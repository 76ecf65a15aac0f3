"""The lab's working copy of the project: the shipped stack files, with what a lab must override."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from lab.paths import DISKS, NAME
from mesh.settings import Settings, sibling_settings

SOURCE = Path(__file__).resolve().parents[1]
COPY = DISKS / "project"
PROGRAM_FILES = ("__main__.py", "components", "mesh")
# What the engine and `config set --secret` wrote; a fresh copy keeps it.
KEPT_KEYS = ("encryptionsalt",)
PASSWORD_KEY = f"{NAME}:vcenterPassword"
ACCEPTANCE_KEY = f"{NAME}:acceptance"


@dataclass(frozen=True)
class Overrides:
    """What this machine makes the lab change: dotted keys and their values.

    `project` goes into Pulumi.yaml, `stack` into every stack file. `workers` is the number of
    worker addresses that each stack file keeps; None keeps all.
    """

    project: Mapping[str, object] = field(default_factory=dict)
    stack: Mapping[str, object] = field(default_factory=dict)
    workers: int | None = None


def stacks(project: Path = SOURCE) -> list[str]:
    """Return the names of the stacks that have a file, the authority's first."""
    names = sorted(path.name.split(".")[1] for path in project.glob("Pulumi.*.yaml"))
    authority = _load(project / "Pulumi.yaml")["config"]["mesh"]["value"]["authority"]
    return sorted(names, key=lambda name: (name != authority, name))


def write_copy(overrides: Overrides) -> None:
    """Write the working copy: links to the program, and every stack file with the overrides."""
    COPY.mkdir(parents=True, exist_ok=True)
    for name in PROGRAM_FILES:
        _link(COPY / name, SOURCE / name)
    project = _load(SOURCE / "Pulumi.yaml")
    for key, value in overrides.project.items():
        group, _, rest = key.partition(".")
        _set(project["config"][group]["value"], rest, value)
    _save(COPY / "Pulumi.yaml", project)
    for stack in stacks():
        _save(stack_file(stack), _stack(stack, overrides))
    for path in COPY.glob("Pulumi.*.yaml"):
        if not (SOURCE / path.name).exists():
            path.unlink()


def stack_file(stack: str) -> Path:
    """Return the stack's file in the working copy."""
    return COPY / f"Pulumi.{stack}.yaml"


def group(stack: str, name: str) -> dict[str, Any]:
    """Return one group of settings of a stack file in the working copy, such as `network`."""
    found: dict[str, Any] = _load(stack_file(stack))["config"][f"{NAME}:{name}"]
    return found


def settings(stack: str) -> Settings:
    """Return the stack's settings in the working copy, as its peers read them."""
    return sibling_settings(COPY, NAME, own_stack="")[stack]


def _stack(stack: str, overrides: Overrides) -> dict[str, Any]:
    content = _load(SOURCE / f"Pulumi.{stack}.yaml")
    config = content["config"]
    own_groups = {key.rpartition(":")[2] for key in config}
    replaced = {
        key: value
        for key, value in overrides.project.items()
        # A stack's own group takes the place of the project's, and with it of our change there.
        if key.partition(".")[0] in own_groups
    }
    for key, value in (replaced | dict(overrides.stack)).items():
        group_name, _, rest = key.partition(".")
        if group_name == "acceptance":
            config[ACCEPTANCE_KEY] = _acceptance(config)
        _set(config.setdefault(f"{NAME}:{group_name}", {}), rest, value)
    if overrides.workers is not None:
        worker = config[f"{NAME}:nodes"]["worker"]
        worker["addresses"] = worker["addresses"][: overrides.workers]
    if stack_file(stack).exists():
        earlier = _load(stack_file(stack))
        content.update({key: earlier[key] for key in KEPT_KEYS if key in earlier})
        if PASSWORD_KEY in earlier.get("config", {}):
            config[PASSWORD_KEY] = earlier["config"][PASSWORD_KEY]
    return content


def _acceptance(config: dict[str, Any]) -> dict[str, Any]:
    # Its shorthand is a word; only the group can take an image without being on.
    shared = _load(SOURCE / "Pulumi.yaml")["config"].get("acceptance", {"value": False})["value"]
    written = config.get(ACCEPTANCE_KEY, shared)
    return {"enabled": written} if isinstance(written, bool) else dict(written)


def _set(content: dict[str, Any], key: str, value: object) -> None:
    *groups, last = key.split(".")
    for name in groups:
        content = content.setdefault(name, {})
    content[last] = value


def _link(link: Path, target: Path) -> None:
    if link.is_symlink():
        link.unlink()
    elif link.exists():
        shutil.rmtree(link)
    link.symlink_to(target)


def _load(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text())
    return content


def _save(path: Path, content: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(content, sort_keys=False))
