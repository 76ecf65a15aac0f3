"""Six resolvers that pods really have, each as a program that prints the addresses of a name."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path

import pytest

from tests.dns.hosts import Host

RESOLVERS = ("glibc", "musl", "go", "c-ares", "dnspython", "dig")
PROGRAMS = Path(__file__).parent / "programs"
POD = """\
nameserver 127.0.0.1
search shop.svc.cluster.local svc.cluster.local cluster.local
options ndots:5
"""
"""What the kubelet gives a pod of the namespace `shop`."""


@dataclass(frozen=True)
class Resolvers:
    """The programs by name, and the resolv.conf they find."""

    commands: Mapping[str, list[str]]
    configuration: Path

    def in_domain(self, domain: str) -> "Resolvers":
        """The same in a cluster that Kubernetes calls like that."""
        configuration = self.configuration.with_name(domain)
        configuration.write_text(POD.replace("cluster.local", domain))
        return replace(self, configuration=configuration)

    def addresses(self, resolver: str, host: Host, name: str) -> set[str]:
        """The addresses a program on that host finds; none when it says there are none."""
        words = [*self.commands[resolver], name]
        command = host.command(*words, resolver=self.configuration)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0 or done.stderr or resolver == "glibc", done
        return {word for line in done.stdout.splitlines() if _is_address(word := line.split()[0])}


def built(directory: Path) -> Resolvers:
    """All six, those in C and Go compiled into the directory."""
    (directory / "resolv.conf").write_text(POD)
    musl, go = directory / "musl", directory / "go"
    subprocess.run([_found("musl-gcc"), "-o", str(musl), str(PROGRAMS / "musl.c")], check=True)
    without_c = ["env", "CGO_ENABLED=0", _found("go"), "build", "-o", str(go)]
    subprocess.run([*without_c, str(PROGRAMS / "resolver.go")], check=True)
    commands = {
        # All in the hosts database but DNS would only hide what DNS says.
        "glibc": [_found("getent"), "-s", "hosts:dns", "ahosts"],
        "musl": [str(musl)],
        "go": [str(go)],
        "c-ares": [sys.executable, str(PROGRAMS / "with_c_ares.py")],
        "dnspython": [sys.executable, str(PROGRAMS / "with_dnspython.py")],
        "dig": [_found("dig"), "+short", "+search"],
    }
    return Resolvers(commands, directory / "resolv.conf")


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"NOT TESTED: {program} is missing; `lab build` installs it on Debian")
    return path


def _is_address(word: str) -> bool:
    try:
        ip_address(word)
    except ValueError:
        return False
    return True
