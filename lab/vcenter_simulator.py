"""The simulated vCenter, with the very inventory that the shipped stack files name."""

import subprocess
import sys
import time

from lab import daemon, network
from lab.paths import cache
from lab.vcenter import VCenter, VCenterError, connect

NAME = "vcsim"
ADDRESS = "10.11.84.2"
PORT = 443
START_SECONDS = 30.0


def start(placement: dict[str, str], folder: str) -> None:
    """Start the simulator unless it runs.

    `placement` is the `vsphere` group of a stack file; `folder` is the empty folder for the mesh.
    """
    daemon.start(
        NAME,
        network.command(
            [
                str(cache() / "bin" / NAME),
                f"-listen={ADDRESS}:{PORT}",
                f"-datacenter={placement['datacenter']}",
                f"-cluster={placement['cluster']}",
                f"-datastore={placement['datastore']}",
                f"-port-group={placement['portGroup']}",
                f"-template={placement['template']}",
                f"-folder={folder}",
            ]
        ),
    )


def client() -> VCenter:
    """Return a session with the simulator, from inside the lab's network; waits for its start."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return connect(ADDRESS, PORT, "lab", "lab")
        except VCenterError:
            if time.monotonic() > deadline or not daemon.is_running(NAME):
                raise
            time.sleep(0.2)


def machine_names() -> list[str]:
    """Return the names of the virtual machines there are, asked from outside the lab's network."""
    script = (
        "from lab.vcenter_simulator import client; "
        "print(*(machine.name for machine in client().virtual_machines()))"
    )
    command = network.command([sys.executable, "-c", script])
    asked = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return asked.stdout.split()
