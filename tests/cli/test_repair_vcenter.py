"""`mesh repair` in front of a real vCenter simulator."""

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from pulumi_vsphere import ComputeClusterVmAntiAffinityRule, Folder, VirtualMachine

from cli.failure import Failure
from cli.repair.machines import FOLDER, MACHINE, RULE
from cli.vcenter import VCenter
from lab import vcenter as lab_vcenter
from lab.vsphere_api import vim
from lab.vsphere_stand_in import anti_affinity_rule, folder
from lab.vsphere_stand_in.lookups import LOOKUPS
from lab.vsphere_stand_in.virtual_machine import KIND
from tests.cli.conftest import PASSWORD, Mesh, use_vcenter

pytestmark = [
    pytest.mark.engine,
    pytest.mark.timeout(400),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

PATH, NAME, APART = "mesh/east", "east-worker-1", "east-nodes-workers-apart"


def looked_up(vcenter: lab_vcenter.VCenter, what: str, **inputs: object) -> dict[str, str]:
    return dict(LOOKUPS[f"vsphere:index/get{what}:get{what}"].answer(vcenter, inputs))


def make_machine(vcenter: lab_vcenter.VCenter, name: str = NAME, path: str = PATH) -> str:
    template = looked_up(vcenter, "VirtualMachine", name="kubernetes-1.36.3")
    compute = looked_up(vcenter, "ComputeCluster", name="Compute")
    inputs = {
        "name": name,
        "folder": path,
        "resourcePoolId": compute["resourcePoolId"],
        "guestId": template["guestId"],
        "clone": {"templateUuid": template["id"]},
        "disks": [{"label": "disk0", "size": 20}],
        "networkInterfaces": [{"networkId": looked_up(vcenter, "Network", name="Nodes")["id"]}],
        "extraConfig": {"guestinfo.metadata": f"instance-id: {name}-0123456789ab\n"},
    }
    return KIND.create(vcenter, inputs)


def make_folder(vcenter: lab_vcenter.VCenter) -> None:
    datacenter = looked_up(vcenter, "Datacenter", name="Datacenter")["id"]
    folder.KIND.create(vcenter, {"path": PATH, "type": "vm", "datacenterId": datacenter})


def make_rule(vcenter: lab_vcenter.VCenter, *machines: str) -> None:
    compute = looked_up(vcenter, "ComputeCluster", name="Compute")["id"]
    inputs = {"name": APART, "computeClusterId": compute, "virtualMachineIds": list(machines)}
    anti_affinity_rule.KIND.create(vcenter, inputs)


@pytest.fixture
def ours(simulator: str) -> Iterator[VCenter]:
    made = VCenter(simulator, "user", "password", "Datacenter", verify=False)
    with closing(made):
        yield made
        if made.has_rule("Compute", APART):
            made.remove_rule("Compute", APART)
        for machine in (*made.machines(PATH), *made.machines("mesh")):
            made.destroy_machine(machine)
        made.destroy_folder(PATH)


def prepare(mesh: Mesh, server: str, *pending: tuple[str, str]) -> None:
    """A stack whose state says that something was being created."""
    use_vcenter(mesh, server)
    assert mesh.run("init").exit_code == 0
    mesh.pulumi("config", "set", "--secret", "vcenterPassword", PASSWORD, "-s", "east")
    # In the file, as an import forgets what is pending.
    state = json.loads(mesh.state.read_text())
    state["checkpoint"].setdefault("latest", {})["pending_operations"] = [
        {
            "type": "creating",
            "resource": {
                "urn": f"urn:pulumi:east::vsphere-cluster-mesh::{kind}::{name}",
                "type": kind,
                "custom": True,
                "inputs": {"path" if kind == FOLDER else "name": name},
            },
        }
        for kind, name in pending
    ]
    mesh.state.write_text(json.dumps(state))


def test_types_are_those_of_the_sdk() -> None:
    resources: tuple[Any, ...] = (VirtualMachine, Folder, ComputeClusterVmAntiAffinityRule)
    assert [one.pulumi_type for one in resources] == [MACHINE, FOLDER, RULE]


def test_what_a_cut_creation_left_in_vcenter_is_taken_away(
    mesh: Mesh, simulator: str, vcenter: lab_vcenter.VCenter, ours: VCenter
) -> None:
    make_folder(vcenter)
    first, second = make_machine(vcenter), make_machine(vcenter, "east-worker-2")
    make_machine(vcenter, "east-worker-3", "mesh")
    make_rule(vcenter, first, second)
    workers = ((MACHINE, NAME), (MACHINE, "east-worker-2"))
    prepare(mesh, simulator, (FOLDER, PATH), *workers, (RULE, APART))

    looked = mesh.run("repair", "east", "--dry-run")
    assert "dry run, nothing was done" in looked.output, looked.exception
    assert len(ours.machines(PATH)) == 2

    repaired = mesh.run("repair", "east", "--yes")
    assert repaired.exit_code == 0, (repaired.output, repaired.exception)
    for line in (f"remove the rule {APART}", f"delete virtual machine {NAME}", f"folder {PATH}"):
        assert line in repaired.output
    assert ours.folder_members(PATH) is None
    assert not ours.has_rule("Compute", APART)
    assert mesh.pending == []
    outside = [machine.name for machine in ours.machines("mesh")]
    assert outside == ["east-worker-3"]


def test_a_lost_state_costs_nothing_in_vcenter(
    mesh: Mesh, simulator: str, vcenter: lab_vcenter.VCenter, ours: VCenter
) -> None:
    make_folder(vcenter)
    first, second = make_machine(vcenter), make_machine(vcenter, "east-worker-2")
    make_rule(vcenter, first, second)
    prepare(mesh, simulator)
    told = mesh.run("repair", "east", "--yes")
    assert told.exit_code == 0, told.exception
    for what in (f"rule {APART} of Compute", f"folder {PATH}", f"virtual machine {NAME}"):
        [line] = [line for line in told.output.splitlines() if line.startswith(f"  {what}")]
        assert "is left as it is: no creation of it was cut short" in line
    assert "found nothing to repair; next" in told.output
    assert [machine.name for machine in ours.machines(PATH)] == [NAME, "east-worker-2"]
    assert ours.has_rule("Compute", APART)
    for machine in ours.machines(PATH):
        ours.destroy_machine(machine)
    mesh.run("repair", "east", "--yes")
    assert ours.folder_members(PATH) == set()


def test_a_folder_that_others_have_filled_is_left_and_named(
    mesh: Mesh, simulator: str, vcenter: lab_vcenter.VCenter, ours: VCenter
) -> None:
    make_folder(vcenter)
    make_machine(vcenter, "jump-host")
    prepare(mesh, simulator, (FOLDER, PATH))
    told = mesh.run("repair", "east", "--yes")
    assert f"folder {PATH} is left as it is" in told.output, told.exception
    assert "but it isn't empty" in told.output
    assert [machine.name for machine in ours.machines(PATH)] == ["jump-host"]


def test_without_a_vcenter_its_operations_stay_pending(mesh: Mesh) -> None:
    prepare(mesh, "127.0.0.1:1", (MACHINE, NAME), ("kubernetes:core/v1:Service", "etcd"))
    told = mesh.run("repair", "east", "--yes")
    assert "vCenter is not looked at: no answer from vCenter 127.0.0.1:1" in told.output
    assert "pending operations stay in the state until vCenter could be looked at" in str(
        told.exception
    )
    assert len(mesh.pending) == 2


def test_without_a_vcenter_and_with_nothing_under_way_the_last_line_says_so(mesh: Mesh) -> None:
    prepare(mesh, "127.0.0.1:1")
    told = mesh.run("repair", "east", "--yes")
    assert told.exit_code == 0, told.exception
    assert "found nothing to repair, but did not look at vCenter" in told.output


def test_a_place_that_does_not_exist_is_named(simulator: str) -> None:
    with pytest.raises(Failure, match="there is no Datacenter Elsewhere"):
        VCenter(simulator, "user", "password", "Elsewhere", verify=False)


def test_a_folder_with_something_in_it_is_never_destroyed(
    vcenter: lab_vcenter.VCenter, ours: VCenter
) -> None:
    make_folder(vcenter)
    make_machine(vcenter)
    with pytest.raises(Failure, match="is not empty"):
        ours.destroy_folder(PATH)
    assert ours.machines("nowhere") == []
    assert ours.folder_members("nowhere") is None


def test_another_datacenters_compute_cluster_is_not_looked_at(
    vcenter: lab_vcenter.VCenter, ours: VCenter
) -> None:
    datacenter = looked_up(vcenter, "Datacenter", name="Datacenter")["id"]
    here = vcenter.reference(vim.Datacenter, datacenter)
    root = vcenter.properties(here, "parent")["parent"]
    # The last test of its simulator, which can't take a compute cluster away again.
    other = vcenter.call(lambda: root.CreateDatacenter("Abroad"))
    hosts = vcenter.properties(other, "hostFolder")["hostFolder"]
    vcenter.call(lambda: hosts.CreateClusterEx("Away", vim.cluster.ConfigSpecEx()))
    named = "there is no ClusterComputeResource Away in datacenter Datacenter"
    with pytest.raises(Failure, match=named):
        ours.has_rule("Away", APART)
    with pytest.raises(Failure, match=named):
        ours.remove_rule("Away", APART)
