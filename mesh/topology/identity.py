"""Rules about who a cluster is: nobody else, neither in the mesh nor in a vCenter."""

from collections.abc import Iterator

from mesh.settings import Problem, VsphereSettings
from mesh.topology.topology import Topology, problem


def names_differ(topology: Topology) -> Iterator[Problem]:
    """Cilium knows a peer by its name, and the vCenter knows a VM by one that begins with it.

    Source: Cilium's documentation, network/clustermesh/setup; cilium#29161.
    """
    names = {stack: settings.cluster.name for stack, settings in topology.clusters.items()}
    for stack, other in topology.equal(names):
        reason = f"is cluster.name of {other} too"
        yield problem(stack, "cluster.name", names[stack], reason, "write a name of its own")


def ids_differ(topology: Topology) -> Iterator[Problem]:
    """An id is part of every identity that crosses the mesh, and stands for one cluster.

    Source: Cilium's documentation, network/clustermesh/setup (`cluster.id` is unique); a second
    one is refused at run time only, as `already used`.
    """
    ids = {stack: settings.cluster.id for stack, settings in topology.clusters.items()}
    for stack, other in topology.equal(ids):
        reason = f"is cluster.id of {other} too"
        yield problem(stack, "cluster.id", ids[stack], reason, "write an id of its own")


def folders_are_apart(topology: Topology) -> Iterator[Problem]:
    """Each stack makes its folder, and takes it away with its cluster.

    Source: vSphere refuses a second folder of one name, and to remove one that is not empty. It
    takes names that differ in case only for one.
    """
    places = {stack: _place(one.vsphere) for stack, one in topology.clusters.items()}
    holders: dict[tuple[str, ...], str] = {}
    for stack in topology.ordered():
        holders.setdefault(places[stack], stack)
    for stack, other in topology.equal(places):
        folder = topology.clusters[stack].vsphere.folder
        reason = f"is vsphere.folder of {other} too"
        yield problem(stack, "vsphere.folder", folder, reason, "write a folder of its own")
    for place, stack in holders.items():
        outer = (holders.get(place[:length]) for length in range(3, len(place)))
        for other in filter(None, outer):
            folders = [topology.clusters[one].vsphere.folder for one in (stack, other)]
            reason = f"is in vsphere.folder of {other}, {folders[1]!r}, and goes when that goes"
            yield problem(stack, "vsphere.folder", folders[0], reason, "write one outside it")


def _place(vsphere: VsphereSettings) -> tuple[str, ...]:
    """The vCenter, the datacenter, and the names on the way down to the folder."""
    return (vsphere.server.lower(), vsphere.datacenter, *vsphere.folder.lower().split("/"))
