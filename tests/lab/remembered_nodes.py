"""A vCenter and nodes that are only remembered, for a supervisor to follow."""

import shutil
from pathlib import Path

from lab.node import Node
from lab.node_disk import Template
from lab.vcenter import VCenterError, VirtualMachine

TEMPLATE = Template(Path("/template/root"), Path("/template/containerd"))


def machine(name: str, *, uuid: str = "1", on: bool = True, **keys: str) -> VirtualMachine:
    held = {f"guestinfo.{key}": value for key, value in keys.items()}
    return VirtualMachine(name, f"vm-{name}-{uuid}", uuid, on, held, "mesh/east")


class Nodes:
    """The nodes of a machine, and what was done to them, in order."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.known: dict[str, Node] = {}
        self.dead: set[str] = set()
        self.done: list[str] = []
        self.failing: dict[str, Exception] = {}

    def all_recorded(self) -> list[Node]:
        return sorted(self.known.values(), key=lambda each: each.name)

    def running(self, name: str) -> Node | None:
        return None if name in self.dead else self.known.get(name)

    def names_with_disks(self) -> set[str]:
        return {path.name for path in self.home.iterdir()}

    def wipe_disks(self, name: str) -> None:
        shutil.rmtree(self.directory(name))
        self.done.append(f"wipe disks {name}")

    def prepare_disks(self, name: str, _uuid: str, template: Template) -> None:
        assert template == TEMPLATE
        (self.directory(name) / "guestinfo").mkdir(parents=True, exist_ok=True)
        self.done.append(f"disks {name}")

    def start(self, name: str, uuid: str, _: Template) -> Node:
        if name in self.failing:
            raise self.failing[name]
        # A node that starts asks for its user data at once.
        assert (self.directory(name) / "guestinfo" / "socket").exists()
        self.dead.discard(name)
        self.known[name] = Node(pid=1, started=0, name=name, uuid=uuid)
        self.done.append(f"start {name} {uuid}")
        return self.known[name]

    def stop(self, known: Node, *, wipe: bool) -> None:
        if known.name in self.failing:
            raise self.failing[known.name]
        del self.known[known.name]
        if wipe:
            shutil.rmtree(self.directory(known.name))
        self.done.append(f"{'wipe' if wipe else 'stop'} {known.name}")

    def directory(self, name: str) -> Path:
        return self.home / name


class FakeVCenter:
    """A vCenter of which a test says what there is, or how it fails."""

    def __init__(self) -> None:
        self.machines: list[VirtualMachine] = []
        self.failure: VCenterError | None = None
        self.set: list[tuple[str, dict[str, str]]] = []

    def virtual_machines(self) -> list[VirtualMachine]:
        if self.failure:
            raise self.failure
        return self.machines

    def set_extra_config(self, moid: str, values: dict[str, str]) -> None:
        self.set.append((moid, values))
