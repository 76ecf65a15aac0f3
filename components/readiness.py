"""The wait for a cluster, run by the engine just before it is first used."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

import pulumi
import pulumi_vsphere as vsphere
from pulumi import InvokeOutputOptions, Output, ResourceHook, ResourceHookArgs

from mesh.nodes import Node
from mesh.readiness import Wait, describe_status, wait_until_ready

_STATUS = "guestinfo.mesh.status"
_STATUS_SECONDS = 10

StatusOf = Callable[[Node], Awaitable[str | None]]


def ready_hook(name: str, wait: Output[Wait], status_of: StatusOf) -> ResourceHook:
    """Return a hook that lets a resource be made only when the cluster is ready.

    It shows its progress as the engine's info lines; a cluster that isn't ready in time fails
    the resource with the words of NotReadyError.
    """

    async def until_ready(_: ResourceHookArgs) -> None:
        loop = asyncio.get_running_loop()

        def stage_of(node: Node) -> str:
            return asyncio.run_coroutine_threadsafe(_stage(status_of, node), loop).result()

        known = cast("Wait", await wait.future())  # hooks run in an update, never in a preview
        # A thread, so that the loop stays free to serve the engine and to ask vCenter.
        await asyncio.to_thread(wait_until_ready, known, pulumi.log.info, stage_of)

    return ResourceHook(name, until_ready)


def status_reader(
    machines: Mapping[str, vsphere.VirtualMachine], provider: vsphere.Provider
) -> StatusOf:
    """Return how to ask vCenter what a node, by its name, last said of its own start."""

    async def status_of(node: Node) -> str | None:
        found = await vsphere.get_virtual_machine_output(
            uuid=machines[node.name].id,
            extra_config={_STATUS: ""},
            opts=InvokeOutputOptions(provider=provider),
        ).future()
        return ((found and found.extra_config) or {}).get(_STATUS)

    return status_of


async def _stage(status_of: StatusOf, node: Node) -> str:
    try:
        return describe_status(await asyncio.wait_for(status_of(node), _STATUS_SECONDS))
    except Exception as error:
        return f"can't be asked for its stage ({error})"
