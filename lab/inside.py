"""Runs commands where the lab is: in its network, with its host names and its tools."""

import os
import shlex
import sys
from collections.abc import Mapping

from lab import network
from lab.paths import RUN, cache

HOSTS = RUN / "hosts"
KUBECONFIG = RUN / "kubeconfig"
PLUGINS = RUN / "plugins"


def write_hosts(addresses: Mapping[str, str]) -> None:
    """Write the names that commands in the lab find beside localhost: address by name."""
    lines = ["127.0.0.1 localhost", *(f"{address} {name}" for name, address in addresses.items())]
    HOSTS.write_text("\n".join(lines) + "\n")


def command(arguments: list[str]) -> list[str]:
    """Return the command line that runs `arguments` in the lab's network, with its host names."""
    script = f"mount --bind {HOSTS} /etc/hosts && exec {shlex.join(arguments)}"
    return network.command(["unshare", "--mount", "--", "bash", "-c", script])


def environment() -> dict[str, str]:
    """Return the environment of commands in the lab: kubectl on PATH, KUBECONFIG of the lab."""
    path = f"{cache() / 'bin'}:{os.environ.get('PATH', os.defpath)}"
    return {**os.environ, "PATH": path, "KUBECONFIG": str(KUBECONFIG)}


def python(*arguments: str) -> list[str]:
    """Return the command line of a module of the lab, run by this very interpreter."""
    return [sys.executable, "-m", *arguments]
