"""The supervisor follows a vCenter, with nodes that are only remembered."""

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from typing import cast

import pytest
from pyroute2 import NetlinkError

from lab import node, supervisor
from lab.node import Node
from lab.supervisor import Supervisor
from lab.vcenter import VCenter, VCenterError
from tests.lab.remembered_nodes import TEMPLATE, FakeVCenter, Nodes, machine

TROUBLE = pytest.mark.parametrize(
    "error",
    [
        OSError(28, "No space left on device"),
        NetlinkError(3, "No such process"),
        subprocess.CalledProcessError(1, "cp"),
    ],
    ids=lambda error: type(error).__name__,
)


@pytest.fixture
def nodes(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Nodes:
    # Not tmp_path, which has the test's name in it: a socket's path has 107 characters at most.
    made = Nodes(tmp_path_factory.mktemp("nodes"))
    for name in vars(Nodes):
        if not name.startswith("_"):
            monkeypatch.setattr(node, name, getattr(made, name))
    monkeypatch.setattr(Node, "is_running", lambda known: known.name not in made.dead)
    monkeypatch.setattr(supervisor, "POLL_SECONDS", 0.01)
    return made


@pytest.fixture
def vcenter() -> FakeVCenter:
    return FakeVCenter()


@pytest.fixture
def supervised(vcenter: FakeVCenter, quick_doors: None) -> Iterator[Supervisor]:
    made = Supervisor(cast("VCenter", vcenter), TEMPLATE)
    yield made
    for door in made._doors.values():
        door.close()


def rpc(nodes: Nodes, name: str, request: str) -> dict[str, object]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(nodes.directory(name) / "guestinfo" / "socket"))
        connection.sendall(f"{request}\n".encode())
        connection.shutdown(socket.SHUT_WR)
        reply: dict[str, object] = json.loads(connection.makefile().read())
    return reply


def test_what_is_powered_on_starts_once_and_with_its_door_open(
    supervised: Supervisor, nodes: Nodes
) -> None:
    wanted = [machine("east-control-plane-1"), machine("east-worker-1", on=False)]
    for _ in range(3):
        supervised.follow(wanted)
    assert nodes.done == ["disks east-control-plane-1", "start east-control-plane-1 1"]


def test_what_is_powered_off_stops_and_keeps_its_disks(
    supervised: Supervisor, nodes: Nodes
) -> None:
    supervised.follow([machine("east-worker-1")])
    supervised.follow([machine("east-worker-1", on=False)])
    assert nodes.done[2:] == ["stop east-worker-1"]
    supervised.follow([machine("east-worker-1")])
    assert nodes.done[-1] == "start east-worker-1 1"


def test_what_is_removed_loses_its_disks_and_the_others_go_on(
    supervised: Supervisor, nodes: Nodes
) -> None:
    supervised.follow([machine("east-worker-1"), machine("east-worker-2")])
    supervised.follow([machine("east-worker-1")])
    assert nodes.done[4:] == ["wipe east-worker-2"]
    assert [known.name for known in nodes.all_recorded()] == ["east-worker-1"]


def test_another_machine_under_the_same_name_starts_on_disks_of_its_own(
    supervised: Supervisor, nodes: Nodes
) -> None:
    supervised.follow([machine("east-worker-1", uuid="1")])
    supervised.follow([machine("east-worker-1", uuid="2")])
    expected = ["wipe east-worker-1", "disks east-worker-1", "start east-worker-1 2"]
    assert nodes.done[2:] == expected


def test_a_node_whose_processes_died_is_started_again(supervised: Supervisor, nodes: Nodes) -> None:
    supervised.follow([machine("east-worker-1")])
    nodes.dead.add("east-worker-1")
    supervised.follow([machine("east-worker-1")])
    assert nodes.done[2:] == ["stop east-worker-1", "disks east-worker-1", "start east-worker-1 1"]


def test_a_supervisor_that_starts_anew_leaves_nodes_running_and_opens_their_doors(
    supervised: Supervisor, nodes: Nodes, vcenter: FakeVCenter
) -> None:
    nodes.known["east-worker-1"] = Node(pid=1, started=0, name="east-worker-1", uuid="1")
    (nodes.directory("east-worker-1") / "guestinfo").mkdir(parents=True)
    vcenter.machines = [machine("east-worker-1", metadata="m")]
    supervised.follow(vcenter.machines)
    assert nodes.done == []
    assert rpc(nodes, "east-worker-1", "info-get guestinfo.metadata") == {"ok": True, "value": "m"}


