"""What this machine is."""

import platform

_GO_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}


def architecture() -> str:
    """Return the processor's name as Go and container images write it."""
    machine = platform.machine()
    return _GO_NAMES.get(machine, machine)
