"""The disks and network cards of a virtual machine."""

from collections.abc import Sequence

from lab.vcenter import VCenter, VCenterError
from lab.vsphere_api import ManagedObject, vim
from lab.vsphere_stand_in.resource_kind import Values

_GIB = 1 << 30

ADAPTERS = {
    "e1000": vim.vm.device.VirtualE1000,
    "e1000e": vim.vm.device.VirtualE1000e,
    "vmxnet3": vim.vm.device.VirtualVmxnet3,
}


def devices(vcenter: VCenter, machine: ManagedObject) -> list[ManagedObject]:
    """All devices of a machine or template."""
    path = "config.hardware.device"
    return list(vcenter.properties(machine, path)[path])


def disks(held: Sequence[ManagedObject]) -> list[ManagedObject]:
    """The disks among devices, in the order of their unit numbers."""
    found = [device for device in held if isinstance(device, vim.vm.device.VirtualDisk)]
    return sorted(found, key=lambda disk: disk.unitNumber)


def cards(held: Sequence[ManagedObject]) -> list[ManagedObject]:
    """The network cards among devices."""
    return [dev for dev in held if isinstance(dev, vim.vm.device.VirtualEthernetCard)]


def size_gib(disk: ManagedObject) -> int:
    """A disk's size in whole GiB."""
    return int(disk.capacityInBytes) // _GIB


def check_disks(held: Sequence[ManagedObject], wanted: Sequence[Values]) -> None:
    """Refuse disks that a clone of these devices can't have. Raises VCenterError."""
    present = disks(held)
    if len(wanted) != len(present):
        raise VCenterError(
            f"the template has {len(present)} disk(s), but {len(wanted)} are given: "
            "the stand-in adds and removes none"
        )
    for number, (disk, want) in enumerate(zip(present, wanted, strict=True)):
        if "size" in want and want["size"] < size_gib(disk):
            raise VCenterError(
                f"disks[{number}]: {want['size']} GiB is smaller than the {size_gib(disk)} GiB "
                "it has: disks only grow"
            )


def disk_changes(held: Sequence[ManagedObject], wanted: Sequence[Values]) -> list[ManagedObject]:
    """The device changes that bring disks to their wanted sizes."""
    check_disks(held, wanted)
    changes = []
    for disk, want in zip(disks(held), wanted, strict=True):
        if want.get("size", size_gib(disk)) != size_gib(disk):
            disk.capacityInBytes = want["size"] * _GIB
            disk.capacityInKB = disk.capacityInBytes // 1024
            changes.append(_change("edit", disk))
    return changes


def card_changes(
    vcenter: VCenter, held: Sequence[ManagedObject], wanted: Sequence[Values]
) -> list[ManagedObject]:
    """The device changes that replace the template's cards by the wanted ones."""
    removed = [_change("remove", card) for card in cards(held)]
    added = [
        _change("add", _card(vcenter, want, key=-1 - number)) for number, want in enumerate(wanted)
    ]
    return removed + added


def _card(vcenter: VCenter, wanted: Values, key: int) -> ManagedObject:
    port = vcenter.reference(vim.dvs.DistributedVirtualPortgroup, wanted["networkId"])
    paths = ("key", "config.distributedVirtualSwitch")
    group = vcenter.properties(port, *paths)
    if "key" not in group:
        raise VCenterError(f"no distributed port group has the ID {wanted['networkId']!r}")
    switch = vcenter.properties(group["config.distributedVirtualSwitch"], "uuid")
    backing = vim.vm.device.VirtualEthernetCard.DistributedVirtualPortBackingInfo(
        port=vim.dvs.PortConnection(switchUuid=switch["uuid"], portgroupKey=group["key"])
    )
    connectable = vim.vm.device.VirtualDevice.ConnectInfo(
        startConnected=True, connected=True, allowGuestControl=True
    )
    adapter = ADAPTERS[wanted.get("adapterType", "vmxnet3")]
    return adapter(key=key, backing=backing, connectable=connectable)


def _change(operation: str, device: ManagedObject) -> ManagedObject:
    return vim.vm.device.VirtualDeviceSpec(operation=operation, device=device)
