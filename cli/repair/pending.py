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


def without_pending(export: Mapping[str, Any]) -> dict[str, Any]:
    """The exported state with no operation pending; all go, as an import keeps none."""
    return {**export, "deployment": {**export["deployment"], "pending_operations": []}}
