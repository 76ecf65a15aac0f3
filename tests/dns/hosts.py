"""Machines of the tests: network namespaces on one bridge, with no way out of this machine."""

import os
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from pyroute2 import netns

from tests.processes import DIES_WITH_US

PREFIX_LENGTH = 22

Found = TypeVar("Found")


@dataclass(frozen=True)
class Host:
    """A network namespace with one address, held open by a sleeping process."""

    pid: int
    address: str
    thread: ThreadPoolExecutor

    def command(self, *arguments: str, resolver: Path | None = None) -> list[str]:
        """The command line run here, `resolver` being its /etc/resolv.conf."""
        inside = [*DIES_WITH_US, "nsenter", f"--net=/proc/{self.pid}/ns/net", "--"]
        if resolver:
            mounted = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'
            inside += ["unshare", "--mount", "--", "sh", "-c", mounted, str(resolver)]
        return [*inside, *arguments]

    def cut_off(self, other: "Host") -> None:
        """Lose without a word what is sent to the other."""
        _ip(self, "route", "add", "blackhole", other.address)

    def join(self, other: "Host") -> None:
        """Let what is sent to the other arrive again."""
        _ip(self, "route", "del", "blackhole", other.address)

    def also_has(self, address: str) -> None:
        """Be reachable under a further address."""
        _ip(self, "address", "add", f"{address}/{PREFIX_LENGTH}", "dev", "eth0")

    def run(self, function: Callable[[], Found]) -> Found:
        """What the function returns when its sockets are made here."""
        return self.thread.submit(function).result()


class Network:
    """A bridge with hosts on it; everything ends with the `with` block."""

    def __init__(self) -> None:
        self._ends = ExitStack()
        self._made = 0

    def __enter__(self) -> Self:
        if os.geteuid() != 0:
            raise PermissionError("only root may make network namespaces")
        self._bridge = self._namespace("")
        _ip(self._bridge, "link", "add", "bridge", "type", "bridge", "forward_delay", "0")
        _ip(self._bridge, "link", "set", "bridge", "up")
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def host(self, address: str) -> Host:
        """A new machine, reachable from all others under its address."""
        host = self._namespace(address)
        self._made += 1
        cable = f"cable-{self._made}"
        outer = ("link", "add", cable, "type", "veth", "peer", "eth0", "netns", str(host.pid))
        _ip(self._bridge, *outer)
        _ip(self._bridge, "link", "set", cable, "master", "bridge", "up")
        _ip(host, "address", "add", f"{address}/{PREFIX_LENGTH}", "dev", "eth0")
        _ip(host, "link", "set", "eth0", "up")
        return host

    def _namespace(self, address: str) -> Host:
        pid = self._ends.enter_context(_sleeper())
        enter = partial(netns.setns, f"/proc/{pid}/ns/net")
        thread = self._ends.enter_context(ThreadPoolExecutor(1, initializer=enter))
        host = Host(pid, address, thread)
        _ip(host, "link", "set", "lo", "up")
        return host


@contextmanager
def running(
    command: list[str], log: Path, directory: Path | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """The program runs, its words in `log`, beside it or in another directory, until the end."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=directory or log.parent, stdout=output, stderr=output
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait(60)


@contextmanager
def _sleeper() -> Iterator[int]:
    command = [*DIES_WITH_US, "unshare", "--net", "--", "sh", "-c", "echo; exec sleep infinity"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == b"\n", "no network namespace could be made"
            yield process.pid
        finally:
            process.kill()


def _ip(host: Host, *arguments: str) -> None:
    subprocess.run(host.command("ip", *arguments), check=True, timeout=60)
