"""Kubernetes objects whose creation was cut short."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cli.repair.releases import RELEASE
from cli.state import Resource, State

_KUBERNETES = "kubernetes:"


@dataclass(frozen=True)
class ObjectReference:
    """Which object of a cluster; `namespace` is None where the program gave none."""

    api_version: str
    kind: str
    namespace: str | None
    name: str

    def __str__(self) -> str:
        inside = f" in {self.namespace}" if self.namespace else ""
        return f"{self.kind} {self.name}{inside}"


def half_made_objects(state: State) -> Iterator[ObjectReference]:
    """The objects that were being created and that the state doesn't know.

    Never what a patch is for: that object is somebody else's. Releases have a road of their own.
    """
    known = {_reference(one) for one in state.resources if one.type.startswith(_KUBERNETES)}
    for resource in state.being_created(_KUBERNETES):
        if resource.type == RELEASE or resource.type.endswith("Patch"):
            continue
        reference = _reference(resource)
        if reference and reference not in known:
            yield reference


def was_written_by_pulumi(found: Mapping[str, Any]) -> bool:
    """Whether Pulumi is among those that wrote an object, by the object's managed fields."""
    managers = found.get("metadata", {}).get("managedFields") or ()
    return any(str(one.get("manager", "")).startswith("pulumi") for one in managers)


def _reference(resource: Resource) -> ObjectReference | None:
    inputs = resource.inputs
    metadata = inputs.get("metadata")
    if not isinstance(metadata, Mapping) or not metadata.get("name"):
        return None
    return ObjectReference(
        api_version=str(inputs.get("apiVersion")),
        kind=str(inputs.get("kind")),
        namespace=metadata.get("namespace"),
        name=str(metadata["name"]),
    )
