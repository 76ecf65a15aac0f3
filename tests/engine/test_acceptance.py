"""Acceptance on the real engine and a real API server, with everything but pods that run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pulumi
import pulumi_kubernetes
import pytest
import yaml
from pulumi import automation

from components.acceptance import Acceptance, acceptance_args
from components.configuration import load
from components.peers import known_peers, last_exports
from mesh.acceptance.probe.plan import Plan
from tests.cli.conftest import Kubernetes, kubernetes
from tests.cli.controllers import controllers, result_of
from tests.engine.conftest import NAME, Engine
from tests.engine.metallb_controller import skip_without_the_plugin

__all__ = ["kubernetes"]

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]


class Runs:
    """What the Jobs find: west answers, or is silent."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.west = "passed"

    def __call__(self, plan: Plan) -> str:
        self.plans.append(plan)
        return result_of(plan, west=self.west)

    @property
    def names(self) -> list[str]:
        return [plan.run for plan in self.plans]


async def acceptance_alone(kubeconfig: str) -> dict[str, Any]:
    """The program without machines and charts."""
    configuration = load()
    settings = configuration.settings
    last = await last_exports(settings.mesh.authority, configuration.peers)
    peers = known_peers(configuration.peers, last)
    access = pulumi_kubernetes.Provider("access", kubeconfig=kubeconfig)
    args = acceptance_args(settings, peers, access)
    made = Acceptance("acceptance", args, pulumi.ResourceOptions(providers=[access]))
    return {"acceptance": made.results}


def set_acceptance(engine: Engine, value: object) -> None:
    file = engine.project / "Pulumi.east.yaml"
    document = yaml.safe_load(file.read_text())
    document["config"][f"{NAME}:acceptance"] = value
    file.write_text(yaml.safe_dump(document))


@pytest.fixture
def runs(kubernetes: Kubernetes) -> Iterator[Runs]:
    found = Runs()
    with controllers(kubernetes, found):
        yield found


def results(stack: automation.Stack) -> list[str]:
    return [one["result"] for one in stack.outputs()["acceptance"].value]


def test_a_run_is_repeated_when_it_failed_and_not_when_nothing_changed(
    engine: Engine, kubernetes: Kubernetes, runs: Runs
) -> None:
    skip_without_the_plugin(engine.root)
    set_acceptance(engine, True)
    inside = partial(acceptance_alone, kubernetes.kubeconfig)
    engine.stack("west", lambda: None)
    stack = engine.stack("east", partial(pulumi.run, inside))

    stack.preview()
    stack.up()
    assert results(stack) == ["pass"]
    stack.preview(expect_no_changes=True)
    stack.up(expect_no_changes=True)
    assert len(runs.names) == 1

    runs.west = "silence"
    set_acceptance(engine, {"required": True, "image": "registry.example.com/python:3.13"})
    with pytest.raises(automation.CommandError, match="east -> west: pod by TCP: fail: seen"):
        stack.up()
    failed = runs.names[-1]
    with pytest.raises(automation.CommandError, match="tunnel between the nodes is blocked"):
        stack.up()
    assert runs.names[-1] != failed

    runs.west = "passed"
    stack.up()
    assert len({*runs.names}) == len(runs.names) == 4
    stack.preview(expect_no_changes=True)

    runs.west = "silence"
    set_acceptance(engine, {"image": "registry.example.com/python:3.14"})
    said = stack.up().stdout
    assert "warning: east -> west: pod by TCP: fail" in said
    assert results(stack) == ["fail"]
