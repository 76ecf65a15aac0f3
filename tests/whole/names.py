"""Names and pods of the lab, asked for as a program in a pod does: by glibc, then by TCP."""

from collections.abc import Iterator
from contextlib import contextmanager

from lab import kubectl, lifecycle, link, probe, project
from lab.link import Link
from lab.report import Cluster

OTHER = {"east": "west", "west": "east"}
BOTH_WAYS = tuple(OTHER.items())


def found(asking: str, name: str, seconds: float = 20) -> str | None:
    """Return the address a glibc program in a cluster finds for a name; None when it finds none."""
    try:
        answer = probe.run(asking, "getent", "ahosts", name, seconds=seconds)
    except kubectl.KubectlError:
        return None
    return answer.split()[0]


def reached(asking: str, name: str) -> str | None:
    """Return which cluster the pod of that name says it is in; None when there is no answer."""
    url = f"http://{name}:{probe.PORT}/cluster"
    try:
        return probe.run(asking, "curl", "--silent", "--max-time", "3", url).strip()
    except kubectl.KubectlError:
        return None


def zone(cluster: str) -> str:
    """Return the zone of a cluster's names."""
    written: str = project.group(cluster, "cluster")["zone"]
    return written


def pod_name(cluster: str, number: int = 0) -> str:
    """Return the name of a probe pod, the same in every cluster."""
    return probe.name(zone(cluster)).replace(probe.POD, f"{probe.SERVICE}-{number}", 1)


def is_fresh(asking: str, asked: str) -> bool:
    """Say whether one cluster finds the address the other's pod has now, and reaches it."""
    name = pod_name(asked)
    return found(asking, name) == probe.pod_address(asked) and reached(asking, name) == asked


def all_fresh() -> bool:
    """Say whether both clusters find and reach each other's pods."""
    return all(is_fresh(asking, asked) for asking, asked in BOTH_WAYS)


def dig(asking: str, address: str, name: str, *options: str) -> str:
    """Return what the DNS at an address answers a pod, in short; "" when it doesn't."""
    asked = ("dig", "+short", "+time=1", "+tries=2", *options, f"@{address}", name)
    try:
        return probe.run(asking, *asked).strip()
    except kubectl.KubectlError:
        return ""


def cluster(name: str) -> Cluster:
    """Return a cluster as the lab's report sees it, with the address of its DNS."""
    return next(each for each in lifecycle.clusters() if each.name == name)


@contextmanager
def broken_link(state: Link) -> Iterator[None]:
    """Break the way between the sites inside, and mend it whatever happens there."""
    link.set_link(state)
    try:
        yield
    finally:
        link.set_link(Link.WHOLE)
