"""Asks the lab's clusters with the real kubectl, in the lab's network."""

import json
import subprocess
from typing import Any

from lab import inside

SECONDS = 60.0


class KubectlError(Exception):
    """Kubectl failed; the text is what it said."""


def run(context: str, *arguments: str, given: str | None = None, seconds: float = SECONDS) -> str:
    """Return kubectl's output for one cluster; `given` goes to its standard input.

    Raises:
        KubectlError: it failed, or took longer than `seconds`.
    """
    command = inside.command(["kubectl", f"--context={context}", *arguments])
    try:
        finished = subprocess.run(
            command,
            env=inside.environment(),
            input=given,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"no answer in {seconds:.0f} s: kubectl {' '.join(arguments)}"
        raise KubectlError(message) from error
    if finished.returncode:
        said = finished.stderr.strip() or finished.stdout.strip()
        raise KubectlError(said or f"kubectl {arguments[0]} ended with {finished.returncode}")
    return finished.stdout


def get(context: str, *arguments: str) -> dict[str, Any]:
    """Return the object or list of objects that `kubectl get` finds."""
    found: dict[str, Any] = json.loads(run(context, "get", *arguments, "--output=json"))
    return found


def execute(context: str, namespace: str, target: str, *command: str, seconds: float = 20) -> str:
    """Return what a command prints in a pod; `target` is a pod or `daemonset/NAME`."""
    where = (f"--namespace={namespace}", target)
    return run(context, "exec", *where, "--", *command, seconds=seconds)
