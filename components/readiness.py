"""The wait for a cluster, run by the engine just before it is first used."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import cast

import pulumi
import pulumi_vsphere as vsphere
from pulumi import InvokeOptions, Output, ResourceHook, ResourceHookArgs

from mesh.nodes import Node
from mesh.readiness import Wait, describe_status, wait_until_ready

_STATUS = "guestinfo.mesh.status"


def ready_hook(
    name: str,
    wait: Output[Wait],
    machines: Mapping[str, vsphere.VirtualMachine],
    vcenter: vsphere.Provider,
) -> ResourceHook:
    """Return a hook that lets a resource be made only when the cluster is ready.

    It shows its progress as the engine's info lines, with what each missing machine (by node
    name) reports; a cluster that isn't ready in time fails the resource with NotReadyError.
    """

    async def until_ready(_: ResourceHookArgs) -> None:
        known = cast("Wait", await wait.future())  # hooks run in an update, never in a preview
        ids = {node: await machine.id.future() for node, machine in machines.items()}
        stage_of = partial(_stage_of, ids, vcenter)
        # A thread, so that the loop stays free to serve the engine.
        await asyncio.to_thread(wait_until_ready, known, pulumi.log.info, stage_of)

    return ResourceHook(name, until_ready)


def _stage_of(ids: Mapping[str, str | None], vcenter: vsphere.Provider, node: Node) -> str:
    try:
        # Not the _output form: there, a failure that is caught here still fails the update.
        found = vsphere.get_virtual_machine(
            uuid=ids[node.name],
            extra_config={_STATUS: ""},
            opts=InvokeOptions(provider=vcenter),
        )
    except Exception as error:  # asking is a courtesy: it must not end the wait
        return f"can't be asked for its stage ({error})"
    return describe_status((found.extra_config or {}).get(_STATUS))
