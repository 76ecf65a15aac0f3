"""One repair of one stack: look, tell, ask, do, and say what comes next."""

from collections.abc import Callable, Collection
from contextlib import ExitStack

from cli.engine import Engine
from cli.failure import Failure
from cli.project import Project
from cli.repair import pending, this_machine
from cli.repair.action import Action
from cli.repair.outside import KUBERNETES, VSPHERE, Looker
from cli.state import Operation, State, state_of

Say = Callable[[str], None]
Consent = Callable[[], bool] | None
"""Asks whether to do what was said; None is a dry run, which never asks and never does."""

_SIDES = {VSPHERE: "vCenter", KUBERNETES: "the cluster"}


class Session:
    """A repair of one stack of a project; `say` gets every line."""

    def __init__(
        self, project: Project, engine: Engine, stack: str, say: Say, consent: Consent
    ) -> None:
        self._project, self._engine, self._stack = project, engine, stack
        self._say, self._consent = say, consent

    def run(self) -> None:
        """Repair the stack. Raises Failure when something is refused, or must be left."""
        # This machine first, so that nothing moves while the rest is looked at.
        here = list(this_machine.look(self._project, self._engine, self._stack, self._say))
        self._carry_out("on this machine", here)
        self._say(f"reading the state of {self._stack} …")
        state = state_of(self._engine.export(self._stack, show_secrets=True))
        with ExitStack() as connections:
            looker = Looker(self._project, self._engine, self._stack, self._say, connections)
            outside = looker.look(state)
            actions = outside.actions
            overlooked = [side for side in outside.unseen if _concerns(state, side)]
            if not overlooked:
                # Last: an interrupted repair must find again what was being created.
                actions = [*actions, *self._forgetting(state.pending)]
            self._carry_out("in vCenter, the cluster and the state", actions)
        if overlooked:
            raise Failure(
                f"pending operations stay in the state until {_named(overlooked)} could be"
                f" looked at completely: run `mesh repair {self._stack}` again then"
            )
        self._conclude(state, outside.unseen, something=bool(here or actions))

    def _carry_out(self, where: str, actions: list[Action]) -> None:
        if not actions:
            return
        self._say(f"to do {where}:")
        for action in actions:
            self._say(f"  {action.line}")
        if self._consent is None:
            return
        if not self._consent():
            raise Failure("nothing of this was done")
        for number, action in enumerate(actions, start=1):
            self._say(f"doing {number} of {len(actions)}: {action.line}")
            action.do()

    def _forgetting(self, operations: Collection[Operation]) -> list[Action]:
        """One action that forgets them all, with a line for each."""
        if not operations:
            return []
        lines = [f"forget that it was {pending.explained(one)}" for one in operations]
        return [Action("\n  ".join(lines), self._forget)]

    def _forget(self) -> None:
        encrypted = self._engine.export(self._stack, show_secrets=False)
        self._engine.import_encrypted(self._stack, pending.without_pending(encrypted))

    def _conclude(self, state: State, unseen: Collection[str], *, something: bool) -> None:
        # No failure: the next up is what makes a cluster answer that was cut short too early.
        blind = f", but did not look at {_named(unseen)}: by the state nothing was under way there"
        but = blind if unseen else ""
        if self._consent is None and something:
            self._say(f"dry run, nothing was done{but}; next: mesh repair {self._stack}")
            return
        refresh = " --refresh" if any(map(pending.needs_refresh, state.pending)) else ""
        done = "repaired" if something else "found nothing to repair"
        self._say(f"{done}{but}; next: pulumi up{refresh} -s {self._stack}")


def _named(sides: Collection[str]) -> str:
    return " and ".join(sorted(_SIDES[side] for side in sides))


def _concerns(state: State, side: str) -> bool:
    return any(one.resource.type.startswith(side) for one in state.pending)
