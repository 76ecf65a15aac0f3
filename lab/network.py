"""The lab's network: one namespace without an uplink, and a bridge every node hangs on."""

import hashlib
from ipaddress import IPv4Interface
from pathlib import Path

from pyroute2 import NetNS, netns

NAMESPACE = "mesh-lab"
BRIDGE = "nodes"
NODE_INTERFACE = "ens192"


def create(addresses: list[IPv4Interface]) -> None:
    """Make the namespace and the bridge with these addresses; what is there already stays."""
    if NAMESPACE not in netns.listnetns():
        netns.create(NAMESPACE)
    with NetNS(NAMESPACE) as links:
        links.link("set", index=_index(links, "lo"), state="up")
        if _index(links, BRIDGE) is None:
            links.link("add", ifname=BRIDGE, kind="bridge")
        bridge = _index(links, BRIDGE)
        links.link("set", index=bridge, state="up")
        present = {message.get_attr("IFA_ADDRESS") for message in links.get_addr(index=bridge)}
        for address in addresses:
            if str(address.ip) not in present:
                links.addr(
                    "add",
                    index=bridge,
                    address=str(address.ip),
                    prefixlen=address.network.prefixlen,
                )


def remove() -> None:
    """Remove the namespace with the bridge and every cable in it."""
    if NAMESPACE in netns.listnetns():
        netns.remove(NAMESPACE)


def connect(node: str, pid: int) -> None:
    """Lay a cable from the bridge to the network namespace of process `pid`."""
    with NetNS(NAMESPACE) as links:
        cable = cable_name(node)
        left = _index(links, cable)
        if left is not None:
            links.link("del", index=left)
        links.link(
            "add", ifname=cable, kind="veth", peer={"ifname": NODE_INTERFACE, "net_ns_pid": pid}
        )
        bridge = _index(links, BRIDGE)
        links.link("set", index=_index(links, cable), master=bridge, state="up")


def cable_name(node: str) -> str:
    """Return the cable's name on the bridge: at most 15 bytes, whatever the node is called."""
    return f"{node[:6]}-{hashlib.sha256(node.encode()).hexdigest()[:8]}"


def command(arguments: list[str]) -> list[str]:
    """Return the command line that runs `arguments` in the lab's network."""
    return ["nsenter", f"--net={namespace_file()}", "--", *arguments]


def namespace_file() -> Path:
    """Return the file that holds the namespace open."""
    return Path("/run/netns") / NAMESPACE


def _index(links: NetNS, name: str) -> int | None:
    found: list[int] = list(links.link_lookup(ifname=name))
    return found[0] if found else None
