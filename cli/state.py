"""A stack's state as plain data, read from an export with secrets in clear."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_SIGNATURE = "4dabf18193072939515e22adb298388d"


@dataclass(frozen=True)
class Resource:
    """One resource; inputs and outputs may hold secrets."""

    urn: str
    type: str
    id: str
    inputs: Mapping[str, Any] = field(repr=False)
    outputs: Mapping[str, Any] = field(repr=False)

    @property
    def name(self) -> str:
        """The name that the program gave it."""
        return self.urn.rpartition("::")[2]


@dataclass(frozen=True)
class Operation:
    """Something the engine had begun and not ended: creating, updating, deleting, …"""

    kind: str
    resource: Resource


@dataclass(frozen=True)
class State:
    """Everything a stack knows of, and what was under way when it was written."""

    resources: tuple[Resource, ...] = ()
    pending: tuple[Operation, ...] = ()

    def of_type(self, kind: str) -> Iterator[Resource]:
        """The resources of one type."""
        return (resource for resource in self.resources if resource.type == kind)

    def being_created(self, kind: str = "") -> Iterator[Resource]:
        """What was being created; of the types that begin with `kind`."""
        creating = (one.resource for one in self.pending if one.kind == "creating")
        return (resource for resource in creating if resource.type.startswith(kind))

    @property
    def outputs(self) -> Mapping[str, Any]:
        """What the stack exported last."""
        return next((one.outputs for one in self.of_type("pulumi:pulumi:Stack")), {})


def state_of(export: Mapping[str, Any]) -> State:
    """The state in a document of `pulumi stack export --show-secrets`."""
    deployment = export.get("deployment") or {}
    return State(
        resources=tuple(map(_resource, deployment.get("resources") or ())),
        pending=tuple(
            Operation(one["type"], _resource(one["resource"]))
            for one in deployment.get("pending_operations") or ()
        ),
    )


def plain(value: Any) -> Any:  # noqa: ANN401 - any value of a state
    """A value of an export without the engine's wrapping of secrets."""
    if isinstance(value, dict):
        if _SIGNATURE in value and "plaintext" in value:
            return plain(json.loads(value["plaintext"]))
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def _resource(found: Mapping[str, Any]) -> Resource:
    return Resource(
        urn=found["urn"],
        type=found["type"],
        id=found.get("id", ""),
        inputs=plain(found.get("inputs") or {}),
        outputs=plain(found.get("outputs") or {}),
    )
