"""What `lab up` and `lab down` do, in order."""

import fcntl
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Interface, IPv4Network

from rich.console import Console

from lab import (
    building,
    cgroups,
    daemon,
    engine,
    images,
    inside,
    kubeconfig,
    limits,
    network,
    node,
    overrides,
    prerequisites,
    probe,
    project,
    pulumi_programs,
    report,
    storage,
    supervisor,
    template,
    vcenter_simulator,
)
from lab.failure import LabError
from lab.node_disk import Template
from lab.paths import NODES, RUN
from lab.timeline import Timeline
from lab.vsphere_stand_in.wrapper import write_plugin
from mesh.nodes import nodes

LOCK = RUN.with_suffix(".lock")


@contextmanager
def alone() -> Iterator[None]:
    """Hold the machine's one lab for this process.

    Raises:
        LabError: another command is changing the lab.
    """
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LabError("another lab command is running; wait for it to end") from error
        yield


def build(console: Console, timeline: Timeline) -> Template:
    """Build the programs, images and node template that aren't there yet; returns the template."""

    prerequisites.install_missing(console.print)
    if missing := prerequisites.problems():
        raise LabError("this machine can't run the lab:\n  " + "\n  ".join(missing))

    def built(name: str, number: int, count: int, seconds: float) -> None:
        if seconds > 1:
            console.print(f"  [{number}/{count}] {name} ({seconds:.0f} s)")

    console.print("building what isn't built yet (cold: about 45 minutes) …")
    with timeline.phase("programs"):
        building.build(built, pulumi_programs.needed())
    with timeline.phase("images"):
        archives = images.build_images(built)
    with timeline.phase("node template"):
        return template.node_template(archives, built)


def start(console: Console, made_of: Template) -> None:
    """Start the network, the simulated vCenter and the supervisor, unless they run."""
    if engine.STATE.exists() and not daemon.is_running(vcenter_simulator.NAME):
        console.print("the simulated vCenter is gone, and its machines with it: starting afresh")
        down()
    RUN.mkdir(parents=True, exist_ok=True)
    limits.lift()
    for change in write_project():
        text = f"  changed for this machine: {change.key} = {change.value}: {change.reason}"
        console.print(text, soft_wrap=True)
    placement = project.group(project.stacks()[0], "vsphere")
    network.create(_site_addresses())
    inside.write_hosts({placement["server"]: vcenter_simulator.ADDRESS})
    _place_vsphere_plugin(console)
    engine.STATE.mkdir(parents=True, exist_ok=True)
    folder = placement["folder"].partition("/")[0]
    vcenter_simulator.start(placement, folder)
    supervision = inside.python("lab.supervisor", str(made_of.root), str(made_of.containerd))
    daemon.start(supervisor.NAME, network.command(supervision))
    for stack in project.stacks():
        engine.run("initialise", stack)


def write_project() -> list[overrides.Change]:
    """Write the working copy as the shipped files are now; returns what the lab changes in it."""
    changed = overrides.changes()
    project.write_copy(overrides.overrides(changed))
    return changed


def _place_vsphere_plugin(console: Console) -> None:
    inside.PLUGINS.mkdir(parents=True, exist_ok=True)
    plugin = inside.PLUGINS / "pulumi-resource-vsphere"
    # A link of an earlier run would let the stand-in be written over the real plugin.
    plugin.unlink(missing_ok=True)
    real = pulumi_programs.real_vsphere_plugin()
    if real is None:
        write_plugin(inside.PLUGINS)
        install = pulumi_programs.VSPHERE_PLUGIN.replace("resource-vsphere-", "resource vsphere ")
        text = f"  stand-in for the vSphere plugin; the real one: pulumi plugin install {install}"
        console.print(text, soft_wrap=True)
    else:
        plugin.symlink_to(real / plugin.name)


def bring_up(stacks: Sequence[str], timeline: Timeline) -> None:
    """Bring stacks up one after the other, by one `up` each; volumes can then be claimed."""
    for stack in stacks:
        with timeline.phase(f"up {stack}"):
            engine.run("up", stack)
        kubeconfig.write()
        storage.install(project.group(stack, "cluster")["name"])


def clusters() -> list[report.Cluster]:
    """Return the clusters of the working copy's stacks that have been brought up."""
    found = []
    for stack in project.stacks():
        facts, endpoint = project.group(stack, "cluster"), engine.output(stack, "endpoint")
        if endpoint:
            planned = tuple(node.name for node in nodes(project.settings(stack)))
            address, port = next(iter(endpoint["dns"]["addresses"]), None), endpoint["dns"]["port"]
            found.append(report.Cluster(facts["name"], facts["zone"], address, planned, port))
    return found


def install_probes(timeline: Timeline) -> None:
    """Bring the report's pods into every cluster."""
    with timeline.phase("probe pods"):
        for cluster in clusters():
            probe.install(cluster.name)


def down() -> None:
    """End everything the lab started and remove what it made, but for what is built once."""
    daemon.stop(supervisor.NAME)
    daemon.stop(vcenter_simulator.NAME)
    for known in node.all_recorded():
        node.stop(known, wipe=True)
    node.end_strays()
    cgroups.remove_all()
    network.remove()
    limits.put_back()
    for path in (NODES, project.COPY, engine.STATE, engine.HOME, RUN):
        shutil.rmtree(path, ignore_errors=True)


def _site_addresses() -> list[IPv4Interface]:
    facts = project.group(project.stacks()[0], "network")
    length = IPv4Network(facts["nodeCidr"]).prefixlen
    return [IPv4Interface(f"{ip}/{length}") for ip in (facts["gateway"], vcenter_simulator.ADDRESS)]


def settled(console: Console, seconds: float = 120) -> list[report.Finding]:
    """Return the report once everything in it is right, or as it is after `seconds`.

    Remote clusters are synchronised some seconds after the last `up` ended.
    """
    deadline = time.monotonic() + seconds
    while True:
        findings = report.look(clusters(), lambda _: None)
        if all(finding.good for finding in findings) or time.monotonic() > deadline:
            return findings
        bad = next(finding for finding in findings if not finding.good)
        console.print(f"  waiting for {bad.cluster}: {bad.subject}: {bad.seen}", markup=False)
        time.sleep(3)
