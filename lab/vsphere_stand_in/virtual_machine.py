"""Virtual machines cloned from a template."""

import uuid

import pulumi_vsphere

from lab.vcenter import VCenter, VCenterError
from lab.vsphere_api import ManagedObject, extra_config, option_values, vim
from lab.vsphere_stand_in import devices, folder
from lab.vsphere_stand_in.resource_kind import ResourceKind, Values, changed

_OBSERVED = (
    "name",
    "parent",
    "config.uuid",
    "config.guestId",
    "config.firmware",
    "config.hardware.numCPU",
    "config.hardware.memoryMB",
    "config.extraConfig",
    "config.files.vmPathName",
    "runtime.powerState",
)
_POWER = {"poweredOn": "on", "poweredOff": "off", "suspended": "suspended"}

# Inputs that would make another machine than the stand-in makes.
_NOT_MADE = ("cdroms", "datastoreClusterId", "ovfDeploy", "pciDeviceIds", "vapp", "vtpm")
# Inputs whose change in place the stand-in doesn't do.
_FIXED = ("datastoreId", "firmware", "guestId", "networkInterfaces", "resourcePoolId", "scsiType")


def datacenter_of(vcenter: VCenter, item: ManagedObject) -> str:
    """The ID of the datacenter that an object of the inventory lies in. Raises VCenterError."""
    while not isinstance(item, vim.Datacenter):
        item = vcenter.properties(item, "parent").get("parent")
        if item is None:
            raise VCenterError("an object lies in no datacenter: does it still exist?")
    return str(item._moId)


def _template(vcenter: VCenter, inputs: Values) -> ManagedObject:
    wanted = inputs["clone"]["templateUuid"]
    template = vcenter.machine_by_uuid(wanted)
    if template is None:
        raise VCenterError(f"no template has the uuid {wanted!r}")
    return template


def _plan(vcenter: VCenter, inputs: Values) -> None:
    for name in _NOT_MADE:
        if name in inputs:
            raise VCenterError(f"the stand-in makes no virtual machine with {name}")
    if "clone" not in inputs:
        raise VCenterError("the stand-in only clones: give clone.templateUuid")
    template = _template(vcenter, inputs)
    guest = vcenter.properties(template, "config.guestId")["config.guestId"]
    if inputs.get("guestId", "otherGuest64") != guest:
        raise VCenterError(
            f"invalid guest ID {inputs.get('guestId')!r} for clone: set guestId to {guest!r}"
        )
    devices.check_disks(devices.devices(vcenter, template), inputs.get("disks", []))
    if not inputs.get("networkInterfaces"):
        raise VCenterError("networkInterfaces: at least one is required")


def _create(vcenter: VCenter, inputs: Values) -> str:
    _plan(vcenter, inputs)
    template = _template(vcenter, inputs)
    pool = vcenter.reference(vim.ResourcePool, inputs["resourcePoolId"])
    place = folder.find(vcenter, datacenter_of(vcenter, pool), inputs.get("folder", ""))
    location = vim.vm.RelocateSpec(pool=pool)
    if "datastoreId" in inputs:
        location.datastore = vcenter.reference(vim.Datastore, inputs["datastoreId"])
    # The simulator derives a uuid from the name, so a replaced machine would keep its own.
    identity = str(uuid.uuid4())
    clone = vim.vm.CloneSpec(
        location=location,
        config=vim.vm.ConfigSpec(uuid=identity, instanceUuid=str(uuid.uuid4())),
        powerOn=False,
        template=False,
    )
    machine = vcenter.wait(
        lambda: template.CloneVM_Task(folder=place, name=inputs["name"], spec=clone)
    )
    try:
        _configure_and_start(vcenter, machine, inputs)
    except VCenterError:
        # Nothing half-made stays behind: the engine doesn't know of it yet.
        _delete(vcenter, identity)
        raise
    return identity


def _configure_and_start(vcenter: VCenter, machine: ManagedObject, inputs: Values) -> None:
    held = devices.devices(vcenter, machine)
    spec = _spec(inputs)
    spec.deviceChange = devices.disk_changes(held, inputs["disks"]) + devices.card_changes(
        vcenter, held, inputs["networkInterfaces"]
    )
    spec.extraConfig = option_values(inputs.get("extraConfig", {}))
    vcenter.wait(lambda: machine.ReconfigVM_Task(spec=spec))
    vcenter.wait(lambda: machine.PowerOnVM_Task())


