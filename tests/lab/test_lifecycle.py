"""Which clusters the lab's report looks at, and where it asks their DNS."""

from typing import Any

import pytest

from lab import engine, lifecycle, project
from mesh.endpoint import planned_endpoint
from mesh.settings import config_from_engine, settings_from_config
from tests.mocks import NAME, config_of


def settings(stack: str, dns: dict[str, Any]) -> Any:
    config: dict[str, Any] = {**config_from_engine(config_of(stack), NAME)}
    if dns.get("exposure") == "nodePort":
        del config["loadBalancer"]["dnsAddress"]
    return settings_from_config(f"Pulumi.{stack}.yaml", {**config, "dns": dns})


@pytest.mark.parametrize(
    ("dns", "asked_at"),
    [
        ({}, ("10.11.84.32", 53)),
        ({"exposure": "nodePort"}, ("10.11.85.22", 30053)),
        ({"exposure": "nodePort", "nodePort": 30153}, ("10.11.85.22", 30153)),
        ({"forwarding": False}, (None, 53)),
    ],
)
def test_a_cluster_is_asked_where_its_stack_exports_that_it_is(
    monkeypatch: pytest.MonkeyPatch, dns: dict[str, Any], asked_at: tuple[str | None, int]
) -> None:
    west = settings("west", dns)
    exported = {"west": planned_endpoint(west).as_output()}
    monkeypatch.setattr(project, "stacks", lambda: ["east", "west"])
    monkeypatch.setattr(project, "group", lambda stack, _: {"name": stack, "zone": "z"})
    monkeypatch.setattr(project, "settings", lambda _: west)
    monkeypatch.setattr(engine, "output", lambda stack, _: exported.get(stack))
    [cluster] = lifecycle.clusters()
    assert cluster.name == "west"
    assert (cluster.dns_address, cluster.dns_port) == asked_at
