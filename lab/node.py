"""One node: the namespaces, cgroups and disk of a machine, with systemd as its first process."""

import os
import shlex
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from lab import cgroups, network
from lab.node_disk import Template, copy_store
from lab.paths import NODES, RUN
from lab.process import Process, read_record, write_record

BOOT = Path(__file__).with_name("boot-node.sh")
DIRECTORIES = ("root", "upper", "work", "kubelet", "etcd", "guestinfo")


@dataclass(frozen=True)
class Node(Process):
    """A node that was started: its process holds its namespaces, `uuid` is its machine's."""

    name: str
    uuid: str


def directory(name: str) -> Path:
    """Return the node's directory: its disks and its door for guestinfo."""
    return NODES / name


def prepare_disks(name: str, uuid: str, template: Template) -> None:
    """Give a machine its disks, unless it has them: empty ones, and the template's images."""
    home = directory(name)
    owner = home / "machine"
    # Another machine of this name had these: its successor must not boot from them.
    if owner.exists() and owner.read_text() == uuid:
        return
    shutil.rmtree(home, ignore_errors=True)
    for part in DIRECTORIES:
        (home / part).mkdir(parents=True)
    copy_store(template.containerd, home / "containerd")
    owner.write_text(uuid)


def start(name: str, uuid: str, template: Template) -> Node:
    """Power the node on: namespaces, cgroups, network cable, systemd.

    Its console goes to `console.log` in its directory.
    """
    cgroups.create(name)
    home = directory(name)
    boot = shlex.join(
        [
            *("unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--fork"),
            "--kill-child=SIGKILL",
            *(str(BOOT), str(home), str(template.root), network.NODE_INTERFACE),
        ]
    )
    with (home / "console.log").open("ab") as console:
        process = subprocess.Popen(
            ["bash", "-c", f"{cgroups.join_script(name)}; exec {boot}"],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=console,
            start_new_session=True,
        )
    # Recorded first: whatever fails from here on, somebody knows what to end.
    started = Process.of(process.pid)
    node = Node(pid=started.pid, started=started.started, name=name, uuid=uuid)
    write_record(record(name), node)
    _await_own_network(process.pid)
    cgroups.leave(name, process.pid)
    network.connect(name, process.pid)
    return node


def stop(node: Node, *, wipe: bool) -> None:
    """Power the node off at once, as a machine that loses its current; `wipe` takes its disks."""
    if node.is_running():
        os.kill(node.pid, signal.SIGKILL)
    for pid in cgroups.processes(node.name):
        _kill(pid)
    cgroups.remove(node.name)
    record(node.name).unlink(missing_ok=True)
    if wipe:
        wipe_disks(node.name)


def wipe_disks(name: str) -> None:
    """Remove the disks of a node that doesn't run."""
    shutil.rmtree(directory(name), ignore_errors=True)


def names_with_disks() -> set[str]:
    """Return the names of all nodes that have disks, running or not."""
    return {path.name for path in NODES.iterdir()} if NODES.exists() else set()


def end_strays() -> None:
    """End the processes of nodes that nobody has a record of."""
    for name in cgroups.nodes():
        for pid in cgroups.processes(name):
            _kill(pid)


def running(name: str) -> Node | None:
    """Return the node of this name if it was started and still runs."""
    node = recorded(name)
    return node if node and node.is_running() else None


def recorded(name: str) -> Node | None:
    """Return what is known of the node of this name, running or not."""
    found = read_record(record(name))
    return Node(**found) if found else None  # type: ignore[arg-type]


def all_recorded() -> list[Node]:
    """Return every node that was started and not stopped, by name."""
    names = sorted(path.stem for path in (RUN / "nodes").glob("*.json"))
    return [node for name in names if (node := recorded(name))]


def command(node: Node, arguments: list[str]) -> list[str]:
    """Return the command line that runs `arguments` inside the node.

    It joins the node's cgroups too: socket-level load balancing hangs on them.
    """
    inside = shlex.join(
        [
            *("nsenter", f"--target={first_process(node)}"),
            *("--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--", *arguments),
        ]
    )
    join = cgroups.join_script(node.name, cgroups.visiting_part())
    return ["bash", "-c", f"{join}; exec {inside}"]


def first_process(node: Node) -> int:
    """Return the machine-wide process id of the node's systemd."""
    children = Path(f"/proc/{node.pid}/task/{node.pid}/children").read_text().split()
    if not children:
        raise ProcessLookupError(f"node {node.name} has ended")
    return int(children[0])


def record(name: str) -> Path:
    """Return the file that says under which process the node runs."""
    return RUN / "nodes" / f"{name}.json"


def _await_own_network(pid: int, seconds: float = 10) -> None:
    ours = Path("/proc/self/ns/net").stat().st_ino
    deadline = time.monotonic() + seconds
    while Path(f"/proc/{pid}/ns/net").stat().st_ino == ours:
        if time.monotonic() > deadline:
            raise TimeoutError(f"process {pid} got no network namespace of its own")
        time.sleep(0.02)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
