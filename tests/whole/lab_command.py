"""Runs the command `lab` as a user does, with a hard limit."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

LAB = Path(sys.executable).with_name("lab")
NOTHING_BUT_REFERENCES = {
    "pulumi:pulumi:Stack",
    "pulumi:pulumi:StackReference",
    "pulumi:providers:pulumi",  # the engine's own, which reads the references
}
"""The types of resources that a stack without a cluster may have."""
STATE = Path("/var/lib/vsphere-cluster-mesh/state/.pulumi/stacks/vsphere-cluster-mesh")


def run(
    *arguments: str, seconds: float = 600, clone: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `lab`, of another clone of the project if one is given; return all that it printed."""
    environment = {"LAB_WORKERS": "1", **os.environ, "COLUMNS": "200"}
    if clone:
        environment["PYTHONPATH"] = str(clone)
    finished = subprocess.run(
        ["timeout", "-k", "10", str(seconds), str(LAB), *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    # Shown by pytest when a test fails, and with -s as it goes.
    sys.stdout.write(finished.stdout)
    return finished


def deployment(stack: str) -> dict[str, Any]:
    """Return the stack's state as the engine wrote it."""
    checkpoint: dict[str, Any] = json.loads((STATE / f"{stack}.json").read_text())
    latest: dict[str, Any] = checkpoint["checkpoint"].get("latest") or {}
    return latest


def resource_types(stack: str) -> set[str]:
    """Return the types of the resources in the stack's state."""
    return {resource["type"] for resource in deployment(stack).get("resources", ())}
