"""Where a cluster is dialled, in words for a reader."""

from ipaddress import IPv4Address
from typing import Literal


def dialled(address: IPv4Address | Literal["auto"], port: int) -> str:
    """The address and its port; of `auto`, which is no address yet, who chooses it."""
    if isinstance(address, IPv4Address):
        return f"{address}:{port}"
    return f"MetalLB chooses, port {port}"
