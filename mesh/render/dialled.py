"""Where a cluster is dialled, in words for a reader."""

from ipaddress import IPv4Address
from typing import Literal

from mesh.dns import DNS_PORT, planned_dns
from mesh.settings import Settings


def dialled(address: IPv4Address | Literal["auto"], port: int) -> str:
    """The address and its port; of `auto`, which is no address yet, who chooses it."""
    if isinstance(address, IPv4Address):
        return f"{address}:{port}"
    return f"MetalLB chooses, port {port}"


def dns_dialled(settings: Settings) -> str:
    """Where a cluster is asked for names: at an address, at its nodes, or nowhere."""
    known = planned_dns(settings)
    if not settings.dns.forwarding:
        return "not forwarded"
    if settings.dns.exposure == "nodePort":
        return f"its nodes, port {known.port}"
    return dialled("auto" if known.awaited else known.addresses[0], DNS_PORT)


def names_below(settings: Settings) -> str:
    """Below what peers find a cluster's names: its zone, or its namespaces, parted by commas."""
    return ", ".join(planned_dns(settings).zones(settings.cluster.zone))
