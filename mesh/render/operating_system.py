"""Names, time, kernel: the files of a node's operating system."""

from collections.abc import Iterator

from mesh.nodes import Node
from mesh.render.api_server import api_server_address, api_server_name
from mesh.render.node_file import NodeFile
from mesh.settings import Settings

MODULES = "overlay\nbr_netfilter\n"

# A leading dash: not an error where the kernel has no such key.
SYSCTLS = """\
net.ipv4.ip_forward = 1
-net.bridge.bridge-nf-call-iptables = 1
-net.bridge.bridge-nf-call-ip6tables = 1
"""


def operating_system_files(settings: Settings, node: Node) -> tuple[NodeFile, ...]:
    """Hosts file, kernel modules, kernel settings and, where servers are named, time servers."""
    return (
        NodeFile("/etc/hosts", _hosts(settings, node)),
        NodeFile("/etc/modules-load.d/mesh.conf", MODULES),
        NodeFile("/etc/sysctl.d/99-mesh.conf", SYSCTLS),
        *_time_servers(settings.network.ntp_servers),
    )


def _hosts(settings: Settings, node: Node) -> str:
    """Only what never changes: a list of all nodes would rebuild every one when one is added."""
    return (
        "127.0.0.1 localhost\n"
        "::1 localhost ip6-localhost ip6-loopback\n"
        f"{node.address} {node.name}\n"
        f"{api_server_address(settings)} {api_server_name(settings)}\n"
    )


def _time_servers(servers: tuple[str, ...]) -> Iterator[NodeFile]:
    """For both services a template may have; cloud-init's own `ntp` would install one."""
    if servers:
        timesyncd = f"[Time]\nNTP={' '.join(servers)}\n"
        chrony = "".join(f"server {server} iburst\n" for server in servers)
        yield NodeFile("/etc/systemd/timesyncd.conf.d/mesh.conf", timesyncd)
        yield NodeFile("/etc/chrony/sources.d/mesh.sources", chrony)
