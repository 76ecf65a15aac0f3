"""The real CoreDNS serving a rendered Corefile on high ports, without a cluster."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import dns.message
import dns.query
import pytest

from tests.ports import free_port

KUBERNETES = """\
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 5
    }
"""


def binary() -> str:
    found = os.environ.get("COREDNS") or shutil.which("coredns")
    if found is None:
        pytest.skip("no CoreDNS: set COREDNS to its binary to try the Corefile for real")
    return found


def on_high_ports(corefile: str, port: int, exposed: int, records: str) -> str:
    """The Corefile with ports an ordinary user may open, and `records` for the API server."""
    assert KUBERNETES in corefile
    changes = {
        KUBERNETES: f"    {records}\n",
        "127.0.0.1:53 {": f"127.0.0.1:{port} {{",
        ":53 {": f":{port} {{",
        ":1053 {": f":{exposed} {{",
        "prometheus :9153": f"prometheus 127.0.0.1:{free_port()}",
        "    health {": f"    health 127.0.0.1:{free_port()} {{",
        "    ready\n": f"    ready 127.0.0.1:{free_port()}\n",
        "/etc/resolv.conf": f"127.0.0.1:{free_port()}",
    }
    for shipped, ours in changes.items():
        corefile = corefile.replace(shipped, ours)
    return corefile


@contextmanager
def serving(directory: Path, corefile: str, port: int) -> Iterator[None]:
    """CoreDNS runs with the Corefile; refused with its own words when it can't read it."""
    (directory / "Corefile").write_text(corefile)
    log = directory / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [binary(), "-conf", directory / "Corefile"],
            cwd=directory,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait(process, log, port)
            yield
        finally:
            process.kill()
            process.wait(timeout=20)


def _wait(process: "subprocess.Popen[bytes]", log: Path, port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if process.poll() is not None:
            _give_up(log)
        with socket.socket() as stream:
            if stream.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    _give_up(log)


def _give_up(log: Path) -> NoReturn:
    raise AssertionError(f"CoreDNS did not start:\n{log.read_text()}")


def ask(name: str, kind: str, port: int, *, tcp: bool = False) -> dns.message.Message:
    query = dns.message.make_query(name, kind)
    send = dns.query.tcp if tcp else dns.query.udp
    return send(query, "127.0.0.1", port=port, timeout=5)
