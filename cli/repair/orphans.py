"""Plugins and programs that work on after their engine was killed.

The Kubernetes plugin was seen waiting for a Helm release for minutes without its engine; at the
end of its patience it would uninstall the release that the next `up` has made by then.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

_SECONDS = 5
_ENGINE_ADDRESS = re.compile(r"127\.0\.0\.1:\d+")


@dataclass(frozen=True)
class Process:
    """A process as far as it matters here; `project` is what its engine told it."""

    pid: int
    parent: int
    name: str
    command: tuple[str, ...]
    directory: Path | None
    project: str

    def __str__(self) -> str:
        called = next((Path(word).name for word in self.command if "pulumi-" in word), self.name)
        return f"{called} (pid {self.pid})"


def orphans(
    processes: Collection[Process], project: str, directory: Path, own_pid: int
) -> Iterator[Process]:
    """The processes that an engine started for this project, and that have none any more."""
    by_pid = {process.pid: process for process in processes}
    own = {process.pid for process in _ancestry(own_pid, by_pid)}
    for process in processes:
        started_here = process.project == project and process.directory == directory
        above = list(_ancestry(process.parent, by_pid))
        if (
            started_here
            and process.pid not in own
            and _works_for_an_engine(process)
            and not any(_is_engine(ancestor) for ancestor in above)
        ):
            yield process


def running() -> list[Process]:
    """Every process of this machine; what may not be looked at is left out of it."""
    return [known for found in psutil.process_iter() if (known := _process(found))]


def end(process: Process) -> None:
    """End a process, gently and then for certain."""
    try:
        found = psutil.Process(process.pid)
    except psutil.NoSuchProcess:
        return
    found.terminate()
    try:
        found.wait(_SECONDS)
    except psutil.TimeoutExpired:
        found.kill()


def _works_for_an_engine(process: Process) -> bool:
    words = [Path(word).name for word in process.command]
    named = any(word.startswith(("pulumi-resource-", "pulumi-language-")) for word in words)
    return named or any(_ENGINE_ADDRESS.fullmatch(word) for word in process.command)


def _is_engine(process: Process) -> bool:
    return process.name == "pulumi"


def _ancestry(pid: int, by_pid: Mapping[int, Process]) -> Iterator[Process]:
    seen: set[int] = set()
    while pid in by_pid and pid not in seen:
        seen.add(pid)
        yield by_pid[pid]
        pid = by_pid[pid].parent


def _process(found: psutil.Process) -> Process | None:
    try:
        name, command, parent = found.name(), tuple(found.cmdline()), found.ppid()
    except psutil.Error:
        return None
    try:
        directory, project = Path(found.cwd()), found.environ().get("PULUMI_PROJECT", "")
    except psutil.Error:  # another user's, or the kernel's
        directory, project = None, ""
    return Process(found.pid, parent, name, command, directory, project)
