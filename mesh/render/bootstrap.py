"""What a node runs to become part of its cluster, and to stay with valid certificates."""

import shlex

from mesh.nodes import Node
from mesh.render.api_server import api_server
from mesh.render.node_file import NodeFile, packaged
from mesh.settings import Settings

BOOTSTRAP_UNIT = """\
[Unit]
Description=Make this machine a node of its Kubernetes cluster
Wants=network-online.target
After=network-online.target containerd.service
StartLimitIntervalSec=0

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/mesh-bootstrap
Restart=on-failure
RestartSec=15
RestartPreventExitStatus=78

[Install]
WantedBy=multi-user.target
"""

RENEWAL_UNIT = """\
[Unit]
Description=Renew the certificates of this control plane before they expire
ConditionPathExists=/var/lib/mesh/bootstrap.done

[Service]
Type=oneshot
ExecStart=/usr/local/sbin/mesh-certificate-renewal
"""

# Every few hours, as the shortest lifetime the settings allow is a day.
RENEWAL_TIMER = """\
[Unit]
Description=Look every four hours whether certificates must be renewed

[Timer]
OnBootSec=15min
OnUnitActiveSec=4h
RandomizedDelaySec=15min

[Install]
WantedBy=timers.target
"""


def bootstrap_files(settings: Settings, node: Node) -> tuple[NodeFile, ...]:
    """The start script, what it must know, and its unit; on control planes the renewal too."""
    files = (
        NodeFile("/etc/mesh/bootstrap.env", bootstrap_environment(settings, node)),
        NodeFile("/usr/local/sbin/mesh-bootstrap", packaged("mesh-bootstrap.sh"), "0755"),
        NodeFile("/etc/systemd/system/mesh-bootstrap.service", BOOTSTRAP_UNIT),
    )
    return (*files, *_renewal_files()) if node.role == "control-plane" else files


def bootstrap_environment(settings: Settings, node: Node) -> str:
    """The start script's parameters, as assignments a shell can read."""
    parameters = {
        "MESH_ROLE": node.role,
        "MESH_TEMPLATE": settings.vsphere.template,
        "MESH_KUBERNETES_VERSION": settings.versions.kubernetes,
        "MESH_API_SERVER": api_server(settings),
        "MESH_CERTIFICATE_DAYS": str(settings.lifetimes.control_plane_certificate_days),
    }
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in parameters.items())


def _renewal_files() -> tuple[NodeFile, ...]:
    script = packaged("mesh-certificate-renewal.sh")
    return (
        NodeFile("/usr/local/sbin/mesh-certificate-renewal", script, "0755"),
        NodeFile("/etc/systemd/system/mesh-certificate-renewal.service", RENEWAL_UNIT),
        NodeFile("/etc/systemd/system/mesh-certificate-renewal.timer", RENEWAL_TIMER),
    )
