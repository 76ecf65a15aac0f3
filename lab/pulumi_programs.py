"""Which engine and which vSphere plugin the lab runs: this machine's own where they fit."""

import os
import re
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

from lab.paths import cache
from lab.programs import PROGRAMS, Program

# `requiredPulumiVersion` of Pulumi.yaml.
MINIMUM = (3, 254, 0)
VSPHERE_PLUGIN = f"resource-vsphere-v{version('pulumi-vsphere')}"


def engine_root() -> Path:
    """Return the directory with bin/pulumi: the one of PATH if it fits, else the built one."""
    found = shutil.which("pulumi")
    if found is None:
        return cache()
    root = Path(found).resolve().parent.parent
    fits = (root / "bin/pulumi").is_file() and _version_of(found) >= MINIMUM
    return root if fits else cache()


def needed() -> list[Program]:
    """Return the programs the lab builds: all, without the engine where PATH has a fitting one."""
    own_engine = engine_root() == cache()
    return [entry for entry in PROGRAMS if own_engine or entry.name != "pulumi"]


def real_vsphere_plugin() -> Path | None:
    """Return the directory of the real vSphere plugin, if Pulumi has installed it here.

    `pulumi plugin install resource vsphere VERSION` does that on a machine with internet access.
    """
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    directory = home / "plugins" / VSPHERE_PLUGIN
    return directory if (directory / "pulumi-resource-vsphere").is_file() else None


def _version_of(pulumi: str) -> tuple[int, ...]:
    told = subprocess.run([pulumi, "version"], capture_output=True, text=True, check=False)
    found = re.match(r"v(\d+)\.(\d+)\.(\d+)", told.stdout)
    return tuple(map(int, found.groups())) if found else (0,)