def test_each_node_is_answered_of_its_own_machine_as_it_is_now(
    supervised: Supervisor, nodes: Nodes, vcenter: FakeVCenter
) -> None:
    vcenter.machines = [machine("east-worker-1", userdata="old"), machine("east-worker-2")]
    supervised.follow(vcenter.machines)
    vcenter.machines = [machine("east-worker-1", userdata="new"), machine("east-worker-2")]
    assert rpc(nodes, "east-worker-1", "info-get guestinfo.userdata")["value"] == "new"
    assert rpc(nodes, "east-worker-2", "info-get guestinfo.userdata")["ok"] is False
    rpc(nodes, "east-worker-2", "info-set guestinfo.mesh.status done")
    assert vcenter.set == [("vm-east-worker-2-1", {"guestinfo.mesh.status": "done"})]


def test_a_machine_that_took_a_name_over_is_answered_of_its_own(
    supervised: Supervisor, nodes: Nodes, vcenter: FakeVCenter
) -> None:
    for uuid in ("1", "2"):
        vcenter.machines = [machine("east-worker-1", uuid=uuid, metadata=uuid)]
        supervised.follow(vcenter.machines)
    assert rpc(nodes, "east-worker-1", "info-get guestinfo.metadata")["value"] == "2"


def test_a_machine_removed_after_it_was_powered_off_leaves_no_disks(
    supervised: Supervisor, nodes: Nodes
) -> None:
    supervised.follow([machine("east-worker-1")])
    supervised.follow([machine("east-worker-1", on=False)])
    supervised.follow([])
    assert nodes.done[2:] == ["stop east-worker-1", "wipe disks east-worker-1"]
    assert nodes.names_with_disks() == set()


def test_disks_that_an_earlier_supervisor_left_are_removed(
    supervised: Supervisor, nodes: Nodes
) -> None:
    nodes.directory("east-worker-9").mkdir()
    supervised.follow([machine("east-worker-1", on=False)])
    assert nodes.done == ["wipe disks east-worker-9"]


@TROUBLE
def test_a_node_that_cannot_start_keeps_no_other_from_starting(
    supervised: Supervisor, nodes: Nodes, error: Exception
) -> None:
    nodes.failing["east-worker-1"] = error
    supervised.follow([machine("east-worker-1"), machine("east-worker-2")])
    assert "start east-worker-2 1" in nodes.done


@TROUBLE
def test_a_node_that_cannot_be_ended_keeps_no_other_from_ending_or_starting(
    supervised: Supervisor, nodes: Nodes, error: Exception
) -> None:
    supervised.follow([machine("east-worker-1"), machine("east-worker-2")])
    nodes.failing["east-worker-1"] = error
    off = [machine("east-worker-1", on=False), machine("east-worker-2", on=False)]
    supervised.follow([*off, machine("east-worker-3")])
    assert nodes.done[4:] == [
        "stop east-worker-2",
        "disks east-worker-3",
        "start east-worker-3 1",
    ]
    nodes.failing.clear()
    supervised.follow([])
    assert "wipe east-worker-1" in nodes.done


@pytest.fixture
def following(supervised: Supervisor) -> Iterator[threading.Thread]:
    thread = threading.Thread(target=supervised.run)
    thread.start()
    yield thread
    supervised.stop()
    thread.join(10)
    assert not thread.is_alive()


def await_done(nodes: Nodes, wanted: str) -> None:
    pause = threading.Event()
    for _ in range(500):
        if wanted in nodes.done:
            return
        pause.wait(0.02)
    pytest.fail(f"{wanted!r} was never done, only {nodes.done}")


def test_a_node_that_cannot_start_does_not_end_the_supervisor(
    following: threading.Thread, nodes: Nodes, vcenter: FakeVCenter
) -> None:
    nodes.failing["east-worker-1"] = NetlinkError(3, "No such process")
    vcenter.machines = [machine("east-worker-1")]
    await_done(nodes, "disks east-worker-1")
    nodes.failing.clear()
    await_done(nodes, "start east-worker-1 1")
    assert following.is_alive()


def test_a_vcenter_that_does_not_answer_is_waited_for_and_no_node_is_touched(
    following: threading.Thread, nodes: Nodes, vcenter: FakeVCenter
) -> None:
    vcenter.machines = [machine("east-worker-1")]
    await_done(nodes, "start east-worker-1 1")
    vcenter.failure = VCenterError("no answer from vCenter")
    threading.Event().wait(0.1)
    assert len(nodes.done) == 2
    vcenter.failure, vcenter.machines = None, []
    await_done(nodes, "wipe east-worker-1")
    assert following.is_alive()


def test_a_supervisor_that_is_told_to_stop_leaves_the_nodes_as_they_are(
    supervised: Supervisor, nodes: Nodes, vcenter: FakeVCenter
) -> None:
    supervised.follow([machine("east-worker-1")])
    supervised.stop()
    vcenter.machines = []
    supervised.run()
    assert nodes.done[2:] == []
