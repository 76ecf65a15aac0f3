"""The invokes: objects of the inventory looked up by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi_vsphere

from lab.vcenter import VCenter, VCenterError
from lab.vsphere_api import ManagedObject, extra_config, vim
from lab.vsphere_stand_in import devices, folder
from lab.vsphere_stand_in.inputs import Declared, parameters_of
from lab.vsphere_stand_in.resource_kind import Values

_TEMPLATE_PATHS = (
    "name",
    "parent",
    "config.uuid",
    "config.instanceUuid",
    "config.guestId",
    "config.firmware",
    "config.extraConfig",
    "config.hardware.numCPU",
    "config.hardware.memoryMB",
    "config.hardware.numCoresPerSocket",
)
_SCSI_TYPES = {
    "ParaVirtualSCSIController": "pvscsi",
    "VirtualLsiLogicController": "lsilogic",
    "VirtualLsiLogicSASController": "lsilogic-sas",
    "VirtualBusLogicController": "buslogic",
}


@dataclass(frozen=True)
class Lookup:
    """One invoke: what it accepts, and the function that answers it."""

    declared: Declared
    answer: Callable[[VCenter, Values], Values]


def _named(vcenter: VCenter, kind: ManagedObject, inputs: Values, words: str) -> ManagedObject:
    root = None
    if "datacenterId" in inputs:
        root = vcenter.reference(vim.Datacenter, inputs["datacenterId"])
    objects = vcenter.objects({kind: ("name",)}, root)
    found = [item for item, held in objects.items() if held["name"] == inputs.get("name")]
    if len(found) != 1:
        number = "no" if not found else "more than one"
        known = ", ".join(sorted(held["name"] for held in objects.values()))
        raise VCenterError(f"{number} {words} is named {inputs.get('name')!r}; there are: {known}")
    return found[0]


def _datacenter(vcenter: VCenter, inputs: Values) -> Values:
    found = _named(vcenter, vim.Datacenter, inputs, "datacenter")
    machines = vcenter.objects({vim.VirtualMachine: ("name",)}, found)
    names = sorted(held["name"] for held in machines.values())
    return {**inputs, "id": found._moId, "virtualMachines": names}


def _compute_cluster(vcenter: VCenter, inputs: Values) -> Values:
    found = _named(vcenter, vim.ClusterComputeResource, inputs, "compute cluster")
    pool = vcenter.properties(found, "resourcePool")["resourcePool"]
    return {**inputs, "id": found._moId, "resourcePoolId": pool._moId}


def _datastore(vcenter: VCenter, inputs: Values) -> Values:
    return {**inputs, "id": _named(vcenter, vim.Datastore, inputs, "datastore")._moId}


def _network(vcenter: VCenter, inputs: Values) -> Values:
    found = _named(vcenter, vim.Network, inputs, "network")
    kind = type(found).__name__.rpartition(".")[2]
    return {**inputs, "id": found._moId, "type": kind}


def _folder(vcenter: VCenter, inputs: Values) -> Values:
    place, separator, path = inputs.get("path", "").strip("/").partition("/vm/")
    if not separator:
        raise VCenterError("the stand-in finds folders at /DATACENTER/vm/FOLDER only")
    datacenter = _named(vcenter, vim.Datacenter, {"name": place}, "datacenter")
    return {**inputs, "id": folder.find(vcenter, datacenter._moId, path)._moId}


def _virtual_machine(vcenter: VCenter, inputs: Values) -> Values:
    machine = _find_machine(vcenter, inputs)
    held = vcenter.properties(machine, *_TEMPLATE_PATHS)
    if "config.uuid" not in held:
        raise VCenterError(f"no virtual machine has the ID {inputs.get('moid')!r}")
    options = extra_config(held["config.extraConfig"])
    return {
        **inputs,
        **_hardware(vcenter, machine, held),
        "id": held["config.uuid"],
        "uuid": held["config.uuid"],
        "instanceUuid": held["config.instanceUuid"],
        "moid": machine._moId,
        "name": held["name"],
        "guestId": held["config.guestId"],
        "firmware": held["config.firmware"],
        # As the real plugin does: only the keys that were asked for, and that are there.
        "extraConfig": {
            key: options[key] for key in inputs.get("extraConfig", {}) if key in options
        },
    }


def _find_machine(vcenter: VCenter, inputs: Values) -> ManagedObject:
    if "uuid" in inputs:
        if (machine := vcenter.machine_by_uuid(inputs["uuid"])) is None:
            raise VCenterError(f"no virtual machine has the uuid {inputs['uuid']!r}")
        return machine
    if "moid" in inputs:
        return vcenter.reference(vim.VirtualMachine, inputs["moid"])
    path, _, name = inputs.get("name", "").strip("/").rpartition("/")
    place = inputs.get("folder", path)
    if not place:
        return _named(vcenter, vim.VirtualMachine, inputs, "virtual machine")
    parent = folder.find(vcenter, _only_datacenter(vcenter, inputs), place)
    found = vcenter.objects({vim.VirtualMachine: ("name", "parent")}, parent)
    for machine, held in found.items():
        if held["name"] == name and held["parent"] == parent:
            return machine
    raise VCenterError(f"no virtual machine in folder {place!r} is named {name!r}")


def _only_datacenter(vcenter: VCenter, inputs: Values) -> str:
    if "datacenterId" in inputs:
        return str(inputs["datacenterId"])
    return str(_named(vcenter, vim.Datacenter, {}, "datacenter")._moId)


def _hardware(vcenter: VCenter, machine: ManagedObject, held: Mapping[str, Any]) -> Values:
    present = devices.devices(vcenter, machine)
    cards = devices.cards(present)
    return {
        "numCpus": held["config.hardware.numCPU"],
        "numCoresPerSocket": held["config.hardware.numCoresPerSocket"],
        "memory": held["config.hardware.memoryMB"],
        "disks": [_disk(disk) for disk in devices.disks(present)],
        "scsiType": _scsi_type(present),
        "networkInterfaceTypes": [_adapter(card) for card in cards],
        "networkInterfaces": [_card(card) for card in cards],
    }


def _disk(disk: ManagedObject) -> Values:
    return {
        "eagerlyScrub": bool(disk.backing.eagerlyScrub),
        "label": disk.deviceInfo.label,
        "size": devices.size_gib(disk),
        "thinProvisioned": bool(disk.backing.thinProvisioned),
        "unitNumber": disk.unitNumber,
    }


def _scsi_type(present: list[ManagedObject]) -> str:
    names = (type(device).__name__.rpartition(".")[2] for device in present)
    return next((_SCSI_TYPES[name] for name in names if name in _SCSI_TYPES), "")


def _adapter(card: ManagedObject) -> str:
    return next((name for name, kind in devices.ADAPTERS.items() if isinstance(card, kind)), "")


def _card(card: ManagedObject) -> Values:
    return {
        "adapterType": _adapter(card),
        "macAddress": card.macAddress,
        "networkId": card.backing.port.portgroupKey,
    }


LOOKUPS = {
    "vsphere:index/getDatacenter:getDatacenter": Lookup(
        parameters_of(pulumi_vsphere.get_datacenter), _datacenter
    ),
    "vsphere:index/getComputeCluster:getComputeCluster": Lookup(
        parameters_of(pulumi_vsphere.get_compute_cluster), _compute_cluster
    ),
    "vsphere:index/getDatastore:getDatastore": Lookup(
        parameters_of(pulumi_vsphere.get_datastore), _datastore
    ),
    "vsphere:index/getNetwork:getNetwork": Lookup(
        parameters_of(pulumi_vsphere.get_network), _network
    ),
    "vsphere:index/getFolder:getFolder": Lookup(parameters_of(pulumi_vsphere.get_folder), _folder),
    "vsphere:index/getVirtualMachine:getVirtualMachine": Lookup(
        parameters_of(pulumi_vsphere.get_virtual_machine), _virtual_machine
    ),
}
