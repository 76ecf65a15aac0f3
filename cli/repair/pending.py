"""Operations that a state still takes for running."""

from collections.abc import Mapping
from typing import Any

from cli.state import Operation

_MEANS = {
    "creating": "forgotten, and done again by the next up",
    "updating": "done again by the next up",
    "deleting": "asked for again by the next up or destroy",
}


def explained(operation: Operation) -> str:
    """One line: what was under way, and what becomes of it."""
    what = f"{operation.kind} {operation.resource.type} {operation.resource.name}"
    return f"{what}: {_MEANS.get(operation.kind, 'looked at again by the next up')}"


def needs_refresh(operation: Operation) -> bool:
    """Whether the state may be wrong about something it knows."""
    return operation.kind != "creating"


def without_pending(export: Mapping[str, Any], settled: set[str]) -> dict[str, Any]:
    """The exported state without the pending operations on the resources with these URNs."""
    deployment = dict(export["deployment"])
    pending = deployment.get("pending_operations") or ()
    deployment["pending_operations"] = [
        one for one in pending if one["resource"]["urn"] not in settled
    ]
    return {**export, "deployment": deployment}
