"""What the report says of a mesh whose kubectl answers like the real one."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lab import kubectl, node, report
from lab.kubectl import KubectlError
from lab.node import Node
from lab.report import Finding
from tests.lab.fake_mesh import (
    CLUSTERS,
    EAST,
    NODE_LIST,
    OTHER,
    PODS,
    SERVICES,
    STATUS,
    WEB,
    WEST,
    Mesh,
)

ASK_FROM_NODE = report._ask_from_node


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


def test_a_node_that_never_joined_is_wrong_and_so_is_one_that_nobody_planned(mesh: Mesh) -> None:
    mesh.nodes["west"] = ["west-control-plane-1", "west-worker-7"]
    assert [(cluster, subject) for cluster, subject, _ in wrong()] == [
        ("west", "node west-worker-1"),
        ("west", "node west-worker-7"),
    ]


def test_a_cluster_without_any_node_is_wrong_for_each(mesh: Mesh) -> None:
    mesh.nodes["west"] = []
    assert wrong() == [
        ("west", "node west-control-plane-1", "not there"),
        ("west", "node west-worker-1", "not there"),
    ]


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


def test_a_name_with_the_address_of_another_pod_is_wrong(mesh: Mesh) -> None:
    name = f"{WEB}.west.mesh.example"
    mesh.spoiled[f"east exec --namespace=lab-probe web-0 -- getent hosts {WEB}.west"] = (
        f"{PODS['east']}     {name}\n"
    )
    [(cluster, subject, seen)] = wrong()
    assert (cluster, subject) == ("east", f"getent hosts {name}")
    assert seen.split()[0] == PODS["east"]


@pytest.mark.parametrize("answer", ["10.101.9.9", "1", f"{PODS['west']}\n10.101.9.9"])
def test_a_dns_that_answers_with_another_address_is_wrong(mesh: Mesh, answer: str) -> None:
    mesh.spoiled["@10.11.84.32"] = f"{answer}\n"
    assert wrong() == [
        ("east", "dig +notcp @10.11.84.32", answer),
        ("east", "dig +tcp @10.11.84.32", answer),
    ]


def test_a_dns_at_the_nodes_is_asked_at_its_own_port(mesh: Mesh) -> None:
    at_a_node = replace(WEST, dns_address="10.11.85.22", dns_port=30053)
    found = {each.subject: each for each in report.look([EAST, at_a_node], lambda _: None)}
    for protocol in ("+notcp", "+tcp"):
        assert found[f"dig {protocol} @10.11.85.22 -p 30053"].good
        assert any(f"{protocol} @10.11.85.22 -p 30053 {WEB}.west" in line for line in mesh.asked)
        assert found[f"dig {protocol} @10.11.84.21"].good


def test_a_cluster_without_names_for_the_mesh_is_asked_for_none(mesh: Mesh) -> None:
    silent = replace(WEST, dns_address=None)
    # It answers no peer, and forwards nothing to one.
    mesh.spoiled[f"getent hosts {WEB}.west"] = KubectlError("command terminated with exit code 2")
    mesh.spoiled["west exec --namespace=lab-probe"] = KubectlError("no such name")
    findings = report.look([EAST, silent], lambda _: None)
    assert [each for each in findings if not each.good] == []
    subjects = {(each.cluster, each.subject) for each in findings}
    assert ("east", f"getent hosts {WEB}.east.mesh.example") in subjects
    assert ("east", f"getent hosts {WEB}.west.mesh.example") not in subjects
    assert ("west", "ClusterMesh") in subjects


def test_a_pod_without_an_address_yet_is_wrong_wherever_it_is_looked_for(mesh: Mesh) -> None:
    mesh.spoiled["west get pod"] = json.dumps({"status": {"phase": "Pending"}})
    mesh.spoiled[f"getent hosts {WEB}.west"] = KubectlError("command terminated with exit code 2")
    mesh.spoiled["@10.11.84.32"] = ""
    assert wrong() == [
        ("east", f"getent hosts {WEB}.west.mesh.example", "not found"),
        ("east", "dig +notcp @10.11.84.32", "no answer"),
        ("east", "dig +tcp @10.11.84.32", "no answer"),
        ("west", f"getent hosts {WEB}.west.mesh.example", "not found"),
    ]


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
    assert wrong() == [("west", "nodes are ready", refused)]


def test_a_dead_cluster_is_wrong_in_every_line_of_its_own_and_no_traceback(mesh: Mesh) -> None:
    mesh.spoiled["west "] = KubectlError("no answer in 60 s: kubectl get nodes")
    findings = look()
    assert not any(each.good for each in findings if each.cluster == "west")
    east = [each.subject for each in findings if each.cluster == "east" and not each.good]
    assert east == [
        f"getent hosts {WEB}.west.mesh.example",
        "dig +notcp @10.11.84.32",
        "dig +tcp @10.11.84.32",
        "cluster addresses stay home",
    ]


def test_a_node_is_asked_in_its_own_cgroups_and_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        node, "running", lambda name: Node(pid=1, started=0, name=name, uuid="uuid")
    )
    entered: list[list[str]] = []

    def command(_: Node, arguments: list[str]) -> list[str]:
        entered.append(arguments)
        return [sys.executable, "-c", "print('east')"]

    monkeypatch.setattr(node, "command", command)
    assert report._ask_from_node("east-worker-1", "10.201.14.9") == "east"
    assert entered[0][-1] == "http://10.201.14.9:8080/cluster"


@pytest.mark.parametrize(
    "failure",
    [
        subprocess.TimeoutExpired("nsenter", 20),
        FileNotFoundError("/proc/4711/task/4711/children"),
        ProcessLookupError("node east-worker-1 has ended"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_a_node_that_hangs_or_has_just_ended_is_wrong_and_no_traceback(
    mesh: Mesh, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    monkeypatch.setattr(report, "_ask_from_node", ASK_FROM_NODE)
    monkeypatch.setattr(node, "running", lambda name: Node(1, 0, name, "uuid"))

    def command(_: Node, _arguments: list[str]) -> list[str]:
        raise failure

    monkeypatch.setattr(node, "command", command)
    names = [name for cluster in CLUSTERS for name in cluster.nodes]
    assert wrong() == [
        (name[:4], f"{name} asks {SERVICES[name[:4]]}", "no answer") for name in names
    ]


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
    assert all(check.__doc__ for check in report.CHECKS)
