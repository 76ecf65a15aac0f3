"""Folders of virtual machines."""

from collections.abc import Mapping
from typing import Any

import pulumi_vsphere

from lab.vcenter import VCenter, VCenterError
from lab.vsphere_api import ManagedObject, folder_path, vim
from lab.vsphere_stand_in.resource_kind import ResourceKind, Values


def find(vcenter: VCenter, datacenter: str, path: str) -> ManagedObject:
    """The folder at a path below the datacenter's vm folder. Raises VCenterError."""
    wanted = path.strip("/")
    root, found = _below(vcenter, datacenter)
    if not wanted:
        return root
    for folder in found:
        if folder_path(found, folder) == wanted:
            return folder
    raise VCenterError(f"folder {wanted!r} does not exist: create it first, or write another path")


def move(vcenter: VCenter, item: ManagedObject, datacenter: str, path: str, name: str) -> None:
    """Give a folder or virtual machine another name and another parent folder."""
    held = vcenter.properties(item, "name", "parent")
    if held["name"] != name:
        vcenter.wait(lambda: item.Rename_Task(newName=name))
    parent = find(vcenter, datacenter, path)
    if held["parent"] != parent:
        vcenter.wait(lambda: parent.MoveIntoFolder_Task(list=[item]))


def path_of(vcenter: VCenter, datacenter: str, folder: ManagedObject) -> str | None:
    """Where a folder lies below the datacenter's vm folder; None when it is gone."""
    root, found = _below(vcenter, datacenter)
    if folder == root:
        return ""
    return folder_path(found, folder) if folder in found else None


def _below(
    vcenter: VCenter, datacenter: str
) -> tuple[ManagedObject, Mapping[Any, Mapping[str, Any]]]:
    place = vcenter.reference(vim.Datacenter, datacenter)
    root = vcenter.properties(place, "vmFolder")["vmFolder"]
    return root, vcenter.objects({vim.Folder: ("name", "parent")}, root)


def _plan(_vcenter: VCenter, inputs: Values) -> None:
    if inputs["type"] != "vm":
        raise VCenterError(f"the stand-in makes folders of type 'vm' only, not {inputs['type']!r}")
    if "datacenterId" not in inputs:
        raise VCenterError("a folder of virtual machines needs datacenterId")


def _create(vcenter: VCenter, inputs: Values) -> str:
    _plan(vcenter, inputs)
    parent, _, name = inputs["path"].strip("/").rpartition("/")
    folder = find(vcenter, inputs["datacenterId"], parent)
    made = vcenter.call(lambda: folder.CreateFolder(name))
    return str(made._moId)


def _observe(vcenter: VCenter, identity: str, inputs: Values) -> Values | None:
    folder = vcenter.reference(vim.Folder, identity)
    path = path_of(vcenter, inputs["datacenterId"], folder)
    if path is None:
        return None
    # A leading slash of the user's is no difference.
    return {"path": inputs["path"] if inputs["path"].strip("/") == path else path}


def _update(vcenter: VCenter, identity: str, _old: Values, new: Values) -> None:
    parent, _, name = new["path"].strip("/").rpartition("/")
    folder = vcenter.reference(vim.Folder, identity)
    move(vcenter, folder, new["datacenterId"], parent, name)


def _delete(vcenter: VCenter, identity: str) -> None:
    folder = vcenter.reference(vim.Folder, identity)
    held = vcenter.objects({vim.Folder: ("name",)})
    if folder not in held:
        return
    # Destroying a folder would destroy what is in it.
    if vcenter.properties(folder, "childEntity").get("childEntity"):
        raise VCenterError(
            f"folder {held[folder]['name']!r} is not empty: remove what is in it before deleting it"
        )
    vcenter.wait(lambda: folder.Destroy_Task())


KIND = ResourceKind(
    arguments=pulumi_vsphere.FolderArgs,
    replaced_by=frozenset({"type", "datacenterId"}),
    computed=frozenset(),
    kept={},
    plan=_plan,
    create=_create,
    observe=_observe,
    update=_update,
    delete=_delete,
)
