"""What a vCenter has already: looked up by the names in the stack file."""

from dataclasses import dataclass

import pulumi_vsphere as vsphere
from pulumi import InvokeOutputOptions, Output

from mesh.settings import VsphereSettings


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """The places and the template that virtual machines are made from, as ids of the vCenter."""

    datacenter_id: Output[str]
    compute_cluster_id: Output[str]
    resource_pool_id: Output[str]
    datastore_id: Output[str]
    network_id: Output[str]
    template: Output[vsphere.GetVirtualMachineResult]

    def disk(self, wanted_gib: int) -> vsphere.VirtualMachineDiskArgsDict:
        """Return the one disk of a machine: at least as large as the template's, in GiB."""
        first = self.template.disks[0]
        return {
            "label": "disk0",
            "size": first.size.apply(lambda template_gib: max(wanted_gib, template_gib)),
            "thin_provisioned": first.thin_provisioned,
            "eagerly_scrub": first.eagerly_scrub,
        }

    def network_interface(self) -> vsphere.VirtualMachineNetworkInterfaceArgsDict:
        """Return the one network interface of a machine, of the kind the template has."""
        return {
            "network_id": self.network_id,
            "adapter_type": self.template.network_interface_types[0],
        }


def look_up(names: VsphereSettings, provider: vsphere.Provider) -> Inventory:
    """Return the inventory behind these names; the vCenter says so when one doesn't exist."""
    opts = InvokeOutputOptions(provider=provider)
    datacenter = vsphere.get_datacenter_output(name=names.datacenter, opts=opts)
    within = datacenter.id
    cluster = vsphere.get_compute_cluster_output(
        name=names.cluster, datacenter_id=within, opts=opts
    )
    return Inventory(
        datacenter_id=within,
        compute_cluster_id=cluster.id,
        resource_pool_id=cluster.resource_pool_id,
        datastore_id=vsphere.get_datastore_output(
            name=names.datastore, datacenter_id=within, opts=opts
        ).id,
        network_id=vsphere.get_network_output(
            name=names.port_group, datacenter_id=within, opts=opts
        ).id,
        template=vsphere.get_virtual_machine_output(
            name=names.template, datacenter_id=within, opts=opts
        ),
    )
