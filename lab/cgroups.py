"""A subtree of the machine's cgroups per node, on cgroup v1 and v2 machines."""

import os
import time
from contextlib import suppress
from pathlib import Path

from lab.paths import NAME

ROOT = Path("/sys/fs/cgroup")


def is_version_2() -> bool:
    """Tell whether this machine has the one unified hierarchy."""
    return (ROOT / "cgroup.controllers").exists()


def hierarchies() -> list[Path]:
    """Return the mounted hierarchies: one on cgroup v2, one per controller on v1."""
    if is_version_2():
        return [ROOT]
    return sorted(path for path in ROOT.iterdir() if path.is_dir() and not path.is_symlink())


def create(node: str) -> list[Path]:
    """Make the node's cgroup in every hierarchy and return them, ready to be joined."""
    made = []
    for hierarchy in hierarchies():
        parent = hierarchy / NAME
        _make(parent)
        _make(parent / node)
        made.append(parent / node)
    return made


def join_script(node: str, part: str = "") -> str:
    """Return shell words that move the shell itself into the node's cgroups, or a part of them."""
    files = (hierarchy / NAME / node / part / "cgroup.procs" for hierarchy in hierarchies())
    return "; ".join(f"echo $$ > {path}" for path in files)


def visiting_part() -> str:
    """Return the part of a running node's cgroups that takes a visiting process.

    On cgroup v2 a group with controllers for its children holds no processes itself.
    """
    return "init.scope" if is_version_2() else ""


def leave(node: str, pid: int) -> None:
    """Move the process that started the node out of the top group that systemd will divide.

    Only cgroup v2 asks for this: see `visiting_part`.
    """
    if is_version_2():
        launchers = ROOT / NAME / f"{node}.launcher"
        launchers.mkdir(exist_ok=True)
        (launchers / "cgroup.procs").write_text(str(pid))


def remove(node: str, seconds: float = 10) -> None:
    """Remove the node's cgroups, whose processes must be ending; waits for the last of them.

    Raises:
        TimeoutError: processes are still there after `seconds`.
    """
    deadline = time.monotonic() + seconds
    for hierarchy in hierarchies():
        _remove_tree(hierarchy / NAME / node, deadline)
        _remove_tree(hierarchy / NAME / f"{node}.launcher", deadline)


def remove_all() -> None:
    """Remove what is left of every node's cgroups, and the lab's own level."""
    for hierarchy in hierarchies():
        _remove_tree(hierarchy / NAME, time.monotonic() + 10)


def nodes() -> set[str]:
    """Return the names of all nodes that have cgroups."""
    tops = (hierarchy / NAME for hierarchy in hierarchies())
    return {path.name for top in tops if top.exists() for path in top.iterdir() if path.is_dir()}


def processes(node: str) -> set[int]:
    """Return the process ids in the node's cgroups, on any level of any hierarchy."""
    found: set[int] = set()
    for hierarchy in hierarchies():
        for path, _, _ in os.walk(hierarchy / NAME / node):
            with suppress(OSError):
                found.update(int(pid) for pid in Path(path, "cgroup.procs").read_text().split())
    return found


def _make(path: Path) -> None:
    path.mkdir(exist_ok=True)
    # A cpuset without processors and memory takes no process (cgroup v1).
    for name in ("cpuset.cpus", "cpuset.mems"):
        setting = path / name
        if setting.exists() and not is_version_2() and not setting.read_text().strip():
            setting.write_text((path.parent / name).read_text())
    if is_version_2():
        _delegate(path.parent)


def _delegate(parent: Path) -> None:
    controllers = (parent / "cgroup.controllers").read_text().split()
    (parent / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in controllers))


def _remove_tree(top: Path, deadline: float) -> None:
    # Groups go away by themselves while their processes end: what is there is read anew each time.
    while top.exists():
        for path, _, _ in os.walk(top, topdown=False):
            with suppress(OSError):
                Path(path).rmdir()
        if time.monotonic() > deadline:
            raise TimeoutError(f"cgroup {top} still holds processes: {_holders(top)}")
        time.sleep(0.05)


def _holders(top: Path) -> list[str]:
    return sorted({pid for path in top.rglob("cgroup.procs") for pid in path.read_text().split()})
