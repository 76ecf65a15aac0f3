"""What a vCenter has already: looked up by the names in the stack file."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import pulumi
import pulumi_vsphere as vsphere
from pulumi import InvokeOptions

from mesh.nodes import nodes
from mesh.settings import Problem, Settings, SettingsError, file_of

_Found = TypeVar("_Found")
_DISKS = {"control-plane": "nodes.controlPlane.diskGib", "worker": "nodes.worker.diskGib"}
# What the SDK, the engine and the plugin each put before the words that matter.
_WRAPPING = re.compile(r"(invoke of|invocation of|invoking) \S+( failed| returned an error)?:? ")


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """The places and the template that virtual machines are made from, as ids of the vCenter."""

    datacenter_id: str
    compute_cluster_id: str
    resource_pool_id: str
    datastore_id: str
    network_id: str
    template: vsphere.GetVirtualMachineResult

    def disk(self, size_gib: int) -> vsphere.VirtualMachineDiskArgsDict:
        """Return the one disk of a machine, of the kind the template has."""
        first = self.template.disks[0]
        return {
            "label": "disk0",
            "size": size_gib,
            "thin_provisioned": first.thin_provisioned,
            "eagerly_scrub": first.eagerly_scrub,
        }

    def network_interface(self) -> vsphere.VirtualMachineNetworkInterfaceArgsDict:
        """Return the one network interface of a machine, of the kind the template has."""
        return {
            "network_id": self.network_id,
            "adapter_type": self.template.network_interface_types[0],
        }


def look_up(settings: Settings, provider: vsphere.Provider) -> Inventory:
    """Return the inventory behind the names in the settings, once the vCenter has answered.

    Raises RunError with a line for every name that the vCenter refuses, and for every disk that
    is smaller than the template's.
    """
    names, vcenter = settings.vsphere, _VCenter(provider)
    datacenter = vcenter.find("datacenter", names.datacenter, vsphere.get_datacenter)
    if datacenter is None:
        raise vcenter.refusal()  # the others lie in it
    within = {"datacenter_id": datacenter.id}
    cluster = vcenter.find("cluster", names.cluster, vsphere.get_compute_cluster, **within)
    datastore = vcenter.find("datastore", names.datastore, vsphere.get_datastore, **within)
    network = vcenter.find("portGroup", names.port_group, vsphere.get_network, **within)
    vcenter.find_parent_folder(names.datacenter, names.folder)
    template = vcenter.find("template", names.template, vsphere.get_virtual_machine, **within)
    if template is not None:
        vcenter.problems += _template_problems(settings, template)
    if not (cluster and datastore and network and template) or vcenter.problems:
        raise vcenter.refusal()
    return Inventory(
        datacenter_id=datacenter.id,
        compute_cluster_id=cluster.id,
        resource_pool_id=cluster.resource_pool_id,
        datastore_id=datastore.id,
        network_id=network.id,
        template=template,
    )


class _VCenter:
    """Asks a vCenter for what it has, and keeps what it refuses as problems of the settings."""

    def __init__(self, provider: vsphere.Provider) -> None:
        self.problems: list[Problem] = []
        self._provider = provider

    def find(
        self, key: str, name: str, question: Callable[..., _Found], **within: str
    ) -> _Found | None:
        return self._ask(key, name, question, {"name": name, **within})

    def find_parent_folder(self, datacenter: str, folder: str) -> None:
        # The folder itself is the program's to make; the one it lies in is not.
        parent, _, _ = folder.strip("/").rpartition("/")
        if parent:
            path = f"/{datacenter.strip('/')}/vm/{parent}"
            self._ask("folder", folder, vsphere.get_folder, {"path": path})

    def refusal(self) -> pulumi.RunError:
        return pulumi.RunError(str(SettingsError(tuple(self.problems))))

    def _ask(
        self, key: str, value: str, question: Callable[..., _Found], asked: dict[str, str]
    ) -> _Found | None:
        try:
            # Not the _output form: there, a failure that is caught here still fails the run.
            return question(**asked, opts=InvokeOptions(provider=self._provider))
        except Exception as error:  # the SDK raises no narrower one
            words = " ".join(_WRAPPING.sub("", str(error)).split())
            self.problems.append(_problem(f"vsphere.{key}", value, "can't be used", words))
            return None


def _template_problems(
    settings: Settings, template: vsphere.GetVirtualMachineResult
) -> Iterator[Problem]:
    name = settings.vsphere.template
    if not template.disks or not template.network_interface_types:
        reason = "has no disk or no network interface"
        yield _problem("vsphere.template", name, reason, "name a template that has one of each")
        return
    size = template.disks[0].size
    for role, wanted in {node.role: node.disk_gib for node in nodes(settings)}.items():
        if wanted < size:
            reason = f"is less than the {size} GiB that the disk of template {name} has"
            yield _problem(_DISKS[role], wanted, reason, f"write {size} or more")


def _problem(key: str, value: object, reason: str, instead: str) -> Problem:
    return Problem(file_of(pulumi.get_stack()), key, value, reason, instead)
