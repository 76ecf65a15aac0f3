"""The lab's network: one namespace without an uplink, and a bridge every node hangs on."""

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


def enter() -> None:
    """Move this process into the lab's network."""
    netns.setns(NAMESPACE)


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


def cut(node: str, *, cable_down: bool) -> None:
    """Pull the node's cable out of the bridge, or plug it in again."""
    with NetNS(NAMESPACE) as links:
        index = _index(links, cable_name(node))
        links.link("set", index=index, state="down" if cable_down else "up")


def cable_name(node: str) -> str:
    """Return the cable's name on the bridge: at most 15 bytes, whatever the node is called."""
    role, _, number = node.rpartition("-")
    initials = "".join(word[0] for word in role.split("-")[1:])
    return f"{role.split('-')[0][:8]}-{initials}{number}"[:15]


def command(arguments: list[str]) -> list[str]:
    """Return the command line that runs `arguments` in the lab's network."""
    return ["nsenter", f"--net={namespace_file()}", "--", *arguments]


def namespace_file() -> Path:
    """Return the file that holds the namespace open."""
    return Path("/run/netns") / NAMESPACE


def is_inside() -> bool:
    """Tell whether this process already runs in the lab's network."""
    ours = Path("/proc/self/ns/net").stat().st_ino
    return namespace_file().exists() and namespace_file().stat().st_ino == ours


def _index(links: NetNS, name: str) -> int | None:
    found: list[int] = list(links.link_lookup(ifname=name))
    return found[0] if found else None
