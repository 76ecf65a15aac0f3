"""A small program for the stand-in plugin: a folder, three machines, a rule, and a wait."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import pulumi
import pulumi_vsphere as vsphere

NAMES = ("east-worker-1", "east-worker-2", "east-worker-3")
STATUS = "guestinfo.mesh.status"


@dataclass
class Wishes:
    """What a test wants of the program."""

    server: str
    cpus: int = 4
    generation: str = "a"
    wrong: Mapping[str, object] = field(default_factory=dict)
    ignored: tuple[str, ...] = ("clone",)
    asks_in_hook: bool = False
    heard: list[object] = field(default_factory=list)


@dataclass(frozen=True)
class Placement:
    """Where the machines go, looked up by name."""

    provider: vsphere.Provider
    lookup: pulumi.InvokeOptions
    datacenter_id: pulumi.Output[str]

    @property
    def cluster(self) -> pulumi.Output[vsphere.GetComputeClusterResult]:
        return vsphere.get_compute_cluster_output(
            name="Compute", datacenter_id=self.datacenter_id, opts=self.lookup
        )

    @property
    def datastore_id(self) -> pulumi.Output[str]:
        return vsphere.get_datastore_output(
            name="Datastore", datacenter_id=self.datacenter_id, opts=self.lookup
        ).id

    @property
    def network_id(self) -> pulumi.Output[str]:
        return vsphere.get_network_output(
            name="Nodes", datacenter_id=self.datacenter_id, opts=self.lookup
        ).id

    @property
    def template(self) -> pulumi.Output[vsphere.GetVirtualMachineResult]:
        return vsphere.get_virtual_machine_output(
            name="kubernetes-1.36.3", datacenter_id=self.datacenter_id, opts=self.lookup
        )


def program(wishes: Wishes) -> None:
    """Register the resources."""
    place = _placement(wishes)
    folder = vsphere.Folder(
        "folder",
        path="mesh/east",
        type="vm",
        datacenter_id=place.datacenter_id,
        opts=pulumi.ResourceOptions(provider=place.provider),
    )
    machines = [_machine(name, wishes, folder, place) for name in NAMES]
    vsphere.ComputeClusterVmAntiAffinityRule(
        "rule",
        name="east-workers",
        compute_cluster_id=place.cluster.id,
        virtual_machine_ids=[machine.id for machine in machines],
        opts=pulumi.ResourceOptions(
            provider=place.provider,
            replace_on_changes=["virtualMachineIds"],
            delete_before_replace=True,
        ),
    )
    if wishes.asks_in_hook:
        _ask_in_hook(wishes, machines, place.lookup)
    pulumi.export("ids", [machine.id for machine in machines])
    pulumi.export("power", machines[0].power_state)


def _placement(wishes: Wishes) -> Placement:
    provider = vsphere.Provider(
        "vsphere",
        user="automation@vsphere.local",
        password=pulumi.Output.secret("vcenter-password"),
        vsphere_server=wishes.server,
        allow_unverified_ssl=True,
    )
    lookup = pulumi.InvokeOptions(provider=provider)
    datacenter = vsphere.get_datacenter_output(name="Datacenter", opts=lookup)
    return Placement(provider, lookup, datacenter.id)


def _machine(
    name: str, wishes: Wishes, folder: vsphere.Folder, place: Placement
) -> vsphere.VirtualMachine:
    template = place.template
    # A test may wish for a wrong name, which no type allows.
    clone = cast("vsphere.VirtualMachineCloneArgs", {"templateUuid": template.id, **wishes.wrong})
    adapter = template.network_interface_types[0]
    return vsphere.VirtualMachine(
        name,
        name=name,
        folder=folder.path,
        resource_pool_id=place.cluster.resource_pool_id,
        datastore_id=place.datastore_id,
        num_cpus=wishes.cpus,
        memory=8192,
        guest_id=template.guest_id,
        firmware=template.firmware,
        scsi_type=template.scsi_type,
        clone=clone,
        disks=[{"label": "disk0", "size": 40}],
        network_interfaces=[{"network_id": place.network_id, "adapter_type": adapter}],
        extra_config=pulumi.Output.secret({"guestinfo.userdata": "top-secret"}),
        enable_disk_uuid=True,
        wait_for_guest_net_timeout=0,
        wait_for_guest_ip_timeout=0,
        extra_config_reboot_required=False,
        replace_trigger=wishes.generation,
        opts=pulumi.ResourceOptions(
            provider=place.provider, ignore_changes=["extraConfig", *wishes.ignored]
        ),
    )


def _ask_in_hook(
    wishes: Wishes, machines: list[vsphere.VirtualMachine], lookup: pulumi.InvokeOptions
) -> None:
    async def ask(_arguments: pulumi.ResourceHookArgs) -> None:
        identity = await machines[0].id.future()
        found = vsphere.get_virtual_machine(uuid=identity, extra_config={STATUS: ""}, opts=lookup)
        wishes.heard.append(dict(found.extra_config or {}))
        try:
            vsphere.get_virtual_machine(uuid="no-such-uuid", opts=lookup)
        except Exception as error:  # the SDK raises no narrower one
            wishes.heard.append(str(error))

    hook = pulumi.ResourceHook("ask", ask)
    pulumi.Stash(
        "after-the-machines",
        input="x",
        opts=pulumi.ResourceOptions(
            depends_on=machines, hooks=pulumi.ResourceHookBinding(before_create=[hook])
        ),
    )
