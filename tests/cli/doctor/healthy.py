"""A mesh of two clusters in which nothing is wrong, to change one thing in at a time."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from cli.doctor.facts import (
    Agent,
    Answer,
    Certificate,
    Cilium,
    Cluster,
    Controller,
    Dns,
    LoadBalancer,
    Node,
    Pod,
    Release,
    Remote,
    Silent,
    Unanswered,
)
from cli.doctor.finding import Finding
from cli.doctor.judge import Plans, judge

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
NO_FILES = Unanswered("no stack files here: run this in the project's directory")
ADDRESSES = {"east": "10.201.0.10", "west": "10.202.0.10", "north": "10.203.0.10"}


def corefile(own: str, *peers: str) -> str:
    root = ".:53 {\n    kubernetes cluster.local\n    forward . /etc/resolv.conf\n}\n"
    asked = [f"{one}.mesh.example:53 {{\n    forward . 10.11.84.9:53\n}}\n" for one in peers]
    exposed = f"{own}.mesh.example:1053 {{\n    forward . 127.0.0.1:53\n}}\n"
    return "".join([root, *asked, exposed])


def certificate(**changes: Any) -> Certificate:
    fact = Certificate(
        holder="API server",
        kind="api server",
        not_before=NOW - timedelta(days=100),
        not_after=NOW + timedelta(days=265),
        fingerprint="ab",
    )
    return replace(fact, **changes)


def answer(zone: str, **changes: Any) -> Answer:
    owner = zone.split(".")[0]
    return replace(Answer(zone=zone, code="NOERROR", addresses=(ADDRESSES[owner],)), **changes)


def dns(own: str, *peers: str, **changes: Any) -> Dns:
    text = corefile(own, *peers)
    said = tuple(answer(f"{one}.mesh.example") for one in (own, *peers))
    fact = Dns(
        corefile=text,
        rolled_out=hashlib.sha256(text.encode()).hexdigest(),
        controller=Controller(name="coredns", wanted=2, ready=2, updated=2),
        pods=(Pod(name="coredns-1", ready=True), Pod(name="coredns-2", ready=True)),
        address=ADDRESSES[own],
        answers={"coredns-1": said, "coredns-2": said},
        node_local=None,
    )
    return replace(fact, **changes)


def agent(own: str, node: str, *peers: str, **changes: Any) -> Agent:
    fact = Agent(
        node=node,
        state="Ok",
        remotes=tuple(Remote(cluster=peer, ready=True, status="connected") for peer in peers),
        nodes=frozenset(f"{one}/{one}-{n}" for one in (own, *peers) for n in (1, 2)),
    )
    return replace(fact, **changes)


def cilium(own: str, *peers: str, **changes: Any) -> Cilium:
    names = ("cilium", "cilium-operator", "clustermesh-apiserver")
    fact = Cilium(
        version="1.20.2",
        controllers=tuple(Controller(name=one, wanted=2, ready=2, updated=2) for one in names),
        agents={f"{own}-{n}": agent(own, f"{own}-{n}", *peers) for n in (1, 2)},
        kvstoremesh=tuple(Remote(cluster=one, ready=True, status="connected") for one in peers),
    )
    return replace(fact, **changes)


def load_balancer(name: str = "clustermesh-apiserver", **changes: Any) -> LoadBalancer:
    fact = LoadBalancer(
        namespace="kube-system",
        name=name,
        pinned=("10.11.84.20",),
        given=("10.11.84.20",),
        announced_from=frozenset({"node-1"}),
        ready_endpoints=1,
    )
    return replace(fact, **changes)


def node(name: str, **changes: Any) -> Node:
    return replace(Node(name=name, unready="", kubelet="1.36.3"), **changes)


def cluster(own: str, *peers: str, **changes: Any) -> Cluster:
    fact = Cluster(
        name=own,
        version="1.36.3",
        certificates=(certificate(), certificate(holder="cilium-ca", kind="authority")),
        nodes=(node(f"{own}-1"), node(f"{own}-2")),
        cilium=cilium(own, *peers),
        load_balancers=(load_balancer(), load_balancer("mesh-dns")),
        dns=dns(own, *peers),
        releases=(Release(name="cilium", status="deployed", version="1.20.2", values={}),),
        failed_jobs=(),
    )
    return replace(fact, **changes)


EAST, WEST = cluster("east", "west"), cluster("west", "east")


def findings(*seen: Cluster | Silent, plans: Plans = NO_FILES) -> list[Finding]:
    """What is wrong, or not checked but for want of stack files."""
    judged = judge(seen or (EAST, WEST), plans, NOW)
    return [one for one in judged if one.severity != "ok" and one.seen != NO_FILES.why]


def only(*seen: Cluster | Silent, plans: Plans = NO_FILES) -> Finding:
    """The only thing that is wrong."""
    [found] = findings(*seen, plans=plans)
    return found


def east(**changes: Any) -> tuple[Cluster, Cluster]:
    """East with one thing changed, beside a west in which nothing is."""
    return replace(EAST, **changes), WEST


def east_cilium(**changes: Any) -> tuple[Cluster, Cluster]:
    return east(cilium=cilium("east", "west", **changes))


def east_dns(**changes: Any) -> tuple[Cluster, Cluster]:
    return east(dns=dns("east", "west", **changes))
