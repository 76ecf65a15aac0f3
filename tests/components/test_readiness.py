"""The hook that waits: what it asks vCenter, what it tells, how it fails."""

import asyncio
from collections.abc import Callable
from ipaddress import IPv4Address
from types import SimpleNamespace
from typing import Any

import pulumi
import pulumi_vsphere as vsphere
import pytest

from components import readiness
from mesh.nodes import Node
from mesh.pki import KeyPair
from mesh.readiness import NotReadyError, Wait

NODE = Node("east-worker-1", "worker", IPv4Address("10.11.85.12"), 8, 32, 100)
WAIT = Wait(server="https://x", ca="", admin=KeyPair("", ""), nodes=(NODE,), bound=1)
VCENTER: Any = object()


class Machine:
    """A virtual machine whose id the engine knows already."""

    @property
    def id(self) -> Any:
        return Known("uuid-1")


class Known:
    """An output that is known."""

    def __init__(self, value: object) -> None:
        self._value = value

    async def future(self) -> object:
        return self._value


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[Any], Any]]:
    made: list[Callable[[Any], Any]] = []
    monkeypatch.setattr(readiness, "ResourceHook", lambda name, function: made.append(function))
    return made


def run_hook(
    hooks: list[Callable[[Any], Any]], monkeypatch: pytest.MonkeyPatch, wait: Callable[..., None]
) -> None:
    machines: Any = {NODE.name: Machine()}
    known: Any = Known(WAIT)
    monkeypatch.setattr(readiness, "wait_until_ready", wait)
    readiness.ready_hook("east-ready", known, machines, VCENTER)
    asyncio.run(hooks[0](None))


def test_a_node_is_asked_by_its_machines_identity_for_its_status_only(
    hooks: list[Callable[[Any], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    stages: list[str] = []

    def get_virtual_machine(**question: Any) -> Any:
        asked.append(question)
        status = '{"stage": "containerd", "state": "running"}'
        return SimpleNamespace(extra_config={"guestinfo.mesh.status": status})

    monkeypatch.setattr(vsphere, "get_virtual_machine", get_virtual_machine)
    run_hook(hooks, monkeypatch, lambda wait, report, stage_of: stages.append(stage_of(NODE)))
    assert stages == ["containerd running"]
    assert asked[0]["uuid"] == "uuid-1"
    assert asked[0]["extra_config"] == {"guestinfo.mesh.status": ""}
    assert asked[0]["opts"].provider is VCENTER


def test_a_vcenter_that_does_not_answer_does_not_end_the_wait(
    hooks: list[Callable[[Any], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def get_virtual_machine(**_: Any) -> Any:
        raise ConnectionError("session is gone")

    stages: list[str] = []
    monkeypatch.setattr(vsphere, "get_virtual_machine", get_virtual_machine)
    run_hook(hooks, monkeypatch, lambda wait, report, stage_of: stages.append(stage_of(NODE)))
    assert stages == ["can't be asked for its stage (session is gone)"]


def test_progress_is_shown_as_lines_of_the_engine(
    hooks: list[Callable[[Any], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    monkeypatch.setattr(pulumi.log, "info", lines.append)
    run_hook(hooks, monkeypatch, lambda wait, report, stage_of: report("still waiting"))
    assert lines == ["still waiting"]


def test_a_cluster_that_is_not_ready_fails_the_hook(
    hooks: list[Callable[[Any], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise NotReadyError("east-worker-1 is missing")

    with pytest.raises(NotReadyError, match="east-worker-1 is missing"):
        run_hook(hooks, monkeypatch, fail)
