"""Real CoreDNS processes: each on a host of its own, with the ports a cluster's CoreDNS has."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import dns.flags
import dns.message
import dns.query
import dns.rcode

from tests.dns.hosts import Host, running
from tests.mesh.render.coredns import binary

SITE = """\
example.org:53 {
    errors
    log . "{name} {type}"
    file example.org
}
.:53 {
    errors
    log . "{name} {type}"
    template ANY ANY {
        rcode NXDOMAIN
    }
}
"""
EXAMPLE_ORG = """\
$ORIGIN example.org.
@ 300 IN SOA ns hostmaster 1 7200 1800 86400 300
db 300 IN A 192.0.2.10
"""
START_SECONDS = 120  # a busy machine is no failure


@dataclass(frozen=True)
class Server:
    """A CoreDNS that runs, and where its words are written."""

    host: Host
    log: Path
    pid: int
    domain: str = "cluster.local"
    """What Kubernetes calls its cluster here."""

    def resident_bytes(self) -> int:
        """The memory it holds now."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return 1024 * int(status.partition("VmRSS:")[2].split()[0])

    def ask(
        self,
        name: str,
        kind: str,
        *,
        port: int = 53,
        tcp: bool = False,
        payload: int = 0,
        timeout: float = 10,
    ) -> dns.message.Message:
        """The whole answer to a client beside it; `payload` > 0 offers EDNS with that size."""
        query = dns.message.make_query(name, kind, use_edns=0 if payload else -1, payload=payload)
        return self.send(self.host, query, port=port, tcp=tcp, timeout=timeout)

    def send(
        self,
        asker: Host,
        query: dns.message.Message,
        *,
        port: int,
        tcp: bool = False,
        timeout: float = 10,
    ) -> dns.message.Message:
        """The answer that another host gets."""
        transport = dns.query.tcp if tcp else dns.query.udp
        send = partial(transport, query, self.host.address, port=port, timeout=timeout)
        return asker.run(send)


@dataclass(frozen=True)
class Site(Server):
    """The resolver of the site, which every CoreDNS asks what it does not know."""

    @property
    def asked(self) -> list[str]:
        """Every question that got here, as `name TYPE`."""
        lines = self.log.read_text().splitlines()
        words = [line.removeprefix("[INFO] ").split() for line in lines]
        return [f"{line[0]} {line[1]}" for line in words if len(line) == 2 and line[0][-1] == "."]


@contextmanager
def coredns(
    host: Host, directory: Path, corefile: str, site: str, program: str | None = None
) -> Iterator[Server]:
    """CoreDNS runs with the Corefile, and /etc/resolv.conf names `site`."""
    (directory / "Corefile").write_text(corefile)
    (directory / "resolv.conf").write_text(f"nameserver {site}\n")
    command = host.command(
        program or binary(), "-conf", "Corefile", resolver=directory / "resolv.conf"
    )
    with running(command, directory / "coredns.log") as process:
        domain = re.search(r"^ *kubernetes (\S+) ", corefile, re.MULTILINE)
        known = (domain[1],) if domain else ()
        server = Server(host, directory / "coredns.log", process.pid, *known)
        _wait(server)
        yield server


@contextmanager
def site_resolver(host: Host, directory: Path) -> Iterator[Site]:
    """The site's resolver knows db.example.org and refuses to know anything else."""
    (directory / "example.org").write_text(EXAMPLE_ORG)
    with coredns(host, directory, SITE, "127.0.0.1") as server:
        yield Site(server.host, server.log, server.pid)


def _wait(server: Server) -> None:
    end = time.monotonic() + START_SECONDS
    while not _answers(server):
        assert time.monotonic() < end, f"CoreDNS does not answer:\n{server.log.read_text()}"
        time.sleep(0.1)


def _answers(server: Server) -> bool:
    try:
        # Before its first look at Kubernetes is complete, it answers SERVFAIL.
        reply = server.ask(f"kubernetes.default.svc.{server.domain}.", "A", timeout=1)
    except OSError:
        return False
    except dns.exception.Timeout:
        return False
    return reply.rcode() != dns.rcode.SERVFAIL
