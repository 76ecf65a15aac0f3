"""The virtual machines of one cluster, cloned from a template and started with cloud-init."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_vsphere as vsphere
from pulumi import Input, ResourceOptions

from components.vsphere_inventory import Inventory
from mesh.nodes import Node

_FROM_TEMPLATE = (
    "guestId",
    "firmware",
    "scsiType",
    "networkInterfaces[*].adapterType",
    "disks[*].thinProvisioned",
    "disks[*].eagerlyScrub",
)


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A node, the guestinfo keys it boots with (secret), and the generation it belongs to."""

    node: Node
    guestinfo: Input[Mapping[str, str]]
    generation: str


@dataclass(frozen=True, kw_only=True)
class VsphereNodesArgs:
    """Where the machines go, which machines, and whether control planes are protected."""

    inventory: Inventory
    folder: str
    machines: Sequence[Machine]
    protect_control_planes: bool


class VsphereNodes(pulumi.ComponentResource):
    """One virtual machine per node, in one folder, with workers kept on different hosts.

    Machines are made, and replaced, one at a time in the order given, each powered on before the
    next. The attribute `machines` has them by name.
    """

    folder: vsphere.Folder
    machines: dict[str, vsphere.VirtualMachine]

    def __init__(
        self, name: str, args: VsphereNodesArgs, opts: ResourceOptions | None = None
    ) -> None:
        super().__init__("mesh:vsphere_nodes:VsphereNodes", name, {}, opts)
        self._name = name
        self._args = args
        self.folder = self._folder()
        self.machines = {}
        for machine in args.machines:
            self.machines[machine.node.name] = self._virtual_machine(machine)
        self._keep_workers_apart()
        ids = {node: machine.id for node, machine in self.machines.items()}
        self.register_outputs({"folder": self.folder.path, "machines": ids})

    def _folder(self) -> vsphere.Folder:
        return vsphere.Folder(
            f"{self._name}-folder",
            path=self._args.folder,
            type="vm",
            datacenter_id=self._args.inventory.datacenter_id,
            opts=ResourceOptions(parent=self),
        )

    def _virtual_machine(self, machine: Machine) -> vsphere.VirtualMachine:
        node, inventory = machine.node, self._args.inventory
        return vsphere.VirtualMachine(
            node.name,
            name=node.name,
            folder=self.folder.path,
            resource_pool_id=inventory.resource_pool_id,
            datastore_id=inventory.datastore_id,
            num_cpus=node.cpus,
            memory=node.memory_gib * 1024,
            guest_id=inventory.template.guest_id,
            firmware=inventory.template.firmware,
            scsi_type=inventory.template.scsi_type,
            clone={"template_uuid": inventory.template.id},
            disks=[inventory.disk(node.disk_gib)],
            network_interfaces=[inventory.network_interface()],
            extra_config=machine.guestinfo,
            replace_trigger=machine.generation,
            enable_disk_uuid=True,  # the vSphere CSI driver finds disks by it
            # Addresses come from the stack file; who waits for the guest is the readiness hook.
            wait_for_guest_net_timeout=0,
            wait_for_guest_ip_timeout=0,
            extra_config_reboot_required=False,
            # Left out, these differ from what vCenter reports, for ever (pulumi-vsphere #472).
            ept_rvi_mode="automatic",
            hv_mode="hvAuto",
            sync_time_with_host=True,
            opts=self._machine_options(node),
        )

    def _machine_options(self, node: Node) -> ResourceOptions:
        protected = node.role == "control-plane" and self._args.protect_control_planes
        return ResourceOptions(
            parent=self,
            # A rebuilt template or other user data must not replace, reboot or change a running
            # node (terraform-provider-vsphere #958, #1190, #1070): replace_trigger alone decides.
            ignore_changes=["clone", "extraConfig", *_FROM_TEMPLATE],
            additional_secret_outputs=["extraConfig"],
            protect=protected,
            # One at a time. A replaced machine is powered on before the next one goes; nothing
            # waits here for its node to be Ready again.
            depends_on=list(self.machines.values())[-1:],
        )

    def _keep_workers_apart(self) -> None:
        planned = [machine.node for machine in self._args.machines]
        workers = [self.machines[node.name].id for node in planned if node.role == "worker"]
        if len(workers) < 2:
            return
        vsphere.ComputeClusterVmAntiAffinityRule(
            f"{self._name}-workers-apart",
            name=f"{self._name}-workers-apart",
            compute_cluster_id=self._args.inventory.compute_cluster_id,
            virtual_machine_ids=workers,
            # An update after a machine got a new identity fails (terraform-provider-vsphere #1362).
            opts=ResourceOptions(
                parent=self, replace_on_changes=["virtualMachineIds"], delete_before_replace=True
            ),
        )
