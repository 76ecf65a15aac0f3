"""A run of the program as plain values without secrets: what previews are compared by."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource as the program asked for it; `parent` and `provider` are keys of others.

    `inputs` hold no secret: a VM's `extraConfig` is decoded, and masked like the rest.
    """

    type: str
    name: str
    parent: str
    provider: str
    custom: bool
    protect: bool
    retain: bool
    secret: bool
    inputs: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What tells it from every other resource of the stack."""
        return f"{self.type}::{self.name}"

    @property
    def kind(self) -> str:
        """The last part of its type, such as `VirtualMachine`."""
        return self.type.rpartition(":")[2]


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A whole run of the program for one stack, the same for the same files.

    `names` are those it asked the vCenter for, by kind; `zones` the cluster of every DNS zone in
    the stack files.
    """

    stack: str
    resources: tuple[Resource, ...]
    outputs: Mapping[str, Any]
    messages: tuple[str, ...]
    names: Mapping[str, str]
    zones: Mapping[str, str]

    def of(self, kind: str) -> Iterator[Resource]:
        """The resources of a kind, in the order of their keys."""
        return (one for one in self.resources if one.kind == kind)

    def as_json(self) -> str:
        """The recording as `from_json` reads it."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Recording":
        """The recording that `as_json` wrote."""
        document = json.loads(text)
        resources = tuple(Resource(**resource) for resource in document["resources"])
        messages = tuple(document["messages"])
        return cls(**{**document, "resources": resources, "messages": messages})
