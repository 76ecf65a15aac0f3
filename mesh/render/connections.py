"""Which clusters are connected, how, and what crosses between them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mesh.dns import planned_dns
from mesh.endpoint import ETCD_PORT
from mesh.render.firewall import WIREGUARD_PORT
from mesh.settings import MeshSettings
from mesh.topology import Topology

_PROTOCOL_NAMES = {"geneve": "Geneve", "vxlan": "VXLAN"}


@dataclass(frozen=True)
class Connection:
    """Two stacks of which at least one dials the other."""

    one: str
    other: str
    out: bool
    """Whether `one` dials `other`."""
    back: bool
    """Whether `other` dials `one`."""
    dns_ports: tuple[int, ...]
    """Where names are asked for across, sorted; none where they are not."""
    planned: bool
    """Whether one of them isn't there yet."""

    @property
    def dns(self) -> bool:
        """Whether names are asked for across."""
        return bool(self.dns_ports)

    @property
    def dashed(self) -> bool:
        """Whether no packet of a pod crosses yet."""
        return self.planned or not (self.out and self.back)


def connections(topology: Topology, planned: Collection[str] = ()) -> Iterator[Connection]:
    """Every pair of connected stacks once, sorted; `planned` are stacks that aren't there yet."""
    pairs = set(topology.pairs())
    for one, other in sorted({(min(pair), max(pair)) for pair in pairs}):
        yield Connection(
            one=one,
            other=other,
            out=(one, other) in pairs,
            back=(other, one) in pairs,
            dns_ports=_dns_ports(topology, one, other),
            planned=one in planned or other in planned,
        )


def _dns_ports(topology: Topology, one: str, other: str) -> tuple[int, ...]:
    both = [topology.clusters[stack] for stack in (one, other)]
    if not all(settings.dns.forwarding for settings in both):
        return ()
    return tuple(sorted({planned_dns(settings).port for settings in both}))


def pods_cross(mesh: MeshSettings) -> str:
    """How packets of pods travel, as in `Geneve, UDP 6081`."""
    port = mesh.tunnel_port_in_use
    way = "routed by the site"
    if port is not None:
        way = f"{_PROTOCOL_NAMES[mesh.tunnel_protocol]}, UDP {port}"
    return f"{way}; WireGuard, UDP {WIREGUARD_PORT}" if mesh.encryption == "wireguard" else way


def what_crosses(mesh: MeshSettings, connection: Connection) -> tuple[str, ...]:
    """What one connection carries, in a few words each."""
    pods = (f"pods: {pods_cross(mesh)}",) if connection.out and connection.back else ()
    ports = " and ".join(map(str, connection.dns_ports))
    names = (f"names: DNS, UDP and TCP {ports}",) if connection.dns else ()
    return (*pods, f"mesh etcd: mutual TLS, TCP {ETCD_PORT}", *names)
