"""Machines from a template on the real engine: stand-in plugin, simulated vCenter."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_vsphere as vsphere
import pytest
import yaml
from pulumi import automation

from components.configuration import load
from components.vsphere_inventory import look_up
from components.vsphere_nodes import Machine, VsphereNodes, VsphereNodesArgs
from lab.vcenter import VCenter, connect
from lab.vsphere_api import ManagedObject, vim
from mesh.nodes import node_generation, nodes
from tests.engine.conftest import Engine, simulator

pytestmark = [pytest.mark.engine, pytest.mark.timeout(200)]

WORKERS = ["10.11.85.12", "10.11.85.13", "10.11.85.14"]


def program() -> None:
    """The part of the program that asks a vCenter and makes machines."""
    configuration = load()
    settings = configuration.settings
    vcenter = vsphere.Provider(
        "vcenter",
        vsphere_server=settings.vsphere.server,
        user=settings.vsphere.user,
        password=configuration.vcenter_password,
        allow_unverified_ssl=True,
    )
    arguments = VsphereNodesArgs(
        inventory=look_up(settings, vcenter),
        folder=settings.vsphere.folder,
        machines=[
            Machine(
                node=node,
                guestinfo=pulumi.Output.secret({"guestinfo.userdata": "nothing"}),
                generation=node_generation(settings, node),
            )
            for node in nodes(settings)
        ],
        protect_control_planes=False,
    )
    VsphereNodes("nodes", arguments, pulumi.ResourceOptions(providers=[vcenter]))


@dataclass(frozen=True)
class Site:
    """A stack, its file, and the vCenter its machines are made in."""

    engine: Engine
    stack: automation.Stack
    address: str

    def set(self, group: str, **fields: object) -> None:
        file = self.engine.project / "Pulumi.east.yaml"
        document: dict[str, Any] = yaml.safe_load(file.read_text())
        document["config"][f"vsphere-cluster-mesh:{group}"] |= fields
        file.write_text(yaml.safe_dump(document))

    def vcenter(self) -> closing[VCenter]:
        host, _, port = self.address.rpartition(":")
        return closing(connect(host, int(port), "automation@vsphere.local", "battery staple"))

    def refusals(self) -> Iterator[str]:
        for attempt in (self.stack.preview, self.stack.up):
            with pytest.raises(automation.CommandError) as failed:
                attempt()
            assert "Traceback" not in str(failed.value)
            yield str(failed.value)
        kinds = self.engine.resource_types("east")
        assert kinds == {"pulumi:pulumi:Stack", "pulumi:providers:vsphere"}


@pytest.fixture
def site(engine: Engine) -> Iterator[Site]:
    if not (engine.root / "bin/vcsim").is_file():
        pytest.skip("THE INVENTORY IS NOT TESTED: no vcsim beside bin/pulumi")
    with simulator(engine) as address:
        site = Site(engine, engine.stack("east", program), address)
        site.set("vsphere", server=address)
        yield site


def rebuild_template(vcenter: VCenter) -> None:
    """Give the template another guest, firmware, controller, card and kind of disk."""
    machines = vcenter.objects({vim.VirtualMachine: ("name",)})
    [template] = [m for m, held in machines.items() if held["name"] == "kubernetes-1.36.3"]
    held = vcenter.properties(template, "config.hardware.device")["config.hardware.device"]
    # A template can't be changed; a virtual machine can.
    vcenter.call(lambda: template.MarkAsVirtualMachine(pool=a_pool(vcenter)))
    other = vim.vm.ConfigSpec(
        guestId="debian12_64Guest", firmware="bios", deviceChange=device_changes(held)
    )
    vcenter.wait(lambda: template.ReconfigVM_Task(spec=other))
    vcenter.call(lambda: template.MarkAsTemplate())


def a_pool(vcenter: VCenter) -> ManagedObject:
    return next(iter(vcenter.objects({vim.ResourcePool: ("name",)})))


def device_changes(held: list[ManagedObject]) -> list[ManagedObject]:
    device = vim.vm.device
    [disk] = [one for one in held if isinstance(one, device.VirtualDisk)]
    [card] = [one for one in held if isinstance(one, device.VirtualEthernetCard)]
    [scsi] = [one for one in held if isinstance(one, device.VirtualSCSIController)]
    disk.backing.thinProvisioned = not disk.backing.thinProvisioned
    disk.backing.eagerlyScrub = not disk.backing.eagerlyScrub
    other_card = device.VirtualE1000(key=-1, backing=card.backing, connectable=card.connectable)
    other_scsi = device.VirtualLsiLogicController(
        key=scsi.key, busNumber=scsi.busNumber, sharedBus=scsi.sharedBus
    )
    changes = [(disk, "edit"), (other_scsi, "edit"), (card, "remove"), (other_card, "add")]
    return [device.VirtualDeviceSpec(operation=operation, device=one) for one, operation in changes]


def state_of_machines(site: Site) -> list[str]:
    deployment = site.stack.export_stack().deployment
    assert deployment is not None
    return [
        json.dumps(resource["inputs"])
        for resource in deployment["resources"]
        if resource["type"] == "vsphere:index/virtualMachine:VirtualMachine"
    ]


def test_a_rebuilt_template_changes_new_machines_only(site: Site) -> None:
    site.stack.up()
    with site.vcenter() as vcenter:
        rebuild_template(vcenter)
    site.stack.preview(expect_no_changes=True)

    site.set("nodes", worker={"addresses": WORKERS, "diskGib": 120})
    assert site.stack.up().summary.resource_changes == {
        automation.OpType.UPDATE: len(WORKERS),
        automation.OpType.SAME: 6,
    }
    assert not any("debian12" in machine for machine in state_of_machines(site))

    # A machine of another generation is made like the template is now.
    site.set("network", gateway="10.11.84.9")
    site.stack.up()
    machines = state_of_machines(site)
    assert len(machines) == 1 + len(WORKERS)
    for machine in machines:
        for word in ("debian12_64Guest", "bios", "lsilogic", "e1000", '"eagerlyScrub": true'):
            assert word in machine


def test_every_name_a_vcenter_does_not_know_is_said_before_anything_is_made(site: Site) -> None:
    wrong = {"cluster": "No1", "datastore": "No2", "portGroup": "No3", "template": "No4"}
    site.set("vsphere", **wrong, folder="no5/east")
    for said in site.refusals():
        for key, name in wrong.items():
            words = f"Pulumi.east.yaml: vsphere.{key}: '{name}' can't be used: no "
            assert words in said
            assert f"is named '{name}'; there are: " in said
        assert "vsphere.folder: 'no5/east' can't be used: folder 'no5' does not exist" in said


def test_a_datacenter_a_vcenter_does_not_know_is_said_alone(site: Site) -> None:
    site.set("vsphere", datacenter="Nope", template="Nope")
    for said in site.refusals():
        assert "vsphere.datacenter: 'Nope' can't be used: no datacenter is named 'Nope'" in said
        assert "vsphere.template" not in said


def test_a_disk_smaller_than_the_templates_is_refused(site: Site) -> None:
    site.set("nodes", worker={"addresses": WORKERS, "diskGib": 19})
    for said in site.refusals():
        assert (
            "Pulumi.east.yaml: nodes.worker.diskGib: 19 is less than the 20 GiB that the disk of "
            "template kubernetes-1.36.3 has: write 20 or more"
        ) in said
