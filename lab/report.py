"""Looks at the running mesh as a user would, and says what was seen."""

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lab import kubectl, node, probe
from mesh.dns import DNS_PORT

AGENT = "daemonset/cilium"


@dataclass(frozen=True)
class Cluster:
    """A cluster to look at: its name, zone, where its DNS is asked, its nodes.

    `dns_address` is None where it has no names for the mesh (`dns.forwarding: false`).
    """

    name: str
    zone: str
    dns_address: str | None
    nodes: tuple[str, ...]
    dns_port: int = DNS_PORT


@dataclass(frozen=True)
class Finding:
    """One thing looked at: in which cluster, what, what was seen, and whether it is right."""

    cluster: str
    subject: str
    seen: str
    good: bool


Check = Callable[[Cluster, Sequence[Cluster]], Iterator[Finding]]


def look(clusters: Sequence[Cluster], each: Callable[[Finding], None]) -> list[Finding]:
    """Return the findings of every check in every cluster, handing each to `each` as it comes."""
    findings = []
    for cluster in clusters:
        others = [other for other in clusters if other != cluster]
        for check in CHECKS:
            for finding in _careful(check, cluster, others):
                each(finding)
                findings.append(finding)
    return findings


def _careful(check: Check, cluster: Cluster, others: Sequence[Cluster]) -> Iterator[Finding]:
    try:
        yield from check(cluster, others)
    except kubectl.KubectlError as error:
        subject = check.__name__.replace("_", " ")
        yield Finding(cluster.name, subject, str(error).splitlines()[-1], good=False)


def nodes_are_ready(cluster: Cluster, _others: Sequence[Cluster]) -> Iterator[Finding]:
    """Every node of the cluster says that it is Ready."""
    found = {
        item["metadata"]["name"]: {
            each["type"]: each["status"] for each in item["status"]["conditions"]
        }
        for item in kubectl.get(cluster.name, "nodes")["items"]
    }
    for name in sorted({*cluster.nodes, *found}):
        ready = found.get(name, {}).get("Ready") == "True"
        seen = "Ready" if ready else "not Ready" if name in found else "not there"
        planned = name in cluster.nodes
        if not planned:
            seen += ", but not planned"
        yield Finding(cluster.name, f"node {name}", seen, ready and planned)


def remote_clusters_are_ready(cluster: Cluster, others: Sequence[Cluster]) -> Iterator[Finding]:
    """The Cilium agent is connected to every other cluster, and synchronised."""
    status = kubectl.execute(cluster.name, "kube-system", AGENT, "cilium-dbg", "status", seconds=40)
    found = re.search(r"ClusterMesh:\s+(\d+)/(\d+) remote clusters ready", status)
    good = bool(found) and found is not None and found.groups() == (str(len(others)),) * 2
    seen = found.group(0).partition(":")[2].strip() if found else "no ClusterMesh line"
    yield Finding(cluster.name, "ClusterMesh", seen, good)


def nodes_of_all_clusters_are_known(
    cluster: Cluster, others: Sequence[Cluster]
) -> Iterator[Finding]:
    """The Cilium agent's node list has nodes of every cluster."""
    listed = kubectl.execute(cluster.name, "kube-system", AGENT, "cilium-dbg", "node", "list")
    known = re.findall(r"^(\S+/\S+)\s", listed, re.MULTILINE)
    missing = [
        each.name
        for each in (cluster, *others)
        if not any(name.startswith(f"{each.name}/") for name in known)
    ]
    seen = ", ".join(sorted(known)) or "no nodes"
    yield Finding(cluster.name, "Cilium node list", seen, not missing)


def named_pods_resolve(cluster: Cluster, others: Sequence[Cluster]) -> Iterator[Finding]:
    """A glibc program finds every cluster's named pod, its own cluster's too."""
    for other in _named((cluster, *others), cluster):
        name = probe.name(other.zone)
        answer = _said(cluster, "getent", "hosts", name).split()
        seen = " ".join(answer[:1] if name in answer else answer) or "not found"
        good = len(answer) == 2 and answer[1] == name and _is_pod_of(other, answer[0])
        yield Finding(cluster.name, f"getent hosts {name}", seen, good)


def named_pods_answer(cluster: Cluster, others: Sequence[Cluster]) -> Iterator[Finding]:
    """A TCP connection to a pod of another cluster, by its name, reaches that cluster's pod."""
    for other in _named(others, cluster):
        url = f"http://{probe.name(other.zone)}:{probe.PORT}/cluster"
        answer = _said(cluster, "curl", "--silent", "--max-time", "5", url)
        yield Finding(cluster.name, f"GET {url}", answer or "no answer", answer == other.name)


def announced_addresses_answer(cluster: Cluster, others: Sequence[Cluster]) -> Iterator[Finding]:
    """The other clusters' DNS answers at its announced address, over UDP and over TCP."""
    for other in _named(others, cluster):
        port = () if other.dns_port == DNS_PORT else ("-p", str(other.dns_port))
        for protocol in ("+notcp", "+tcp"):
            server = (protocol, f"@{other.dns_address}", *port)
            question = ("+short", "+time=2", "+tries=2", *server, probe.name(other.zone))
            answer = _said(cluster, "dig", *question)
            subject = " ".join(("dig", *server))
            good = _is_pod_of(other, answer)
            yield Finding(cluster.name, subject, answer or "no answer", good)


def _named(found: Sequence[Cluster], by: Cluster) -> Iterator[Cluster]:
    """Those whose names a cluster finds: without names of its own it forwards nothing either."""
    return (each for each in found if by.dns_address and each.dns_address)


def _said(cluster: Cluster, *command: str) -> str:
    # Nothing is an answer too: one cluster in trouble must not hide what is seen of the others.
    try:
        return probe.run(cluster.name, *command, seconds=30).strip()
    except kubectl.KubectlError:
        return ""


def _is_pod_of(cluster: Cluster, address: str) -> bool:
    try:
        return address == probe.pod_address(cluster.name)
    except kubectl.KubectlError:
        return False


def cluster_addresses_stay_home(cluster: Cluster, others: Sequence[Cluster]) -> Iterator[Finding]:
    """On every node a ClusterIP leads to the node's own cluster, and to no other."""
    address = probe.cluster_ip(cluster.name)
    for name in cluster.nodes:
        own = _ask_from_node(name, address)
        yield Finding(
            cluster.name, f"{name} asks {address}", own or "no answer", own == cluster.name
        )
        for other in others:
            foreign_address = probe.cluster_ip(other.name)
            foreign = _ask_from_node(name, foreign_address)
            subject = f"{name} asks {foreign_address} of {other.name}"
            yield Finding(cluster.name, subject, foreign or "no answer, as it must be", not foreign)


_ASK = (
    "import sys, urllib.request as r; "
    "print(r.urlopen(sys.argv[1], timeout=2).read().decode().strip())"
)


def _ask_from_node(name: str, address: str) -> str:
    running = node.running(name)
    if running is None:
        return ""
    url = f"http://{address}:{probe.PORT}/cluster"
    try:
        command = node.command(running, ["python3", "-c", _ASK, url])
        finished = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return finished.stdout.strip()


CHECKS: tuple[Check, ...] = (
    nodes_are_ready,
    remote_clusters_are_ready,
    nodes_of_all_clusters_are_known,
    named_pods_resolve,
    named_pods_answer,
    announced_addresses_answer,
    cluster_addresses_stay_home,
)
