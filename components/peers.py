"""What the stacks of the mesh exported last: the only place that reads other stacks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi import StackReference

from mesh.endpoint import Endpoint, EndpointError, planned_endpoint
from mesh.peer import Peer, peer
from mesh.pki import KeyPair
from mesh.settings import Settings, SettingsError
from mesh.topology import forbidden_changes


@dataclass(frozen=True, kw_only=True)
class LastExports:
    """What stands in the stacks' state, or None where a stack was never brought up."""

    certificates: Mapping[str, Any] | None
    workloads: Mapping[str, Any] | None
    own_endpoint: Endpoint | None
    own_ca: KeyPair | None
    authority_ca: KeyPair | None
    endpoints: Mapping[str, Endpoint | None]


async def last_exports(authority: str, peers: Iterable[str]) -> LastExports:
    """Return what this stack, the authority and every peer exported last.

    Ask before anything else is registered: what is wrong here raises RunError, and then the
    state holds nothing but the references. A stack that was never initialised is the engine's
    own error, `unknown stack`.
    """
    own, others = pulumi.get_stack(), sorted(peers)
    stacks = {own: _reference(own)}
    # Alone and first: what the engine reads next it writes into this very state, and in a
    # directory a state that is being written reads as "failed to load checkpoint: EOF".
    own_endpoint = await _output(stacks[own], "endpoint")
    stacks |= {stack: _reference(stack) for stack in sorted({authority, *others} - {own})}
    endpoints = {name: await _output(stacks[name], "endpoint") for name in others}
    return LastExports(
        certificates=await _output(stacks[own], "certificates"),
        workloads=await _output(stacks[own], "workloads"),
        own_endpoint=_endpoint(own, own_endpoint),
        own_ca=_key_pair(own, await _output(stacks[own], "meshCa")),
        authority_ca=_key_pair(authority, await _output(stacks[authority], "meshCa")),
        endpoints={name: _endpoint(name, value) for name, value in endpoints.items()},
    )


def _reference(stack: str) -> StackReference:
    # All three parts: the only form that both Pulumi Cloud and a bucket accept.
    name = f"{pulumi.get_organization()}/{pulumi.get_project()}/{stack}"
    return StackReference(stack, stack_name=name)


async def _output(stack: StackReference, name: str) -> Any:  # noqa: ANN401 - another stack's words
    found = await stack.get_output_details(name)
    return found.value if found.secret_value is None else found.secret_value


def _key_pair(stack: str, value: object) -> KeyPair | None:
    if value is None:
        return None
    if isinstance(value, Mapping) and {"certificate", "key"} <= value.keys():
        return KeyPair.from_mapping(value)
    raise pulumi.RunError(
        f"The output meshCa of stack {stack} can't be decrypted. All stacks of one mesh share one "
        f"passphrase or key: set PULUMI_CONFIG_PASSPHRASE to the one of {stack}, or change the "
        f"other's by `pulumi stack change-secrets-provider`."
    )


def _endpoint(stack: str, value: Mapping[str, Any] | None) -> Endpoint | None:
    try:
        return None if value is None else Endpoint.from_output(value)
    except EndpointError as error:
        raise pulumi.RunError(f"The output endpoint of stack {stack}: {error}") from error


def refuse_forbidden_changes(settings: Settings, last: LastExports) -> None:
    """Raise one RunError with every setting that must stay as it was when the cluster was built."""
    changed = forbidden_changes(settings, last.own_endpoint, pulumi.get_stack())
    if changed:
        raise pulumi.RunError(str(SettingsError(changed)))


def known_peers(planned: Mapping[str, Settings], last: LastExports) -> list[Peer]:
    """Return every peer as known now, by stack name; warn of one that is not what it plans."""
    peers = [
        peer(stack, planned_endpoint(settings), last.endpoints[stack])
        for stack, settings in sorted(planned.items())
    ]
    for known in peers:
        if known.warning:
            pulumi.log.warn(known.warning)
    return peers
