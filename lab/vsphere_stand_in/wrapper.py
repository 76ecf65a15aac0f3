"""The executable that the Pulumi engine finds on its PATH."""

import shlex
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

_TEXT = """\
#!/bin/sh
# Written by the lab: starts its stand-in vSphere plugin, not the real one.
PYTHONPATH={project} exec {python} -m lab.vsphere_stand_in "$@"
"""


def write_plugin(directory: Path) -> Path:
    """The executable `pulumi-resource-vsphere` in `directory`, run by the current interpreter.

    The engine takes it when `directory` is on its PATH, whatever version the program asks for.
    """
    plugin = directory / "pulumi-resource-vsphere"
    plugin.write_text(
        _TEXT.format(project=shlex.quote(str(PROJECT)), python=shlex.quote(sys.executable))
    )
    plugin.chmod(0o755)
    return plugin
