"""States for the tests of decisions."""

from collections.abc import Mapping
from typing import Any

from cli.state import Operation, Resource, State


def resource(
    kind: str,
    name: str,
    *,
    identity: str = "",
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
) -> Resource:
    urn = f"urn:pulumi:east::vsphere-cluster-mesh::{kind}::{name}"
    return Resource(urn, kind, identity, inputs or {}, outputs or {})


def creating(*resources: Resource) -> State:
    return State(pending=tuple(Operation("creating", one) for one in resources))
