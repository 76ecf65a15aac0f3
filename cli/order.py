"""`mesh order`: which stacks to bring up now, and in which order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cli.engine import Engine
from cli.project import Project
from mesh.endpoint import Endpoint, EndpointError, planned_endpoint
from mesh.peer import Peer, peer
from mesh.settings import file_of

Outputs = Mapping[str, Mapping[str, Any] | None]
"""What each stack exported last; None for one that was never initialised."""


@dataclass(frozen=True)
class Step:
    """One command, and why it is due."""

    command: str
    why: str


def read_outputs(project: Project, engine: Engine) -> Outputs:
    """What every stack with a file exported last. Raises Failure when the engine can't say."""
    there = engine.stacks()
    return {stack: engine.outputs(stack) if stack in there else None for stack in project.stacks}


def first_steps(project: Project) -> tuple[Step, ...]:
    """The order of a first `up`, where nobody knows what was brought up before."""
    authority, *others = project.stacks
    steps = [_up(authority, "makes the CA of the mesh")]
    return (*steps, *(_up(stack, "joins the mesh") for stack in others))


def next_steps(project: Project, outputs: Outputs) -> tuple[Step, ...]:
    """What is due now: stacks that change first, the authority before all, then who follows.

    A stack is due when it is not what its file says, or when it doesn't know its peers as they
    are now.
    """
    known = {stack: _peer(project, stack, outputs) for stack in project.stacks}
    steps = []
    if any(outputs[stack] is None for stack in project.stacks):
        missing = ", ".join(stack for stack in project.stacks if outputs[stack] is None)
        steps.append(Step("mesh init", f"never initialised: {missing}"))
    changing = {
        stack: why
        for stack in project.stacks
        if (why := _own_reason(project, stack, outputs, known[stack]))
    }
    steps += [_up(stack, why) for stack, why in changing.items()]
    for stack in project.stacks:
        reasons = list(_peers_reasons(project, stack, outputs, known))
        # A new address of a peer is known to the others only once the peer is up.
        follows = [one for one in project.topology.peers_of(stack) if _moves(known[one], changing)]
        reasons += [f"follows {one}" for one in follows]
        if reasons and (stack not in changing or follows):
            steps.append(_up(stack, "; ".join(reasons)))
    return tuple(steps)


def _peer(project: Project, stack: str, outputs: Outputs) -> Peer | str:
    """The stack as its peers know it, or why they can't."""
    exported = (outputs[stack] or {}).get("endpoint")
    planned = planned_endpoint(project.settings[stack])
    try:
        return peer(stack, planned, None if exported is None else Endpoint.from_output(exported))
    except EndpointError as error:
        return f"exported what this program can't read: {str(error).splitlines()[0]}"


def _own_reason(project: Project, stack: str, outputs: Outputs, known: Peer | str) -> str | None:
    if isinstance(known, str):
        return known
    if not (outputs[stack] or {}).get("endpoint"):
        first = stack == project.stacks[0]
        return "makes the CA of the mesh" if first else "was never brought up"
    if known.warning:
        return f"is not what {file_of(stack)} says"
    return None


def _peers_reasons(
    project: Project, stack: str, outputs: Outputs, known: Mapping[str, Peer | str]
) -> Iterator[str]:
    told = (outputs[stack] or {}).get("peers")
    if told is None:
        return
    names = {project.settings[one].cluster.name: one for one in project.topology.peers_of(stack)}
    if strangers := [one for name, one in names.items() if name not in told]:
        yield f"doesn't know {', '.join(sorted(strangers))} yet"
    if gone := sorted(name for name in told if name not in names):
        yield f"still dials {', '.join(gone)}"
    for name, one in names.items():
        now = known[one]
        waited = name in told and told[name].get("status") == "pending"
        if waited and isinstance(now, Peer) and now.status == "exported":
            yield f"waits for the addresses of {one}"


def _moves(known: Peer | str, changing: Mapping[str, str]) -> bool:
    """Whether a stack that is brought up first will then be known otherwise than now."""
    if isinstance(known, str) or known.stack not in changing:
        return False
    return known.status == "pending" or known.warning is not None


def _up(stack: str, why: str) -> Step:
    return Step(f"pulumi up -s {stack}", why)
