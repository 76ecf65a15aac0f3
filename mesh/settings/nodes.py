"""The machines of one cluster."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import Annotated

from pydantic import AfterValidator, Field

from mesh.settings.base import Address, Model, Text, matching, refused

# What a VM of vSphere 8 can have, by its Configuration Maximums: 62 TB of disk, 24 TB of memory.
MOST_CPUS = 768
MOST_MEMORY_GIB = 24_560
MOST_DISK_GIB = 63_488
# The key's type and its base64, which begins with the length of the type's name.
_PUBLIC_KEY = re.compile(
    r"(ssh-ed25519|ssh-rsa|ecdsa-sha2-\S+|sk-\S+) +AAAA[A-Za-z0-9+/]+={0,2}( .*)?"
)


def one_control_plane(addresses: tuple[Address, ...]) -> tuple[Address, ...]:
    """Exactly one address, as several control planes need a virtual IP in front of them."""
    if len(addresses) != 1:
        raise refused(
            f"are {len(addresses)} control planes",
            "write exactly one address; several need a virtual IP, which is not built yet",
        )
    return addresses


def public_key(value: str) -> str:
    """A public key of OpenSSH in one line, as sshd reads it in authorized_keys, without options."""
    if not _PUBLIC_KEY.fullmatch(value):
        reason = "is no public key of SSH"
        raise refused(reason, "write the line of a .pub file, like ssh-ed25519 AAAA… name")
    return value


PublicKey = Annotated[Text, AfterValidator(public_key), matching(_PUBLIC_KEY.pattern)]


class ControlPlaneSettings(Model):
    """The control plane VM."""

    addresses: Annotated[tuple[Address, ...], AfterValidator(one_control_plane)] = Field(
        examples=[["10.11.85.11"]], json_schema_extra={"minItems": 1, "maxItems": 1}
    )
    """Address of the control plane, inside `network.nodeCidr`; the API server's endpoint."""
    cpus: int = Field(default=4, ge=1, le=MOST_CPUS)
    """Virtual processors."""
    memory_gib: int = Field(default=8, ge=1, le=MOST_MEMORY_GIB)
    """Memory in GiB."""
    disk_gib: int = Field(default=40, ge=1, le=MOST_DISK_GIB)
    """Disk in GiB, at least as large as the template's."""


class WorkerSettings(Model):
    """The worker VMs, all of one size."""

    addresses: tuple[Address, ...] = Field(examples=[["10.11.85.12", "10.11.85.13"]])
    """One address per worker, inside `network.nodeCidr`. Add one at the end to add a worker."""
    cpus: int = Field(default=8, ge=1, le=MOST_CPUS)
    """Virtual processors."""
    memory_gib: int = Field(default=32, ge=1, le=MOST_MEMORY_GIB)
    """Memory in GiB."""
    disk_gib: int = Field(default=100, ge=1, le=MOST_DISK_GIB)
    """Disk in GiB, at least as large as the template's."""


class NodesSettings(Model):
    """All nodes of a cluster and what holds for each of them."""

    control_plane: ControlPlaneSettings = Field(examples=[{"addresses": ["10.11.85.11"]}])
    """The control plane VM."""
    worker: WorkerSettings = Field(examples=[{"addresses": ["10.11.85.12"]}])
    """The worker VMs."""
    ssh_authorized_keys: tuple[PublicKey, ...] = Field(
        default=(), examples=[["ssh-ed25519 AAAA… name"]]
    )
    """Public keys that may log in to the nodes. The program itself needs none."""
    protect_control_planes: bool = True
    """Refuse to delete or replace a control plane VM."""
    ignore_preflight_errors: tuple[Text, ...] = Field(default=(), examples=[["NumCPU"]])
    """Checks of kubeadm that only warn, such as NumCPU."""
    ready_timeout_minutes: int = Field(default=20, ge=1, le=1440)
    """Minutes from the last VM's start until every node must be registered."""

    def keyed_addresses(self) -> Iterator[tuple[str, IPv4Address]]:
        """Every node's address, after the key it is written at."""
        for kind, group in (("controlPlane", self.control_plane), ("worker", self.worker)):
            for place, address in enumerate(group.addresses):
                yield f"nodes.{kind}.addresses[{place}]", address
