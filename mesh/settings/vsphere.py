"""Where in vSphere the VMs of a cluster live."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from mesh.settings.base import Model, Text, address_or, matching, refused, text, without_scheme

_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})*")
_NUMBERS = re.compile(r"[0-9.]+")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_FOLDER = r"(?=\S(.*\S)?$)[^/]+(/[^/]+)*"


def server(value: str) -> str:
    """A host name or an IPv4 address, and a port where it is not that of HTTPS."""
    name, colon, port = without_scheme(value).partition(":")
    instead = "write one like vcenter.example.com"
    if _NUMBERS.fullmatch(name) or ":" in port:
        address_or(name if ":" not in port else value, instead)
    elif not _HOST.fullmatch(name):
        raise refused("is no host name and no IPv4 address", instead)
    if port == "443":
        raise refused("names the port that is dialled anyway", f"write {name}, without :443")
    if colon and not (_PORT.fullmatch(port) and int(port) <= 65535):
        raise refused("ends in no port", f"write {name}")
    return value


def folder(value: str) -> str:
    """A path below the datacenter's VM root, as names with a slash between each two."""
    path = "/".join(part for part in text(value).split("/") if part)
    if path != value:
        raise refused("has a slash too many", f"write {path or 'one like mesh/east'}")
    return value


Server = Annotated[
    str, AfterValidator(server), matching(rf"{_HOST.pattern.replace('$', '(:|$)')}(:[0-9]{{1,5}})?")
]
Folder = Annotated[str, AfterValidator(folder), matching(_FOLDER)]


class VsphereSettings(Model):
    """The vCenter, and the inventory objects the VMs are made of. All of them exist already."""

    server: Server = Field(examples=["vcenter.example.com"])
    """Host name or IPv4 address of the vCenter, without `https://`; `:port` where it isn't 443."""
    user: Text = Field(examples=["automation@vsphere.local"])
    """User of the vCenter; the password is the secret `vcenterPassword`."""
    allow_unverified_tls: bool = False
    """Accept a certificate of the vCenter that no known authority signed."""
    datacenter: Text = Field(examples=["Datacenter"])
    """Datacenter of the VMs."""
    cluster: Text = Field(examples=["Compute"])
    """Compute cluster of the VMs."""
    datastore: Text = Field(examples=["Datastore"])
    """Datastore of the VMs' disks."""
    port_group: Text = Field(examples=["Nodes"])
    """Port group of the VMs' one network interface."""
    folder: Folder = Field(examples=["mesh/east"])
    """VM folder this program makes, by its path below the datacenter's VM root."""
    template: Text = Field(examples=["kubernetes-1.36.3"])
    """VM template with containerd, kubeadm and the kubelet of `versions.kubernetes`."""