def _spec(inputs: Values) -> ManagedObject:
    spec = vim.vm.ConfigSpec()
    if "numCpus" in inputs:
        spec.numCPUs = inputs["numCpus"]
    if "memory" in inputs:
        spec.memoryMB = inputs["memory"]
    if "firmware" in inputs:
        spec.firmware = inputs["firmware"]
    if "annotation" in inputs:
        spec.annotation = inputs["annotation"]
    spec.flags = vim.vm.FlagInfo(diskUuidEnabled=inputs.get("enableDiskUuid", False))
    return spec


def _observe(vcenter: VCenter, identity: str, inputs: Values) -> Values | None:
    machine = vcenter.machine_by_uuid(identity)
    if machine is None:
        return None
    held = vcenter.properties(machine, *_OBSERVED)
    options = extra_config(held["config.extraConfig"])
    place = folder.path_of(vcenter, datacenter_of(vcenter, machine), held["parent"])
    wanted = inputs.get("folder", "")
    return {
        "name": held["name"],
        "folder": wanted if wanted.strip("/") == place else place,
        "guestId": held["config.guestId"],
        "firmware": held["config.firmware"],
        "numCpus": held["config.hardware.numCPU"],
        "memory": held["config.hardware.memoryMB"],
        # Only what was asked for: a vCenter adds keys of its own.
        "extraConfig": {
            key: options[key] for key in inputs.get("extraConfig", {}) if key in options
        },
        "moid": machine._moId,
        "uuid": held["config.uuid"],
        "powerState": _POWER[held["runtime.powerState"]],
        "vmxPath": held["config.files.vmPathName"].partition("] ")[2],
    }


def _update(vcenter: VCenter, identity: str, old: Values, new: Values) -> None:
    differing = changed(old, new)
    if fixed := [name for name in differing if name in _FIXED]:
        raise VCenterError(
            f"the stand-in doesn't change {', '.join(fixed)} in place: change replaceTrigger too"
        )
    machine = vcenter.machine_by_uuid(identity)
    if machine is None:
        raise VCenterError(f"virtual machine {new['name']} is gone: refresh, then run again")
    folder.move(
        vcenter, machine, datacenter_of(vcenter, machine), new.get("folder", ""), new["name"]
    )
    if _needs_restart(old, new):
        _power_off(vcenter, machine)
    spec = _spec(new)
    spec.deviceChange = devices.disk_changes(
        devices.devices(vcenter, machine), new.get("disks", [])
    )
    vcenter.wait(lambda: machine.ReconfigVM_Task(spec=spec))
    before, after = old.get("extraConfig", {}), new.get("extraConfig", {})
    removed = dict.fromkeys(before.keys() - after.keys(), "")
    vcenter.set_extra_config(machine._moId, {**removed, **after})
    if _power_state(vcenter, machine) != "poweredOn":
        vcenter.wait(lambda: machine.PowerOnVM_Task())


def _needs_restart(old: Values, new: Values) -> bool:
    """Whether the real plugin would power the machine off for these changes."""
    differing = changed(old, new)
    more_cpus = new.get("numCpus", 1) > old.get("numCpus", 1)
    cpus_in_place = old.get("cpuHotAddEnabled" if more_cpus else "cpuHotRemoveEnabled", False)
    more_memory = new.get("memory", 0) > old.get("memory", 0)
    memory_in_place = more_memory and old.get("memoryHotAddEnabled", False)
    return (
        ("numCpus" in differing and not cpus_in_place)
        or ("memory" in differing and not memory_in_place)
        or ("extraConfig" in differing and new.get("extraConfigRebootRequired", True))
    )


def _delete(vcenter: VCenter, identity: str) -> None:
    machine = vcenter.machine_by_uuid(identity)
    if machine is not None:
        _power_off(vcenter, machine)
        vcenter.wait(lambda: machine.Destroy_Task())


def _power_off(vcenter: VCenter, machine: ManagedObject) -> None:
    if _power_state(vcenter, machine) != "poweredOff":
        vcenter.wait(lambda: machine.PowerOffVM_Task())


def _power_state(vcenter: VCenter, machine: ManagedObject) -> str:
    path = "runtime.powerState"
    return str(vcenter.properties(machine, path)[path])


KIND = ResourceKind(
    arguments=pulumi_vsphere.VirtualMachineArgs,
    replaced_by=frozenset({"clone", "replaceTrigger"}),
    computed=frozenset({"moid", "uuid", "powerState", "vmxPath"}),
    kept={"powerState": "on"},
    plan=_plan,
    create=_create,
    observe=_observe,
    update=_update,
    delete=_delete,
)
