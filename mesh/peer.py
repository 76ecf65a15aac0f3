"""Another cluster of the mesh, as far as it is known: planned by its file, or told by itself."""

from dataclasses import dataclass
from typing import Literal

from mesh.differences import differences
from mesh.endpoint import Endpoint
from mesh.settings import file_of


@dataclass(frozen=True)
class Peer:
    """Another cluster of the mesh, and how sure we are of what we know about it."""

    stack: str
    endpoint: Endpoint
    status: Literal["planned", "exported", "pending"]
    """`planned`: read from its stack file. `exported`: said by the stack itself.

    `pending`: an address that MetalLB chooses is not known yet, and nothing is sent there.
    """
    next_command: str
    """The command that brings the peer up to its file; empty when there is nothing to run."""
    warning: str | None = None
    """A sentence when what the peer exported is not what its file plans."""


def peer(stack: str, planned: Endpoint, exported: Endpoint | None) -> Peer:
    """The peer as known now: what its stack exported wins over what its file plans."""
    command = f"pulumi up -s {stack}"
    known = exported or planned
    changed = _differences(planned, exported) if exported else []
    warning = (
        f"{stack} is not what {file_of(stack)} plans ({'; '.join(changed)}): run {command}"
        if changed
        else None
    )
    if known.etcd is None or (planned.dns.awaited and not known.dns.addresses):
        return Peer(stack, known, "pending", f"{command}, then pulumi up here once more", warning)
    if exported is None:
        return Peer(stack, known, "planned", command)
    return Peer(stack, known, "exported", command if changed else "", warning)


def _differences(planned: Endpoint, exported: Endpoint) -> list[str]:
    # What MetalLB chooses is nowhere planned.
    chosen = {"etcd", "etcd.ip", "etcd.port"} if planned.etcd is None else set()
    chosen |= {"dns.addresses"} if planned.dns.awaited else set()
    found = differences(planned.as_output(), exported.as_output())
    return [words for key, words in found.items() if key not in chosen]
