"""What cloud-init reads on a node's first boot, and how vSphere hands it over."""

import base64
import gzip
from typing import Any

import yaml

from mesh.nodes import Node, node_generation
from mesh.pki import ClusterSecrets, KeyPair, ca_certificate_hash
from mesh.render.bootstrap import bootstrap_files
from mesh.render.kubeadm import init_configuration, join_configuration
from mesh.render.node_file import NodeFile
from mesh.render.operating_system import operating_system_files
from mesh.render.yaml_text import yaml_text
from mesh.settings import Settings

KUBEADM_FILE = "/etc/mesh/kubeadm.yaml"

# The VM's tools cut a value at 64 KiB; the rest is room for what a later version adds.
GUESTINFO_LIMIT = 60 * 1024

# The source is named as systemd names it, or `mount -a` would mount a second one on top.
BPF_FILE_SYSTEM = ["bpf", "/sys/fs/bpf", "bpf", "rw,nosuid,nodev,noexec,mode=700", "0", "0"]


class GuestinfoTooLargeError(ValueError):
    """User data or metadata that would not arrive whole."""


def user_data(settings: Settings, node: Node, secrets: ClusterSecrets) -> str:
    """The `#cloud-config` of a node; a worker's holds the token and the hash of the CA only."""
    if node.role == "control-plane":
        return _control_plane_user_data(settings, node, secrets)
    ca_hash = ca_certificate_hash(secrets.cluster_ca.certificate)
    return worker_user_data(settings, node, secrets.bootstrap_token, ca_hash)


def worker_user_data(settings: Settings, node: Node, token: str, ca_hash: str) -> str:
    """The `#cloud-config` of a worker, from the two secrets a worker may know."""
    join = join_configuration(settings, node, token, ca_hash)
    return _cloud_config(settings, node, (NodeFile(KUBEADM_FILE, join, "0600"),))


def metadata(settings: Settings, node: Node) -> str:
    """The node's identity and network, and the wish that vSphere forget the user data once read."""
    network = settings.network
    interface = {
        "match": {"name": "e*"},
        "dhcp4": False,
        # Otherwise the boot waits twelve seconds for a router that announces itself.
        "accept-ra": False,
        "addresses": [f"{node.address}/{network.node_cidr.prefixlen}"],
        # Not `default`: cloud-init before 23 takes that word for an address.
        "routes": [{"to": "0.0.0.0/0", "via": str(network.gateway)}],
        "nameservers": {
            "addresses": [str(server) for server in network.name_servers],
            "search": list(network.search_domains),
        },
    }
    document = {
        "instance-id": f"{node.name}-{node_generation(settings, node)}",
        "local-hostname": node.name,
        "network": {"version": 2, "ethernets": {"nic0": interface}},
        "redact": ["userdata"],
    }
    return yaml_text(document)


def guestinfo(user_data: str, metadata: str) -> dict[str, str]:
    """Both texts as the VM's extra configuration, the same for the same texts.

    Raises GuestinfoTooLargeError, with the node's name and the size, above 60 KiB encoded.
    """
    name = yaml.safe_load(metadata)["local-hostname"]
    return {
        "guestinfo.metadata": _encoded(metadata, name, "metadata"),
        "guestinfo.metadata.encoding": "gzip+base64",
        "guestinfo.userdata": _encoded(user_data, name, "user data"),
        "guestinfo.userdata.encoding": "gzip+base64",
    }


def _control_plane_user_data(settings: Settings, node: Node, secrets: ClusterSecrets) -> str:
    init = init_configuration(settings, node, secrets.bootstrap_token)
    files = (NodeFile(KUBEADM_FILE, init, "0600"), *_authority_files(secrets))
    return _cloud_config(settings, node, files)


def _authority_files(secrets: ClusterSecrets) -> tuple[NodeFile, ...]:
    service_account = secrets.service_account
    return (
        *_pair("ca", secrets.cluster_ca),
        *_pair("front-proxy-ca", secrets.front_proxy_ca),
        *_pair("etcd/ca", secrets.etcd_ca),
        NodeFile("/etc/mesh/pki/sa.pub", service_account.public, "0600"),
        NodeFile("/etc/mesh/pki/sa.key", service_account.private, "0600"),
    )


def _pair(name: str, pair: KeyPair) -> tuple[NodeFile, NodeFile]:
    return (
        NodeFile(f"/etc/mesh/pki/{name}.crt", pair.certificate, "0600"),
        NodeFile(f"/etc/mesh/pki/{name}.key", pair.key, "0600"),
    )


def _cloud_config(settings: Settings, node: Node, own_files: tuple[NodeFile, ...]) -> str:
    files = (*operating_system_files(settings, node), *own_files, *bootstrap_files(settings, node))
    config: dict[str, Any] = {
        "preserve_hostname": False,
        "manage_etc_hosts": False,
        "locale": "false",  # a word, as the schema of 22.4 knows no boolean here
        "package_update": False,
        "package_upgrade": False,
        "mounts": [BPF_FILE_SYSTEM],
        "write_files": [_written(file) for file in files],
        "runcmd": _commands(node),
    }
    if settings.nodes.ssh_authorized_keys:
        config["ssh_authorized_keys"] = list(settings.nodes.ssh_authorized_keys)
    return "#cloud-config\n" + yaml_text(config)


def _commands(node: Node) -> list[list[str]]:
    # cloud-init must end before the node does: hence --no-block.
    start = ["systemctl", "enable", "--now", "--no-block"]
    commands = [["systemctl", "daemon-reload"], [*start, "mesh-bootstrap.service"]]
    if node.role == "control-plane":
        commands.append([*start, "mesh-certificate-renewal.timer"])
    return commands


def _written(file: NodeFile) -> dict[str, str]:
    return {
        "path": file.path,
        "owner": "root:root",
        "permissions": file.permissions,
        "content": file.content,
    }


def _encoded(text: str, node: str, kind: str) -> str:
    encoded = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    if len(encoded) > GUESTINFO_LIMIT:
        raise GuestinfoTooLargeError(
            f"the {kind} of {node} is {len(encoded)} bytes, vSphere hands over at most"
            f" {GUESTINFO_LIMIT}: write fewer or shorter nodes.sshAuthorizedKeys"
        )
    return encoded
