"""The protocol between the Pulumi engine and a resource plugin, answered by the stand-in."""

# ruff: noqa: N802, ARG002 - the protocol gives the methods' names and arguments

import importlib.metadata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import grpc  # type: ignore[import-untyped]  # its stubs are a package of their own
from google.protobuf.empty_pb2 import Empty  # type: ignore[import-untyped]  # the same
from pulumi.runtime.proto import plugin_pb2
from pulumi.runtime.proto import provider_pb2 as messages
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderServicer

from lab.vcenter import VCenter, VCenterError
from lab.vsphere_stand_in import anti_affinity_rule, folder, virtual_machine
from lab.vsphere_stand_in.configuration import configuration_failures, connected
from lab.vsphere_stand_in.differences import difference
from lab.vsphere_stand_in.inputs import Failure, arguments_of, failures
from lab.vsphere_stand_in.lookups import LOOKUPS
from lab.vsphere_stand_in.resource_kind import ResourceKind, Values, changed
from lab.vsphere_stand_in.wire import UNKNOWN, Properties, decode, encode, unknown_in

RESOURCES = {
    "vsphere:index/computeClusterVmAntiAffinityRule:ComputeClusterVmAntiAffinityRule": (
        anti_affinity_rule.KIND
    ),
    "vsphere:index/folder:Folder": folder.KIND,
    "vsphere:index/virtualMachine:VirtualMachine": virtual_machine.KIND,
}


