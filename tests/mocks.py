"""Pulumi's mock engine, made strict: it knows our types only, and records what it was asked."""

import asyncio
import json
import logging
import runpy
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
import pulumi.runtime
import yaml
from google.protobuf import json_format  # type: ignore[import-untyped]
from pulumi.runtime import mocks, settings
from pulumi.runtime.stack import run_in_stack

PROJECT = Path(__file__).parent.parent
NAME = "vsphere-cluster-mesh"
SECRET = "4dabf18193072939515e22adb298388d"
KNOWN_TYPES = {
    "kubernetes:apps/v1:DeploymentPatch",
    "kubernetes:core/v1:ConfigMapPatch",
    "kubernetes:core/v1:Namespace",
    "kubernetes:core/v1:Secret",
    "kubernetes:core/v1:Service",
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:metallb.io/v1beta1:IPAddressPool",
    "kubernetes:metallb.io/v1beta1:L2Advertisement",
    "pulumi:index:Stash",
    "pulumi:providers:kubernetes",
    "pulumi:providers:vsphere",
    "vsphere:index/computeClusterVmAntiAffinityRule:ComputeClusterVmAntiAffinityRule",
    "vsphere:index/folder:Folder",
    "vsphere:index/virtualMachine:VirtualMachine",
}
TEMPLATE = {
    "id": "template-uuid",
    "guestId": "otherLinux64Guest",
    "firmware": "efi",
    "scsiType": "pvscsi",
    "disks": [{"size": 20, "thinProvisioned": True, "eagerlyScrub": False}],
    "networkInterfaceTypes": ["vmxnet3"],
}
ANSWERS: dict[str, dict[str, Any]] = {
    "vsphere:index/getDatacenter:getDatacenter": {"id": "datacenter-1"},
    "vsphere:index/getComputeCluster:getComputeCluster": {"id": "c1", "resourcePoolId": "pool-1"},
    "vsphere:index/getDatastore:getDatastore": {"id": "datastore-1"},
    "vsphere:index/getFolder:getFolder": {"id": "folder-1"},
    "vsphere:index/getNetwork:getNetwork": {"id": "network-1"},
    "vsphere:index/getVirtualMachine:getVirtualMachine": TEMPLATE,
}
Exports = Mapping[str, Mapping[str, Any] | None]
"""Outputs by stack; None is a stack that was never initialised."""


class StrictMocks(mocks.Mocks):
    """Answers like an engine in which every known resource can be made, and nothing else."""

    def __init__(
        self, exports: Exports, kept: Mapping[str, Any], refused: AbstractSet[str]
    ) -> None:
        self._exports = exports
        self._kept = kept
        self._refused = refused

    def call(self, args: mocks.MockCallArgs) -> Any:
        if (name := args.args.get("name", args.args.get("path"))) in self._refused:
            return {}, [("name", f"nothing is named {name}")]
        return ANSWERS[args.token]

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        if args.typ == "pulumi:pulumi:StackReference":
            return args.name, self._reference(args.inputs["name"])
        if not args.custom:
            return "", args.inputs
        if args.typ not in KNOWN_TYPES:
            raise AssertionError(f"{args.name} has the unknown type {args.typ}")
        if args.typ == "pulumi:index:Stash":
            output = self._kept.get(args.name, args.inputs["input"])
            return f"{args.name}-id", args.inputs | {"output": output}
        return f"{args.name}-id", args.inputs

    def _reference(self, name: str) -> dict[str, Any]:
        outputs = self._exports.get(name.rpartition("/")[2], {})
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

    @property
    def options(self) -> dict[str, Any]:
        options: dict[str, Any] = json_format.MessageToDict(self.request)
        return options


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
    def _engine(self) -> Any:
        return super()  # which has no types

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the engine's own name
        inputs = json_format.MessageToDict(request.object)
        self.registered.append(Registered(request.type, request.name, inputs, request))
        with _loop_of_this_thread():
            return self._engine.RegisterResource(request)

    def ReadResource(self, request: Any) -> Any:  # noqa: N802
        with _loop_of_this_thread():
            return self._engine.ReadResource(request)

    def Invoke(self, request: Any) -> Any:  # noqa: N802
        self.calls.append(request)
        with _loop_of_this_thread():
            return self._engine.Invoke(request)

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802
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
        loop.close()
        asyncio.set_event_loop(None)


