"""Zones as they stand before a server block: `dns://corp.example.:53`, and shorter."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network

DNS_PORT = 53
"""The port of a server block that names none, as CoreDNS is started by kubeadm."""
_SCHEMES = ("dns", "tls", "quic", "grpc", "https", "https3")
_LABEL = re.compile(r"[a-z0-9_]([-a-z0-9_/]{0,61}[a-z0-9_])?")


@dataclass(frozen=True)
class ServedZone:
    """What a server block answers for."""

    zone: str
    """In small letters and without the dot at its end; '' is the root."""
    port: int
    scheme: str

    def __str__(self) -> str:
        return f"{self.zone or '.'}:{self.port}"


def served_zones(key: str) -> tuple[ServedZone, ...]:
    """The zones of one key; a range of addresses is one reverse zone or several.

    Raises ValueError when it is none.
    """
    scheme, _, rest = key.rpartition("://")
    name, colon, port = rest.rpartition(":")
    if not colon or not port.isdecimal():  # the colons of an IPv6 range are no port's
        name, port = rest, str(DNS_PORT)
    if (scheme or "dns") not in _SCHEMES or not 0 < int(port[:6]) < 65536:
        raise ValueError(key)
    return tuple(ServedZone(zone, int(port), scheme or "dns") for zone in zones(name))


def zones(name: str) -> tuple[str, ...]:
    """A zone, or the reverse zones of a range, written as in ServedZone. Raises ValueError."""
    if "/" in name and (written := _network(name)):
        return tuple(map(_reverse, _at_labels(written)))
    zone = name.lower().removesuffix(".")
    labels = zone.split(".") if name != "." else []
    if len(zone) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError(name)
    if labels and re.fullmatch(r"[\d/]+", labels[-1]):
        raise ValueError(name)  # half an address
    return (zone,)


def is_within(name: str, zone: str) -> bool:
    """Whether a name is a zone or below it; all names are within the root."""
    return not zone or name == zone or name.endswith(f".{zone}")


def longest(among: Iterable[str], name: str) -> str | None:
    """The zone that answers for a name, as CoreDNS chooses it; None if there is none."""
    return max((zone for zone in among if is_within(name, zone)), key=len, default=None)


def _network(name: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(name, strict=False)
    except ValueError:
        return None


def _at_labels(written: IPv4Network | IPv6Network) -> Iterable[IPv4Network | IPv6Network]:
    """The range cut where names of reverse zones can be cut: at octets, or at hex digits."""
    bits = 8 if written.version == 4 else 4
    return written.subnets(new_prefix=-(-written.prefixlen // bits) * bits)


def _reverse(cut: IPv4Network | IPv6Network) -> str:
    bits = 8 if cut.version == 4 else 4
    labels = cut.network_address.reverse_pointer.split(".")
    return ".".join(labels[(cut.max_prefixlen - cut.prefixlen) // bits :])
