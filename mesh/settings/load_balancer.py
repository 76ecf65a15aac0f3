"""The addresses MetalLB announces."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema

from mesh.settings.base import Model, address, address_or, network, no_ipv4, refused
from mesh.settings.bgp import BgpSettings

AUTO = "auto"
"""Written instead of an address that MetalLB shall choose."""


@dataclass(frozen=True)
class AddressRange:
    """Addresses from `first` to `last`, both included; `str()` is MetalLB's `first-last`."""

    first: IPv4Address
    last: IPv4Address

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"

    def __len__(self) -> int:
        return int(self.last) - int(self.first) + 1

    def __contains__(self, other: IPv4Address) -> bool:
        return self.first <= other <= self.last

    def overlaps(self, other: "AddressRange") -> bool:
        """Whether an address is in both."""
        return self.first <= other.last and other.first <= self.last


def address_range(value: object) -> AddressRange:
    """A range written `first-last` or as a CIDR."""
    if isinstance(value, AddressRange):
        return value
    if not isinstance(value, str) or ":" in value or not ("-" in value or "/" in value):
        instead = "write one like 10.11.84.22-10.11.84.30 or 10.11.84.32/28"
        raise no_ipv4(value, "is not a range", instead)
    if "/" in value:
        cidr: IPv4Network = network(value)
        return AddressRange(cidr[0], cidr[-1])
    first, last = (address(end.strip()) for end in value.split("-", 1))
    if last < first:
        raise refused("ends before it begins", f"write {last}-{first}")
    return AddressRange(first, last)


def address_or_auto(value: object) -> object:
    """One IPv4 address, or the word `auto`."""
    return value if value == AUTO else address_or(value, "write one like 10.11.84.20, or auto")


AddressOrAuto = Annotated[IPv4Address | Literal["auto"], BeforeValidator(address_or_auto)]


class LoadBalancerSettings(Model):
    """The two addresses peers dial, and the ranges the cluster's own workloads may take."""

    etcd_address: AddressOrAuto = Field(examples=["10.11.84.20"])
    """Address of the mesh's etcd, dialled by every peer's agents at port 2379.

    `auto` is one of `addresses`; peers learn it from this cluster's first `up`.
    """
    dns_address: AddressOrAuto | None = Field(default=None, examples=["10.11.84.21"])
    """Address of the cluster's DNS, asked by every peer's CoreDNS at port 53; or `auto`.

    Left out with `dns.exposure: nodePort` only.
    """
    addresses: tuple[
        Annotated[
            AddressRange,
            PlainValidator(address_range),
            PlainSerializer(str),
            WithJsonSchema({"type": "string", "format": "addresses"}),
        ],
        ...,
    ] = Field(default=(), examples=[["10.11.84.22-10.11.84.30"]])
    """Ranges for Services of type LoadBalancer, `first-last` or CIDR; none makes no such pool."""
    bgp: BgpSettings | None = None
    """Announce all addresses to routers by BGP; without it they are answered for by ARP."""

    def pinned(self) -> Iterator[tuple[str, IPv4Address]]:
        """Each address that is named on its own, after the key it is written at."""
        for key, written in self.dialled():
            if isinstance(written, IPv4Address):
                yield key, written

    def dialled(self) -> Iterator[tuple[str, IPv4Address | Literal["auto"]]]:
        """What is written for each address that peers dial, after its key."""
        yield "loadBalancer.etcdAddress", self.etcd_address
        if self.dns_address is not None:
            yield "loadBalancer.dnsAddress", self.dns_address

    def routers(self) -> Iterator[tuple[str, IPv4Address]]:
        """The address of each router that BGP is spoken with, after the key it is written at."""
        for place, peer in enumerate(self.bgp.peers if self.bgp else ()):
            yield f"loadBalancer.bgp.peers[{place}].address", peer.address