@dataclass(frozen=True)
class Run:
    """What a whole run of the program asked the engine for, exported and said."""

    monitor: RecordingMonitor
    messages: list[str]

    @property
    def made(self) -> list[Registered]:
        return [one for one in self.monitor.registered if one.type != "pulumi:pulumi:Stack"]

    @property
    def custom(self) -> list[Registered]:
        return [one for one in self.made if one.request.custom]

    @property
    def outputs(self) -> dict[str, Any]:
        found: dict[str, Any] = next(
            outputs
            for urn, outputs in self.monitor.component_outputs.items()
            if "::pulumi:pulumi:Stack::" in urn
        )
        return found

    def of(self, kind: str) -> list[Registered]:
        return [one for one in self.made if one.type.rpartition(":")[2] == kind]

    def one(self, name: str) -> Registered:
        [found] = [one for one in self.made if one.name == name]
        return found


def is_secret(value: Any) -> bool:
    """Whether a value, as recorded, carries Pulumi's mark of a secret."""
    return isinstance(value, dict) and SECRET in value


def unwrap(value: Any) -> Any:
    """A recorded value without the marks of secrets in it."""
    if is_secret(value):
        return unwrap(value["value"])
    if isinstance(value, dict):
        return {key: unwrap(inner) for key, inner in value.items()}
    return [unwrap(inner) for inner in value] if isinstance(value, list) else value


def config_of(stack: str, project: Path = PROJECT) -> dict[str, str]:
    """The configuration the engine would hand to the program for a stack of `project`."""
    shared = yaml.safe_load((project / "Pulumi.yaml").read_text())["config"]
    own = yaml.safe_load((project / f"Pulumi.{stack}.yaml").read_text())["config"]
    config = {
        key if ":" in key else f"{NAME}:{key}": value.get("value", value)
        for key, value in shared.items()
    }
    config |= own
    config[f"{NAME}:vcenterPassword"] = "correct horse"
    return {key: v if isinstance(v, str) else json.dumps(v) for key, v in config.items()}


def run_program(
    stack: str,
    *,
    preview: bool = False,
    exports: Exports | None = None,
    config: Mapping[str, str] | None = None,
    kept: Mapping[str, Any] | None = None,
    refused: AbstractSet[str] = frozenset(),
) -> Run:
    """Run the whole `__main__.py` for a stack, with what the stacks exported before.

    `kept` is what Stashes hold from an earlier run, by name; `refused` are the names that the
    vCenter doesn't know.
    """
    answers = StrictMocks(exports or {}, kept or {}, refused)
    return _run(stack, preview, answers, dict(config or config_of(stack)))


def _run(stack: str, preview: bool, answers: StrictMocks, config: dict[str, str]) -> Run:
    messages: list[str] = []
    loop = asyncio.new_event_loop()
    # After an error nobody waits for the other outputs. The garbage collector would print that
    # at any moment, also while Python compiles, which Python 3.11 takes badly (SystemError).
    loop.set_exception_handler(lambda *_: None)
    asyncio.set_event_loop(loop)
    monitor = RecordingMonitor(answers)
    _enter_mocks(monitor, stack, preview, messages)
    pulumi.runtime.set_all_config(config, [f"{NAME}:vcenterPassword"])
    try:
        # What the language host itself does: the program's errors come out as they would there.
        loop.run_until_complete(run_in_stack(_main))
    except BaseException as error:
        error.add_note("\n".join(messages))
        error.monitor = monitor  # type: ignore[attr-defined]
        raise
    finally:
        loop.close()
        asyncio.set_event_loop(None)
    return Run(monitor, messages)


def _enter_mocks(monitor: RecordingMonitor, stack: str, preview: bool, messages: list[str]) -> None:
    logger = logging.Logger("pulumi")
    handler = logging.Handler()
    logger.setLevel(logging.INFO)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    settings.reset_options()
    pulumi.runtime.set_mocks(
        monitor.mocks, NAME, stack, preview, logger, monitor, organization="organization"
    )
    settings.SETTINGS.root_directory = str(PROJECT)
    settings.SETTINGS.outputs.clear()
    settings.ROOT.set(None)  # set_mocks makes a root stack that is finished already
    monitor.registered.clear()
    monitor.component_outputs.clear()


def _main() -> None:
    runpy.run_path(str(PROJECT / "__main__.py"), run_name="__main__")
