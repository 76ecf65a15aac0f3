import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from lab.vcenter import VCenter, VCenterError, VirtualMachine, connect
from lab.vsphere_api import vim
from lab.vsphere_stand_in.lookups import LOOKUPS
from lab.vsphere_stand_in.virtual_machine import KIND

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]


def looked_up(vcenter: VCenter, what: str, **inputs: object) -> dict[str, str]:
    return dict(LOOKUPS[f"vsphere:index/get{what}:get{what}"].answer(vcenter, inputs))


def make(vcenter: VCenter, name: str) -> str:
    template = looked_up(vcenter, "VirtualMachine", name="kubernetes-1.36.3")
    return KIND.create(
        vcenter,
        {
            "name": name,
            "folder": "mesh",
            "resourcePoolId": looked_up(vcenter, "ComputeCluster", name="Compute")[
                "resourcePoolId"
            ],
            "guestId": template["guestId"],
            "clone": {"templateUuid": template["id"]},
            "disks": [{"label": "disk0", "size": 20}],
            "networkInterfaces": [{"networkId": looked_up(vcenter, "Network", name="Nodes")["id"]}],
            "extraConfig": {"guestinfo.metadata": "metadata"},
        },
    )


@pytest.fixture
def machine(vcenter: VCenter) -> Iterator[VirtualMachine]:
    identity = make(vcenter, "east-control-plane-1")
    yield vcenter.virtual_machines()[0]
    KIND.delete(vcenter, identity)


def test_a_template_is_no_virtual_machine(vcenter: VCenter) -> None:
    assert vcenter.virtual_machines() == []


def test_a_machine_is_seen_with_what_a_supervisor_needs(machine: VirtualMachine) -> None:
    assert (machine.name, machine.folder, machine.powered_on) == (
        "east-control-plane-1",
        "mesh",
        True,
    )
    assert machine.extra_config["guestinfo.metadata"] == "metadata"
    assert "metadata" not in repr(machine)


def test_keys_are_set_changed_and_removed(vcenter: VCenter, machine: VirtualMachine) -> None:
    vcenter.set_extra_config(machine.moid, {"guestinfo.mesh.status": "one", "other": ""})
    vcenter.set_extra_config(machine.moid, {"guestinfo.mesh.status": "two"})
    held = vcenter.virtual_machines()[0].extra_config
    assert held["guestinfo.mesh.status"] == "two"
    assert "other" not in held
    vcenter.set_extra_config(machine.moid, {"guestinfo.mesh.status": ""})
    assert "guestinfo.mesh.status" not in vcenter.virtual_machines()[0].extra_config


def test_a_session_that_ended_is_renewed(vcenter: VCenter) -> None:
    vcenter.call(lambda: vcenter._content.sessionManager.Logout())
    assert vcenter.virtual_machines() == []


def test_a_failed_task_tells_the_server_and_the_reason(
    vcenter: VCenter, machine: VirtualMachine
) -> None:
    with pytest.raises(VCenterError, match=r"127\.0\.0\.1: DuplicateName east-control-plane-1"):
        make(vcenter, machine.name)


def test_an_unreachable_server_is_named() -> None:
    with pytest.raises(VCenterError, match=r"no answer from vCenter 127\.0\.0\.1 port 1"):
        connect("127.0.0.1", 1, "user", "password")


def test_a_server_that_accepts_and_never_answers_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lab.vcenter.CALL_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(
            VCenterError, match=f"no answer from vCenter .* port {port}: .*timed out"
        ):
            connect("127.0.0.1", port, "user", "password")


def test_a_cancelled_wait_ends_with_an_error(
    vcenter: VCenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_ends(vcenter, monkeypatch)
    vcenter.cancel()
    with pytest.raises(VCenterError, match=r"127\.0\.0\.1: cancelled while waiting"):
        vcenter.wait(lambda: "a task")


def test_a_task_that_hangs_is_given_up(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    never_ends(vcenter, monkeypatch)
    with pytest.raises(VCenterError, match="did not end in 0 s"):
        vcenter.wait(lambda: "a task", seconds=0)


def never_ends(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch) -> None:
    running = {"info.state": vim.TaskInfo.State.running}
    monkeypatch.setattr(vcenter, "properties", lambda *_: running)


def test_many_machines_are_made_at_once_in_one_session(vcenter: VCenter) -> None:
    names = [f"east-worker-{number}" for number in range(1, 9)]
    with ThreadPoolExecutor(len(names)) as pool:
        identities = list(pool.map(lambda name: make(vcenter, name), names))
        assert [machine.name for machine in vcenter.virtual_machines()] == names
        list(pool.map(lambda identity: KIND.delete(vcenter, identity), identities))
    assert vcenter.virtual_machines() == []
