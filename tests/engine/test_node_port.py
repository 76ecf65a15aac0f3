"""DNS at an address and at the nodes, one after the other, on the real engine and API server."""

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
from mesh.endpoint import planned_endpoint
from mesh.settings import sibling_settings
from tests.cli.conftest import Kubernetes, kubernetes
from tests.engine.conftest import NAME, Engine
from tests.engine.metallb_controller import addresses_given, skip_without_the_plugin

__all__ = ["kubernetes"]

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]


async def exposed(kubeconfig: str) -> dict[str, Any]:
    """The program's Services only."""
    settings = load().settings
    access = pulumi_kubernetes.Provider("access", kubeconfig=kubeconfig)
    args = ExposureArgs(
        endpoint=planned_endpoint(settings),
        source_ranges=["10.11.84.0/22"],
        lifetime=access,
        dns_node_port=settings.dns.node_port if settings.dns.exposure == "nodePort" else None,
    )
    made = Exposure("exposure", args, pulumi.ResourceOptions(providers=[access]))
    assert made.dns
    return {"endpoint": made.endpoint, "dns": made.dns.spec, "uid": made.dns.metadata["uid"]}


@pytest.fixture
def west(engine: Engine, kubernetes: Kubernetes, tmp_path: Path) -> Iterator[automation.Stack]:
    skip_without_the_plugin(engine.root)
    settings = sibling_settings(engine.project, NAME, "east")["west"]
    with addresses_given(kubernetes, settings, tmp_path):
        inside = partial(exposed, kubernetes.kubeconfig)
        yield engine.stack("west", lambda: pulumi.run(inside))


def up(stack: automation.Stack) -> dict[str, Any]:
    stack.up()
    stack.up(expect_no_changes=True)
    return {name: output.value for name, output in stack.outputs().items()}


def ports(spec: dict[str, Any]) -> set[tuple[str, int, Any]]:
    return {(one["protocol"], one["port"], one.get("nodePort")) for one in spec["ports"]}


def test_peers_are_shown_the_nodes_instead_of_an_address_and_back(
    engine: Engine, west: automation.Stack
) -> None:
    file = engine.project / "Pulumi.west.yaml"
    before = up(west)
    at_an_address = file.read_text()
    document = yaml.safe_load(at_an_address)
    document["config"][f"{NAME}:dns"] = {"exposure": "nodePort"}
    del document["config"][f"{NAME}:loadBalancer"]["dnsAddress"]
    file.write_text(yaml.safe_dump(document))

    during = up(west)
    assert during["dns"]["type"] == "NodePort"
    assert ports(during["dns"]) == {("UDP", 53, 30053), ("TCP", 53, 30053)}
    assert not during["dns"].get("loadBalancerSourceRanges")
    assert during["endpoint"]["dns"]["port"] == 30053
    assert during["uid"] == before["uid"]

    file.write_text(at_an_address)
    after = up(west)
    assert after["dns"]["type"] == "LoadBalancer"
    # No port of the nodes is left open.
    assert ports(after["dns"]) == {("UDP", 53, None), ("TCP", 53, None)}
    assert after["dns"]["loadBalancerSourceRanges"] == ["10.11.84.0/22"]
    assert after["endpoint"] == before["endpoint"]
