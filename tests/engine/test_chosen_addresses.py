"""Addresses that MetalLB chooses, on the real engine: its own controller, two stacks, three ups."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes
import pytest
import yaml
from pulumi import automation

from components.configuration import load
from components.exposure import Exposure, ExposureArgs
from components.peers import known_peers, last_exports
from mesh.endpoint import planned_endpoint
from mesh.render.cilium_values import cilium_values
from mesh.render.corefile import corefile
from mesh.settings import Settings, sibling_settings
from tests.cli.conftest import Kubernetes, kubernetes
from tests.engine.conftest import NAME, Engine
from tests.engine.metallb_controller import addresses_given, skip_without_the_plugin

__all__ = ["kubernetes"]

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]


async def what_peers_see(kubeconfig: str | None) -> dict[str, Any]:
    """The program without machines and charts; with a kubeconfig, its Services are made there."""
    configuration = load()
    settings = configuration.settings
    last = await last_exports(settings.mesh.authority, configuration.peers)
    peers = known_peers(configuration.peers, last)
    own: Any = planned_endpoint(settings).as_output()
    return {
        "endpoint": exposure(settings, kubeconfig).endpoint if kubeconfig else own,
        "peers": {peer.stack: {"status": peer.status, "next": peer.next_command} for peer in peers},
        "dialled": cilium_values(settings, peers)["clustermesh"]["config"]["clusters"],
        "corefile": corefile(settings, peers),
    }


def exposure(settings: Settings, kubeconfig: str) -> Exposure:
    access = pulumi_kubernetes.Provider("access", kubeconfig=kubeconfig)
    args = ExposureArgs(
        endpoint=planned_endpoint(settings),
        source_ranges=["10.11.84.0/22"],
        lifetime=access,
    )
    return Exposure("exposure", args, pulumi.ResourceOptions(providers=[access]))


def program(kubeconfig: str | None = None) -> None:
    pulumi.run(partial(what_peers_see, kubeconfig))


def leave_to_metallb(engine: Engine, stack: str) -> None:
    file = engine.project / f"Pulumi.{stack}.yaml"
    document = yaml.safe_load(file.read_text())
    document["config"][f"{NAME}:loadBalancer"] |= {"etcdAddress": "auto", "dnsAddress": "auto"}
    file.write_text(yaml.safe_dump(document))


@pytest.fixture
def stacks(
    engine: Engine, kubernetes: Kubernetes, tmp_path: Path
) -> Iterator[tuple[automation.Stack, automation.Stack]]:
    skip_without_the_plugin(engine.root)
    leave_to_metallb(engine, "west")
    west = sibling_settings(engine.project, NAME, "east")["west"]
    with addresses_given(kubernetes, west, tmp_path):
        inside = partial(program, kubernetes.kubeconfig)
        yield engine.stack("east", program), engine.stack("west", inside)


def told(stack: automation.Stack) -> dict[str, Any]:
    return {name: output.value for name, output in stack.outputs().items()}


def test_one_more_up_after_the_peers_own_is_all_a_chosen_address_costs(
    stacks: tuple[automation.Stack, automation.Stack],
) -> None:
    east, west = stacks

    east.up()
    before = told(east)
    assert before["peers"]["west"] == {
        "status": "pending",
        "next": "pulumi up -s west, then pulumi up here once more",
    }
    assert before["dialled"] == {}
    assert "west.mesh.example" not in before["corefile"]

    west.preview()
    west.up()
    endpoint = told(west)["endpoint"]
    given = {endpoint["etcd"]["ip"], *endpoint["dns"]["addresses"]}
    assert given == {"10.11.84.33", "10.11.84.34"}  # the first two of loadBalancer.addresses
    west.preview(expect_no_changes=True)

    east.up()
    after = told(east)
    assert after["peers"]["west"] == {"status": "exported", "next": ""}
    assert after["dialled"] == {"west": {"ips": [endpoint["etcd"]["ip"]], "port": 2379}}
    assert f"forward . {endpoint['dns']['addresses'][0]}:53" in after["corefile"]
    for stack in (east, west):
        stack.up(expect_no_changes=True)