class StandInProvider(ResourceProviderServicer):
    """The plugin's side of the protocol; it holds one session with one vCenter."""

    _vcenter: VCenter | None = None

    def GetPluginInfo(self, request: Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        """The version of the SDK whose inputs the stand-in accepts."""
        return plugin_pb2.PluginInfo(version=importlib.metadata.version("pulumi-vsphere"))

    def CheckConfig(
        self, request: messages.CheckRequest, context: grpc.ServicerContext
    ) -> messages.CheckResponse:
        """The provider's inputs as they are, and what is wrong with them."""
        found = configuration_failures(decode(request.news).values)
        return messages.CheckResponse(inputs=request.news, failures=_failures(found))

    def DiffConfig(
        self, request: messages.DiffRequest, context: grpc.ServicerContext
    ) -> messages.DiffResponse:
        """Whether the provider's inputs differ; no difference replaces what it made."""
        names = changed(decode(request.old_inputs).values, decode(request.news).values)
        some, none = messages.DiffResponse.DIFF_SOME, messages.DiffResponse.DIFF_NONE
        return messages.DiffResponse(changes=some if names else none, diffs=names)

    def Configure(
        self, request: messages.ConfigureRequest, context: grpc.ServicerContext
    ) -> messages.ConfigureResponse:
        """Log in, also before a preview, as the real plugin does."""
        with _reported(context):
            self._vcenter = connected(decode(request.args).values)
        return messages.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    def Invoke(
        self, request: messages.InvokeRequest, context: grpc.ServicerContext
    ) -> messages.InvokeResponse:
        """The answer of a lookup."""
        arguments = decode(request.args)
        with _reported(context):
            if request.tok not in LOOKUPS:
                raise VCenterError(f"the stand-in knows no {request.tok}")
            lookup = LOOKUPS[request.tok]
            if found := failures(lookup.declared, arguments.values):
                return messages.InvokeResponse(failures=_failures(found))
            answer = lookup.answer(self._session(), arguments.values)
        response = messages.InvokeResponse()
        getattr(response, "return").CopyFrom(encode(Properties(answer, arguments.secrets)))
        return response

    def Check(
        self, request: messages.CheckRequest, context: grpc.ServicerContext
    ) -> messages.CheckResponse:
        """The inputs as they are, and every one with a wrong name or type."""
        with _reported(context):
            declared = arguments_of(_kind(request.urn).arguments)
        inputs = decode(request.news).values
        found = failures(declared, inputs)
        if "name" in declared.types and "name" not in inputs:
            found.append(Failure("name", "must be given: the stand-in makes up no names"))
        return messages.CheckResponse(inputs=request.news, failures=_failures(found))

    def Diff(
        self, request: messages.DiffRequest, context: grpc.ServicerContext
    ) -> messages.DiffResponse:
        """What changed, and what of it needs a new resource."""
        with _reported(context):
            kind = _kind(request.urn)
        old, new = decode(request.old_inputs).values, decode(request.news).values
        return difference(kind, old, new, decode(request.olds).values)

    def Create(
        self, request: messages.CreateRequest, context: grpc.ServicerContext
    ) -> messages.CreateResponse:
        """Make the resource; a preview refuses what this would refuse."""
        inputs = decode(request.properties)
        with _reported(context):
            kind = _kind(request.urn)
            if request.preview:
                if not unknown_in(inputs.values):
                    kind.plan(self._session(), inputs.values)
                planned = {**inputs.values, **dict.fromkeys(kind.computed, UNKNOWN)}
                return messages.CreateResponse(
                    properties=encode(Properties(planned, inputs.secrets))
                )
            identity = kind.create(self._session(), inputs.values)
            outputs = self._outputs(kind, identity, inputs.values)
        return messages.CreateResponse(
            id=identity, properties=encode(Properties(outputs, inputs.secrets))
        )

    def Read(
        self, request: messages.ReadRequest, context: grpc.ServicerContext
    ) -> messages.ReadResponse:
        """What the vCenter says now; an answer without ID says that the resource is gone."""
        inputs, outputs = decode(request.inputs), decode(request.properties)
        known = {**outputs.values, **inputs.values}
        with _reported(context):
            observed = _kind(request.urn).observe(self._session(), request.id, known)
        if observed is None:
            return messages.ReadResponse()
        secrets = inputs.secrets | outputs.secrets
        current = {name: observed.get(name, value) for name, value in inputs.values.items()}
        return messages.ReadResponse(
            id=request.id,
            inputs=encode(Properties(current, secrets & current.keys())),
            properties=encode(Properties({**known, **observed}, secrets)),
        )

    def Update(
        self, request: messages.UpdateRequest, context: grpc.ServicerContext
    ) -> messages.UpdateResponse:
        """Change the resource in place."""
        old, new = decode(request.old_inputs), decode(request.news)
        with _reported(context):
            kind = _kind(request.urn)
            if request.preview:
                held = decode(request.olds).values
                outputs = {name: held[name] for name in kind.computed if name in held}
                outputs |= new.values
            else:
                kind.update(self._session(), request.id, old.values, new.values)
                outputs = self._outputs(kind, request.id, new.values)
        return messages.UpdateResponse(properties=encode(Properties(outputs, new.secrets)))

    def Delete(self, request: messages.DeleteRequest, context: grpc.ServicerContext) -> Empty:
        """Remove the resource; one that is gone already is removed."""
        with _reported(context):
            _kind(request.urn).delete(self._session(), request.id)
        return Empty()

    def Cancel(self, request: Empty, context: grpc.ServicerContext) -> Empty:
        """End every wait for the vCenter."""
        if self._vcenter is not None:
            self._vcenter.cancel()
        return Empty()

    def _session(self) -> VCenter:
        if self._vcenter is None:
            raise VCenterError("the vSphere provider was not configured")
        return self._vcenter

    def _outputs(self, kind: ResourceKind, identity: str, inputs: Values) -> dict[str, object]:
        observed = kind.observe(self._session(), identity, inputs)
        if observed is None:
            raise VCenterError(f"{identity} vanished right after it was changed")
        return {**inputs, **observed}


def _kind(urn: str) -> ResourceKind:
    token = urn.split("::")[2].rpartition("$")[2]
    if token not in RESOURCES:
        raise VCenterError(f"the stand-in manages no {token}")
    return RESOURCES[token]


def _failures(found: Sequence[Failure]) -> list[messages.CheckFailure]:
    return [
        messages.CheckFailure(property=failure.path, reason=failure.reason) for failure in found
    ]


@contextmanager
def _reported(context: grpc.ServicerContext) -> Iterator[None]:
    """Hand what went wrong to the engine as one sentence."""
    try:
        yield
    except VCenterError as error:
        context.abort(grpc.StatusCode.UNKNOWN, str(error))
