"""How MetalLB announces addresses to routers instead of to the node network."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from mesh.settings.base import Address, Model, refused

_LARGEST_AS_NUMBER = 4_294_967_295  # RFC 6793
_LARGEST_PORT = 16_384  # what MetalLB's kind BGPPeer takes
_COMMUNITY = re.compile(r"(\d{1,5}):(\d{1,5})")


def community(value: str) -> str:
    """A community of RFC 1997, two numbers of 16 bits; the native mode of MetalLB has no others."""
    halves = _COMMUNITY.fullmatch(value)
    if not halves or any(int(half) > 0xFFFF for half in halves.groups()):
        raise refused("is not a community", "write one like 64512:100, in quotes")
    return value


AsNumber = Annotated[int, Field(ge=1, le=_LARGEST_AS_NUMBER, examples=[64512])]


class BgpPeerSettings(Model):
    """One router that every node of the cluster talks to."""

    address: Address = Field(examples=["10.11.84.1"])
    """Address the router answers at."""
    asn: AsNumber
    """Autonomous system of the router."""
    port: int = Field(default=179, ge=1, le=_LARGEST_PORT)
    """TCP port the router answers at."""
    hold_time_seconds: int = Field(default=90, ge=3, le=65535)
    """Silence after which either side gives the session up."""
    multi_hop: bool = False
    """Whether routers lie between the nodes and this one; for another autonomous system only."""


class BgpSettings(Model):
    """The cluster's own side of BGP, and the routers it talks to."""

    asn: AsNumber
    """Autonomous system of the nodes."""
    peers: tuple[BgpPeerSettings, ...] = Field(
        min_length=1, examples=[[{"address": "10.11.84.1", "asn": 64512}]]
    )
    """Routers the addresses are announced to."""
    aggregation_length: int = Field(default=32, ge=1, le=32)
    """Prefix length in which the workloads' addresses are announced; 32 is each on its own."""
    communities: tuple[Annotated[str, AfterValidator(community)], ...] = Field(
        default=(), examples=[["64512:100"]]
    )
    """Communities the announcements carry."""
