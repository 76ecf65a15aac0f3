"""Pulumi's mock engine, made to keep every request that a program sends it."""

import asyncio
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from google.protobuf import json_format  # type: ignore[import-untyped]
from pulumi.runtime import mocks

SECRET = "4dabf18193072939515e22adb298388d"  # noqa: S105 - the key of Pulumi's own mark
Answers = Mapping[str, Mapping[str, Any]]
"""What a vCenter says, by the token of the question."""
Exports = Mapping[str, Mapping[str, Any] | None]
"""Outputs by stack; None is a stack that was never initialised."""


def vcenter(template_disk_gib: int) -> dict[str, dict[str, Any]]:
    """The answers of a vCenter that has whatever it is asked for."""
    template = {
        "id": "template-uuid",
        "guestId": "otherLinux64Guest",
        "firmware": "efi",
        "scsiType": "pvscsi",
        "disks": [{"size": template_disk_gib, "thinProvisioned": True, "eagerlyScrub": False}],
        "networkInterfaceTypes": ["vmxnet3"],
    }
    cluster = {"id": "c1", "resourcePoolId": "pool-1"}
    return {
        "vsphere:index/getDatacenter:getDatacenter": {"id": "datacenter-1"},
        "vsphere:index/getComputeCluster:getComputeCluster": cluster,
        "vsphere:index/getDatastore:getDatastore": {"id": "datastore-1"},
        "vsphere:index/getFolder:getFolder": {"id": "folder-1"},
        "vsphere:index/getNetwork:getNetwork": {"id": "network-1"},
        "vsphere:index/getVirtualMachine:getVirtualMachine": template,
    }


@dataclass(frozen=True, kw_only=True)
class World:
    """What a run of the program finds.

    `kept` is what Stashes hold from an earlier run, by name; `refused` are the names that the
    vCenter doesn't know; with `known_types` every other type of resource is an AssertionError.
    `chosen` is the address that MetalLB gives to a Service without one: nobody's (RFC 5737).
    """

    answers: Answers = field(default_factory=lambda: vcenter(1))
    exports: Exports = field(default_factory=dict)
    kept: Mapping[str, Any] = field(default_factory=dict)
    refused: AbstractSet[str] = frozenset()
    known_types: AbstractSet[str] | None = None
    chosen: str = "192.0.2.1"


class WorldMocks(mocks.Mocks):
    """Answers like an engine in which every resource can be made as it was asked for."""

    def __init__(self, world: World) -> None:
        self._world = world

    def call(self, args: mocks.MockCallArgs) -> Any:  # noqa: ANN401 - Pulumi's own form
        """What the vCenter says to a question."""
        if (name := args.args.get("name", args.args.get("path"))) in self._world.refused:
            return {}, [("name", f"nothing is named {name}")]
        return self._world.answers[args.token]

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """The identity and the outputs of a resource that was made."""
        if args.typ == "pulumi:pulumi:StackReference":
            return args.name, self._reference(args.inputs["name"])
        if not args.custom:
            return "", args.inputs
        known = self._world.known_types
        if known is not None and args.typ not in known:
            raise AssertionError(f"{args.name} has the unknown type {args.typ}")
        if args.typ == "pulumi:index:Stash":
            output = self._world.kept.get(args.name, args.inputs["input"])
            return f"{args.name}-id", args.inputs | {"output": output}
        if args.typ == "kubernetes:core/v1:Service":
            ingress = [{"ip": self._world.chosen}]
            return f"{args.name}-id", args.inputs | {
                "status": {"loadBalancer": {"ingress": ingress}}
            }
        return f"{args.name}-id", args.inputs

    def _reference(self, name: str) -> dict[str, Any]:
        outputs = self._world.exports.get(name.rpartition("/")[2], {})
        if outputs is None:
            raise LookupError(f'unknown stack "{name}"')
        return {"name": name, "outputs": dict(outputs), "secretOutputNames": ["meshCa"]}


@dataclass(frozen=True)
class Registered:
    """One resource as the program asked the engine for it; `inputs` keep their secret marks."""

    type: str
    name: str
    inputs: Any
    request: Any


@dataclass
class RecordingMonitor(mocks.MockMonitor):
    """The mock engine's front door, keeping every request that came through it."""

    mocks: mocks.Mocks
    registered: list[Registered] = field(default_factory=list)
    component_outputs: dict[str, Any] = field(default_factory=dict)
    calls: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.mocks)

    @property
    def _engine(self) -> Any:  # noqa: ANN401
        return super()  # which has no types

    def RegisterResource(self, request: Any) -> Any:  # noqa: ANN401, N802 - the engine's own name
        """Keep a resource."""
        inputs = json_format.MessageToDict(request.object)
        self.registered.append(Registered(request.type, request.name, inputs, request))
        with _loop_of_this_thread():
            return self._engine.RegisterResource(request)

    def ReadResource(self, request: Any) -> Any:  # noqa: ANN401, N802
        """Read a resource, such as another stack."""
        with _loop_of_this_thread():
            return self._engine.ReadResource(request)

    def Invoke(self, request: Any) -> Any:  # noqa: ANN401, N802
        """Keep a question to a provider."""
        self.calls.append(request)
        with _loop_of_this_thread():
            return self._engine.Invoke(request)

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: ANN401, N802
        """Keep what a component, or the stack, says of itself."""
        self.component_outputs[request.urn] = json_format.MessageToDict(request.outputs)
        return self._engine.RegisterResourceOutputs(request)


@contextmanager
def _loop_of_this_thread() -> Iterator[None]:
    # Pulumi's own mocks make one per thread when there is none, and never close it.
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        end_tasks(loop)
        loop.close()
        asyncio.set_event_loop(None)


def end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """End what nobody waits for any more, such as the other outputs after an error.

    Pulumi's own host does the same. The garbage collector would speak of the rest at any moment.
    """
    while tasks := asyncio.all_tasks(loop):
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


def is_secret(value: object) -> bool:
    """Whether a value, as recorded, carries Pulumi's mark of a secret."""
    return isinstance(value, dict) and SECRET in value


def unwrap(value: Any) -> Any:  # noqa: ANN401 - whatever was recorded
    """A recorded value without the marks of secrets in it."""
    if is_secret(value):
        return unwrap(value["value"])
    if isinstance(value, dict):
        return {key: unwrap(inner) for key, inner in value.items()}
    return [unwrap(inner) for inner in value] if isinstance(value, list) else value
