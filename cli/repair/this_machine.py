"""What a killed engine left on this machine: its lock, and the processes it had started."""

import os
from collections.abc import Callable, Iterator
from functools import partial

from cli.engine import Engine
from cli.failure import Failure
from cli.project import Project
from cli.repair import lock, orphans
from cli.repair.action import Action


def look(
    project: Project, engine: Engine, stack: str, say: Callable[[str], None]
) -> Iterator[Action]:
    """What to remove and to end. Raises Failure when somebody works on the stack."""
    yield from _locks(project, engine.backend(), stack, say)
    found = orphans.orphans(
        orphans.running(), project.name, project.directory.resolve(), os.getpid()
    )
    for process in found:
        line = f"end {process}: it works on without its engine"
        yield Action(line, partial(orphans.end, process))


def _locks(
    project: Project, backend: str, stack: str, say: Callable[[str], None]
) -> Iterator[Action]:
    directory = lock.state_directory(backend, project.directory)
    if directory is None:
        say(f"a lock in {backend} is not looked at: `pulumi cancel -s {stack}` removes it")
        return
    for found in lock.locks(directory, project.name, stack):
        reason = lock.reason_to_keep(found, lock.host(), lock.holder(found.pid))
        if reason:
            raise Failure(reason)
        line = f"remove the lock of {found}: that engine is gone"
        yield Action(line, partial(lock.remove, found))
