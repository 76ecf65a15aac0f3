"""Where in vSphere the VMs of a cluster live."""

from pydantic import Field

from mesh.settings.base import Host, Model, Text


class VsphereSettings(Model):
    """The vCenter, and the inventory objects the VMs are made of. All of them exist already."""

    server: Host = Field(examples=["vcenter.example.com"])
    """Name or address of the vCenter, without `https://`."""
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
    folder: Text = Field(examples=["mesh/east"])
    """VM folder this program makes, by its path below the datacenter's VM root."""
    template: Text = Field(examples=["kubernetes-1.36.3"])
    """VM template with containerd, kubeadm and the kubelet of `versions.kubernetes`."""
