"""The shipped program on the real engine: real Kubernetes plugin, stand-in vSphere, simulator."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi import automation

from tests.engine.conftest import PROJECT, Engine, simulator

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]

CHART = {
    "Chart.yaml": "apiVersion: v2\nname: {name}\nversion: {version}\n",
    "templates/config-map.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata: {{}}\n"
    ),
}


def program() -> None:
    runpy.run_path(str(PROJECT / "__main__.py"), run_name="__main__")


def write_chart(directory: Path, name: str, version: str) -> str:
    for file, text in CHART.items():
        path = directory / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(name=name, version=version))
    return str(directory / name)


def adapt(engine: Engine, stack: str, address: str) -> None:
    """Point a stack at the simulator, at charts that need no network, at nodes nobody is."""
    file = engine.project / f"Pulumi.{stack}.yaml"
    # Loopback: on a network of the test's host somebody might answer at the shipped addresses.
    document: dict[str, Any] = yaml.safe_load(file.read_text().replace("10.11.", "127.11."))
    config = document["config"]
    key = "vsphere-cluster-mesh:"
    config[f"{key}vsphere"] |= {"server": address, "allowUnverifiedTls": True}
    config[f"{key}nodes"] |= {"readyTimeoutMinutes": 1, "protectControlPlanes": False}
    config[f"{key}charts"] = {
        "cilium": {"chart": write_chart(engine.home, "cilium", "1.20.2")},
        "metallb": {"chart": write_chart(engine.home, "metallb", "0.16.1")},
    }
    file.write_text(yaml.safe_dump(document))


@pytest.fixture
def east(engine: Engine) -> Iterator[automation.Stack]:
    tools = engine.root / "bin"
    for needed in ("vcsim", "pulumi-resource-kubernetes"):
        if not (tools / needed).is_file():
            pytest.skip(f"THE WHOLE PROGRAM IS NOT TESTED: no {needed} beside bin/pulumi")
    with simulator(engine) as address:
        for stack in ("east", "west"):
            adapt(engine, stack, address)
        engine.stack("west", program)
        yield engine.stack("east", program)


def test_a_first_preview_shows_the_whole_cluster(east: automation.Stack) -> None:
    steps = east.preview().change_summary
    assert steps[automation.OpType.CREATE] >= 30


def test_machines_are_made_and_what_never_starts_is_named(
    east: automation.Stack, engine: Engine
) -> None:
    with pytest.raises(automation.CommandError) as failed:
        east.up(parallel=1)
    said = str(failed.value)
    assert "https://127.11.85.11:6443 is not ready after 60 s" in said
    assert "east-worker-3 at 127.11.85.14: has not reported yet" in said
    assert "vsphere:index/virtualMachine:VirtualMachine" in engine.resource_types("east")
    assert "pulumi:providers:kubernetes" not in engine.resource_types("east")
    state = engine.state_text("east")
    assert "BEGIN" not in state
    assert "H4sI" not in state  # gzip in base64: user data in clear
