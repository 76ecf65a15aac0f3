"""Machines for the members of a workload, with the Secrets and the names they would have."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mesh.pki import KeyPair, certificate_authority
from mesh.workloads import Site, Workload
from tests.dns.hosts import Host, Network, running
from tests.mesh.render.coredns import binary
from tests.workloads.members import written

DNS = "10.11.86.53"
COREFILE = """\
.:53 {{
    hosts {{
{names}\
        no_reverse
    }}
}}
"""
"""Names without reverse records: a cluster has none of its peers' pods."""


@dataclass
class Machines:
    """One machine for each member, and two directories of Secrets for each site."""

    workload: Workload
    directory: Path
    mesh_ca: KeyPair = field(default_factory=lambda: certificate_authority("test", 10))
    hosts: dict[str, Host] = field(default_factory=dict)

    @property
    def resolver(self) -> Path:
        """A resolv.conf that knows every member."""
        return self.directory / "resolv.conf"

    def place(self, member: str) -> tuple[Site, int]:
        """The site of a member, and its number there."""
        for site in self.workload.sites:
            if member in site.members():
                return site, site.members().index(member)
        raise KeyError(member)

    def of_members(self, site: Site) -> Path:
        """The directory in which `certificates` is the members' Secret."""
        return self.directory / f"members-{site.stack}"

    def of_clients(self, site: Site) -> Path:
        """The directory in which `certificates` is the clients' Secret."""
        return self.directory / f"clients-{site.stack}"

    def prepare(self, network: Network) -> None:
        """Make them all."""
        for place, name in enumerate(self.workload.members(), start=1):
            self.hosts[name] = network.host(f"10.11.86.{place}")
        for site in self.workload.sites:
            for directory, for_clients in (
                (self.of_members(site), False),
                (self.of_clients(site), True),
            ):
                secrets = directory / "certificates"
                written(self.mesh_ca, self.workload, site, secrets, for_clients=for_clients)
        lines = "".join(f"        {host.address} {name}\n" for name, host in self.hosts.items())
        (self.directory / "Corefile").write_text(COREFILE.format(names=lines))
        self.resolver.write_text(f"nameserver {DNS}\noptions ndots:2\n")


@contextmanager
def machines(workload: Workload, directory: Path) -> Iterator[Machines]:
    """The machines, with a DNS server that all of them ask; nothing runs on them yet."""
    made = Machines(workload, directory)
    with Network() as network:
        made.prepare(network)
        server = network.host(DNS).command(binary(), "-conf", str(directory / "Corefile"))
        with running(server, directory / "dns.log"):
            yield made
