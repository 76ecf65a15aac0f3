"""Keeps the nodes as the vCenter has them: what is powered on there runs here."""

import logging
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyroute2 import NetlinkError

from lab import node, vcenter_simulator
from lab.guestinfo import GuestInfoServer
from lab.node import Node
from lab.node_disk import Template
from lab.vcenter import VCenter, VCenterError, VirtualMachine

NAME = "supervisor"
POLL_SECONDS = 1.0

log = logging.getLogger("lab.supervisor")


class Supervisor:
    """Starts, stops and wipes nodes to follow one vCenter; `run` ends when `stop` is called."""

    def __init__(self, vcenter: VCenter, template: Template) -> None:
        self._vcenter, self._template = vcenter, template
        self._doors: dict[str, GuestInfoServer] = {}
        self._ending = threading.Event()

    def run(self) -> None:
        """Follow the vCenter until told to stop; a vCenter that doesn't answer is waited for."""
        while not self._ending.wait(POLL_SECONDS):
            try:
                self.follow(self._vcenter.virtual_machines())
            except VCenterError as error:
                log.warning("%s", error)
            except OSError:
                log.exception("this round could not be finished")

    def stop(self) -> None:
        """End `run`; the nodes stay as they are."""
        self._ending.set()

    def follow(self, machines: list[VirtualMachine]) -> None:
        """Make the running nodes those of `machines` that are powered on."""
        wanted = {machine.name: machine for machine in machines}
        for known in node.all_recorded():
            with _trouble_of(known.name):
                self._keep_or_end(known, wanted.get(known.name))
        for name in node.names_with_disks() - wanted.keys():
            node.wipe_disks(name)
        for machine in machines:
            with _trouble_of(machine.name):
                if machine.powered_on:
                    self._power_on(machine)

    def _keep_or_end(self, known: Node, machine: VirtualMachine | None) -> None:
        if machine is None or machine.uuid != known.uuid:
            self._power_off(known, wipe=True)
        elif not machine.powered_on or not known.is_running():
            self._power_off(known, wipe=False)

    def _power_on(self, machine: VirtualMachine) -> None:
        running = node.running(machine.name)
        if running is None:
            log.info("power on %s", machine.name)
            node.prepare_disks(machine.name, machine.uuid, self._template)
        if machine.name not in self._doors:
            self._open_door(machine)
        if running is None:
            node.start(machine.name, machine.uuid, self._template)

    def _power_off(self, known: Node, *, wipe: bool) -> None:
        log.info("%s %s", "remove" if wipe else "power off", known.name)
        door = self._doors.pop(known.name, None)
        if door:
            door.close()
        node.stop(known, wipe=wipe)

    def _open_door(self, machine: VirtualMachine) -> None:
        def read(key: str) -> str | None:
            found = {each.moid: each.extra_config for each in self._vcenter.virtual_machines()}
            return found.get(machine.moid, {}).get(key)

        def write(key: str, value: str) -> None:
            self._vcenter.set_extra_config(machine.moid, {key: value})

        door = node.directory(machine.name) / "guestinfo"
        self._doors[machine.name] = GuestInfoServer(door, read, write)


@contextmanager
def _trouble_of(name: str) -> Iterator[None]:
    # One node in trouble must not leave the others without a supervisor; it is tried again.
    try:
        yield
    except (OSError, subprocess.SubprocessError, NetlinkError):
        log.exception("%s could not be handled", name)


def main(root: str, containerd: str) -> None:
    """Run a supervisor of nodes made of this template, in the lab's network, until SIGTERM."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    supervisor = Supervisor(vcenter_simulator.client(), Template(Path(root), Path(containerd)))
    signal.signal(signal.SIGTERM, lambda *_: supervisor.stop())
    supervisor.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
