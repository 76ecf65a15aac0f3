"""The lock of a state kept in files: held by a living engine, or left by a dead one."""

import json
import os
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

from cli.failure import Failure


@dataclass(frozen=True)
class Lock:
    """A lock file, and who it says made it; the time is UTC."""

    file: Path
    pid: int
    user: str
    host: str
    made: datetime

    def __str__(self) -> str:
        return f"pid {self.pid} of {self.user} on {self.host}"


@dataclass(frozen=True)
class Holder:
    """The process that has a lock's pid now; the time of its start is UTC."""

    command: str
    started: datetime


def reason_to_keep(lock: Lock, host: str, holder: Holder | None) -> str | None:
    """Why a lock may not be removed from this machine, or None when nobody holds it."""
    if lock.host != host:
        return (
            f"the stack is locked by {lock}, and this is {host}: repair it there, or when that"
            " engine is surely gone run `pulumi cancel`"
        )
    if holder and "pulumi" in holder.command and holder.started <= lock.made:
        return f"the stack is locked by {lock}, which is running: wait for it, or end it first"
    return None


def state_directory(backend: str, directory: Path) -> Path | None:
    """Where a file backend's URL keeps its state, seen from `directory`; None for another kind."""
    scheme, _, rest = backend.partition("://")
    if scheme != "file":
        return None
    path = urllib.parse.unquote(rest.partition("?")[0])
    return directory / Path(path).expanduser() / ".pulumi"


def locks(state: Path, project: str, stack: str) -> Iterator[Lock]:
    """The locks of a stack. Raises Failure on one that can't be read."""
    for file in sorted((state / "locks" / "organization" / project / stack).glob("*.json")):
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            yield Lock(file, found["pid"], found["username"], found["hostname"], _time(found))
        except FileNotFoundError:
            continue
        except (ValueError, KeyError, TypeError) as error:
            raise Failure(f"{file} is no lock of a known kind: run `pulumi cancel`") from error


def holder(pid: int) -> Holder | None:
    """The process with this pid, if there is one and it isn't dead already."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        started = datetime.fromtimestamp(process.create_time(), UTC)
        return Holder(" ".join(process.cmdline()) or process.name(), started)
    except psutil.NoSuchProcess:
        return None


def host() -> str:
    """This machine's name as the engine writes it."""
    return os.uname().nodename


def remove(lock: Lock) -> None:
    """Remove a lock with what the backend keeps beside it."""
    lock.file.unlink(missing_ok=True)
    lock.file.with_name(f"{lock.file.name}.attrs").unlink(missing_ok=True)


def _time(found: dict[str, str]) -> datetime:
    # The engine writes its local time with the offset; digits after microseconds are dropped.
    made = datetime.fromisoformat(found["timestamp"]).astimezone(UTC)
    # Rounded up: a process of the same second may be the lock's own.
    return made.replace(microsecond=999_999)
