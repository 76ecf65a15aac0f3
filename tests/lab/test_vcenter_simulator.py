"""How the simulated vCenter is started and waited for; itself it isn't run here."""

import subprocess
from typing import Any

import pytest

from lab import daemon, project, vcenter_simulator
from lab.paths import NAME
from lab.vcenter import VCenterError

PLACEMENT = {
    "server": "vcenter.example.com",
    "datacenter": "Datacenter",
    "cluster": "Compute",
    "datastore": "Datastore",
    "portGroup": "Nodes",
    "template": "kubernetes-1.36.3",
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vcenter_simulator, "START_SECONDS", 0.5)


def test_it_gets_the_very_inventory_that_the_stack_file_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(daemon, "start", lambda *given: started.append(given))
    vcenter_simulator.start(PLACEMENT, "mesh")
    [(name, command)] = started
    assert name == "vcsim"
    for option in (
        "-listen=10.11.84.2:443",
        "-datacenter=Datacenter",
        "-cluster=Compute",
        "-datastore=Datastore",
        "-port-group=Nodes",
        "-template=kubernetes-1.36.3",
        "-folder=mesh",
    ):
        assert option in command


def test_it_answers_where_the_shipped_stacks_look_for_names() -> None:
    for stack in project.stacks():
        content = project._load(project.SOURCE / f"Pulumi.{stack}.yaml")
        network = content["config"][f"{NAME}:network"]
        assert network["nameServers"] == [vcenter_simulator.ADDRESS]


def answers(monkeypatch: pytest.MonkeyPatch, failures: int) -> None:
    left = iter(range(failures))

    def connect(*_: object) -> str:
        if next(left, None) is not None:
            raise VCenterError("no answer from vCenter 10.11.84.2 port 443: refused")
        return "session"

    monkeypatch.setattr(vcenter_simulator, "connect", connect)


def test_its_start_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, failures=1)
    monkeypatch.setattr(daemon, "is_running", lambda _: True)
    client: Any = vcenter_simulator.client()
    assert client == "session"


def test_one_that_ended_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, failures=1)
    monkeypatch.setattr(daemon, "is_running", lambda _: False)
    with pytest.raises(VCenterError, match="refused"):
        vcenter_simulator.client()


def test_one_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, failures=1000)
    monkeypatch.setattr(daemon, "is_running", lambda _: True)
    with pytest.raises(VCenterError, match="refused"):
        vcenter_simulator.client()


def test_its_machines_are_named_as_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = "east-control-plane-1 east-worker-1\n"
    finished = subprocess.CompletedProcess([], 0, stdout=printed)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: finished)
    assert vcenter_simulator.machine_names() == ["east-control-plane-1", "east-worker-1"]
