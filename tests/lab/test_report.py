"""What the report says of a mesh whose kubectl answers like the real one."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lab import kubectl, node, report
from lab.kubectl import KubectlError
from lab.node import Node
from lab.report import Cluster, Finding

EAST = Cluster("east", "east.mesh.example", "10.11.84.21")
WEST = Cluster("west", "west.mesh.example", "10.11.84.32")
CLUSTERS = (EAST, WEST)
WEB = "web-0.web.lab-probe"
PODS = {"east": "10.101.1.178", "west": "10.102.1.34"}
SERVICES = {"east": "10.201.14.9", "west": "10.202.200.3"}
OTHER = {"east": "west", "west": "east"}

STATUS = """\
KVStore:                 Disabled
Kubernetes:              Ok         1.36 (v1.36.3) [linux/amd64]
KubeProxyReplacement:    True   [eth0   10.11.85.11 (Direct Routing)]
Cilium:                  Ok   1.20.2 (v1.20.2)
ClusterMesh:             {mesh}
IPAM:                    IPv4: 4/254 allocated from 10.101.1.0/24,
Modules Health:          Stopped(0) Degraded(0) OK(83)
"""
NODE_LIST = """\
Name                         IPv4 Address   Endpoint CIDR   IPv6   Source
east/east-control-plane-1    10.11.85.11    10.101.0.0/24          local
east/east-worker-1           10.11.85.12    10.101.1.0/24          custom
west/west-control-plane-1    10.11.85.21    10.102.0.0/24          clustermesh
west/west-worker-1           10.11.85.22    10.102.1.0/24          clustermesh
"""


class Mesh:
    """Two clusters that answer kubectl; a test spoils some answers, by a part of the command."""

    def __init__(self) -> None:
        self.spoiled: dict[str, str | KubectlError] = {}
        self.nodes = {name: [f"{name}-control-plane-1", f"{name}-worker-1"] for name in PODS}
        self.not_ready: set[str] = set()
        self.asked: list[str] = []

    def run(
        self, context: str, *arguments: str, given: str | None = None, seconds: float = 60
    ) -> str:
        line = " ".join((context, *arguments))
        self.asked.append(line)
        for part, answer in self.spoiled.items():
            if part in line:
                if isinstance(answer, KubectlError):
                    raise answer
                return answer
        if arguments[0] == "get":
            return json.dumps(self.get(context, arguments[1]))
        return self.execute(context, arguments[arguments.index("--") + 1 :])

    def get(self, context: str, kind: str) -> dict[str, Any]:
        if kind == "service":
            return {"spec": {"clusterIP": SERVICES[context]}}
        return {"items": [self.node(name) for name in self.nodes[context]]}

    def node(self, name: str) -> dict[str, Any]:
        ready = "Unknown" if name in self.not_ready else "True"
        conditions = [{"type": "MemoryPressure", "status": "False"}]
        conditions.append({"type": "Ready", "status": ready})
        return {"metadata": {"name": name}, "status": {"conditions": conditions}}

    def execute(self, context: str, command: Sequence[str]) -> str:
        zone = next((name for name in PODS if f"{name}.mesh.example" in command[-1]), "")
        match command[0]:
            case "cilium-dbg":
                mesh = "1/1 remote clusters ready, 0 global-services"
                return STATUS.format(mesh=mesh) if command[1] == "status" else NODE_LIST
            case "getent":
                return f"{PODS[zone]}     {command[-1]}\n"
            case "curl":
                return f"{zone}\n"
        assert command[0] == "dig"
        return f"{PODS[zone]}\n"


def from_node(name: str, address: str) -> str:
    own = name.partition("-")[0]
    return own if address == SERVICES[own] else ""


@pytest.fixture
def mesh(monkeypatch: pytest.MonkeyPatch) -> Mesh:
    made = Mesh()
    monkeypatch.setattr(kubectl, "run", made.run)
    monkeypatch.setattr(report, "_ask_from_node", from_node)
    return made


def look() -> list[Finding]:
    return report.look(CLUSTERS, lambda _: None)


def wrong() -> list[tuple[str, str, str]]:
    return [(each.cluster, each.subject, each.seen) for each in look() if not each.good]


@pytest.mark.usefixtures("mesh")
def test_a_mesh_in_order_has_nothing_wrong() -> None:
    assert wrong() == []


@pytest.mark.usefixtures("mesh")
def test_every_cluster_is_looked_at_for_all_a_user_cares_about() -> None:
    for name in ("east", "west"):
        subjects = " | ".join(each.subject for each in look() if each.cluster == name)
        other = OTHER[name]
        for part in (
            f"node {name}-control-plane-1",
            f"node {name}-worker-1",
            "ClusterMesh",
            "Cilium node list",
            f"getent hosts {WEB}.{name}.mesh.example",
            f"getent hosts {WEB}.{other}.mesh.example",
            f"GET http://{WEB}.{other}.mesh.example:8080/cluster",
            "dig +notcp @",
            "dig +tcp @",
            f"{name}-worker-1 asks {SERVICES[name]}",
            f"{name}-worker-1 asks {SERVICES[other]} of {other}",
        ):
            assert part in subjects


@pytest.mark.usefixtures("mesh")
def test_findings_are_handed_over_as_they_come() -> None:
    seen: list[Finding] = []
    assert report.look(CLUSTERS, seen.append) == seen != []


def test_a_node_that_is_not_ready_is_wrong(mesh: Mesh) -> None:
    mesh.not_ready.add("west-worker-1")
    assert wrong() == [("west", "node west-worker-1", "not Ready")]


@pytest.mark.parametrize("ready", ["0/1", "1/2", "0/0"])
def test_another_number_of_remote_clusters_is_wrong(mesh: Mesh, ready: str) -> None:
    line = f"{ready} remote clusters ready, 0 global-services"
    mesh.spoiled["east exec --namespace=kube-system daemonset/cilium -- cilium-dbg status"] = (
        STATUS.format(mesh=line)
    )
    [(cluster, subject, seen)] = wrong()
    assert (cluster, subject) == ("east", "ClusterMesh")
    assert seen.startswith(f"{ready} remote clusters ready")


def test_an_agent_without_a_mesh_is_wrong(mesh: Mesh) -> None:
    mesh.spoiled["cilium-dbg status"] = STATUS.replace("ClusterMesh", "Other").format(mesh="")
    assert ("west", "ClusterMesh", "no ClusterMesh line") in wrong()


def test_a_cluster_whose_nodes_are_unknown_to_an_agent_is_wrong(mesh: Mesh) -> None:
    known = [line for line in NODE_LIST.splitlines() if not line.startswith("west/")]
    mesh.spoiled["east exec --namespace=kube-system daemonset/cilium -- cilium-dbg node"] = (
        "\n".join(known)
    )
    seen = "east/east-control-plane-1, east/east-worker-1"
    assert wrong() == [("east", "Cilium node list", seen)]


def test_an_answer_under_another_owner_name_is_wrong(mesh: Mesh) -> None:
    # What a rewrite of the question alone makes of it: glibc takes no such answer.
    local = "web-0.web.lab-probe.svc.cluster.local"
    mesh.spoiled[f"east exec --namespace=lab-probe web-0 -- getent hosts {WEB}.west"] = (
        f"10.102.1.34     {local}\n"
    )
    subject = f"getent hosts {WEB}.west.mesh.example"
    assert wrong() == [("east", subject, f"10.102.1.34 {local}")]


def test_a_name_that_is_not_found_is_wrong_and_the_others_are_still_looked_up(mesh: Mesh) -> None:
    failure = KubectlError("command terminated with exit code 2")
    mesh.spoiled[f"getent hosts {WEB}.west"] = failure
    subject = f"getent hosts {WEB}.west.mesh.example"
    assert wrong() == [("east", subject, "not found"), ("west", subject, "not found")]


def test_an_answer_of_the_wrong_cluster_is_wrong(mesh: Mesh) -> None:
    mesh.spoiled[f"http://{WEB}.west"] = "east\n"
    assert wrong() == [("east", f"GET http://{WEB}.west.mesh.example:8080/cluster", "east")]


def test_a_pod_that_is_not_reached_is_wrong(mesh: Mesh) -> None:
    mesh.spoiled["curl"] = KubectlError("command terminated with exit code 28")
    assert [seen for _, _, seen in wrong()] == ["no answer", "no answer"]


def test_a_dns_that_answers_over_udp_only_is_wrong(mesh: Mesh) -> None:
    mesh.spoiled["+tcp @10.11.84.32"] = ""
    assert wrong() == [("east", "dig +tcp @10.11.84.32", "no answer")]


def test_a_cluster_address_that_leads_to_another_cluster_is_wrong(
    mesh: Mesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    everywhere = {address: name for name, address in SERVICES.items()}
    monkeypatch.setattr(report, "_ask_from_node", lambda _, address: everywhere[address])
    found = wrong()
    assert ("east", f"east-worker-1 asks {SERVICES['west']} of west", "west") in found
    assert len(found) == 4


def test_an_error_of_kubectl_is_a_finding_and_the_rest_is_still_looked_at(mesh: Mesh) -> None:
    refused = "The connection to the server 10.11.85.21:6443 was refused"
    mesh.spoiled["west get nodes"] = KubectlError(f"E1130 couldn't get list\n{refused}")
    assert wrong() == [
        ("west", "nodes are ready", refused),
        ("west", "cluster addresses stay home", refused),
    ]


def test_a_dead_cluster_is_wrong_in_every_line_of_its_own_and_no_traceback(mesh: Mesh) -> None:
    mesh.spoiled["west "] = KubectlError("no answer in 60 s: kubectl get nodes")
    findings = look()
    assert not any(each.good for each in findings if each.cluster == "west")
    east = [each.subject for each in findings if each.cluster == "east" and not each.good]
    assert east == ["cluster addresses stay home"]


def test_a_node_is_asked_in_its_own_cgroups_and_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "running", lambda name: Node(name, "uuid", 1, 0.0))
    entered: list[list[str]] = []

    def command(_: Node, arguments: list[str]) -> list[str]:
        entered.append(arguments)
        return [sys.executable, "-c", "print('east')"]

    monkeypatch.setattr(node, "command", command)
    assert report._ask_from_node("east-worker-1", "10.201.14.9") == "east"
    assert entered[0][-1] == "http://10.201.14.9:8080/cluster"


def test_a_node_that_is_off_gives_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "running", lambda name: None)
    assert report._ask_from_node("east-worker-1", "10.201.14.9") == ""


def test_what_a_node_runs_to_ask_prints_what_the_pod_says(tmp_path: Path) -> None:
    (tmp_path / "cluster").write_text("east\n")
    asked = subprocess.run(
        [sys.executable, "-c", report._ASK, f"file://{tmp_path}/cluster"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout == "east\n"


def test_every_check_says_what_it_looks_at() -> None:
    checks: list[Callable[..., Any]] = list(report.CHECKS)
    assert all(check.__doc__ for check in checks)
