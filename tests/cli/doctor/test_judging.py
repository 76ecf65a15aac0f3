"""Each thing that can be wrong with a mesh is found, alone, with its severity and its fix."""

import hashlib
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cli.doctor.facts import (
    Cluster,
    Controller,
    Job,
    Pod,
    Release,
    Remote,
    Silent,
    Unanswered,
)
from cli.doctor.judge import judge
from tests.cli.doctor.healthy import (
    EAST,
    NO_FILES,
    NOW,
    WEST,
    agent,
    answer,
    certificate,
    cilium,
    cluster,
    corefile,
    dns,
    east,
    east_cilium,
    east_dns,
    findings,
    load_balancer,
    node,
    only,
)

TOLD_NOTHING = Unanswered("it refused: 403 Forbidden")
TWO = {"coredns-1", "coredns-2"}


def test_of_a_healthy_mesh_nothing_is_wrong() -> None:
    assert findings(EAST, WEST) == []
    judged = judge((EAST, WEST), NO_FILES, NOW)
    assert {one.cluster for one in judged} == {"east", "west"}
    assert {one.severity for one in judged} == {"ok", "not checked"}
    assert [one.seen for one in judged if one.severity == "not checked"] == [NO_FILES.why] * 4


def test_every_error_and_warning_has_a_fix() -> None:
    broken = cluster(
        "east",
        certificates=(certificate(not_after=NOW - timedelta(days=1)),),
        nodes=(),
        load_balancers=(),
    )
    wrong = [one for one in findings(broken, WEST) if one.severity in ("error", "warning")]
    assert len(wrong) > 5
    assert all(one.fix for one in wrong)


def test_a_silent_cluster_is_one_error_and_the_other_is_judged_all_the_same() -> None:
    silent = Silent(name="west", server="https://10.11.85.21:6443", why="nothing came back")
    found = only(EAST, silent)
    assert (found.cluster, found.subject, found.severity) == ("west", "API server", "error")
    assert found.seen == "https://10.11.85.21:6443: nothing came back"
    assert any(one.subject == "kvstoremesh to west" for one in judge((EAST, silent), NO_FILES, NOW))


def test_of_a_silent_cluster_an_expired_certificate_is_told_too() -> None:
    expired = certificate(not_after=NOW - timedelta(hours=1))
    silent = Silent(name="west", server="https://x:6443", why="no", certificates=(expired,))
    assert [one.subject for one in findings(EAST, silent)] == [
        "API server",
        "certificate API server",
    ]


CERTIFICATES: list[tuple[dict[str, Any], str, str]] = [
    ({"not_after": NOW - timedelta(minutes=1)}, "error", "expired on 2026-12-01 11:59 UTC"),
    ({"not_after": NOW + timedelta(days=29)}, "warning", "29 days left, until 2026-12-30"),
    ({"not_before": NOW + timedelta(hours=2)}, "error", "is valid from 2026-12-01 14:00 UTC only"),
    ({"signed": False}, "error", "isn't signed by the CA in Secret cilium-ca"),
    # Of two weeks, the last two days.
    (
        {"not_before": NOW - timedelta(days=12), "not_after": NOW + timedelta(days=2)},
        "warning",
        "2 days left, until 2026-12-03",
    ),
    ({"kind": "authority", "not_after": NOW + timedelta(days=50)}, "warning", "50 days left"),
]


@pytest.mark.parametrize(("changes", "severity", "seen"), CERTIFICATES)
def test_a_certificate_that_ends_or_is_of_nobody_is_told(
    changes: dict[str, Any], severity: str, seen: str
) -> None:
    life = {"not_before": NOW - timedelta(days=400)}
    found = only(*east(certificates=(certificate(**{**life, **changes}),)))
    assert (found.cluster, found.severity) == ("east", severity)
    assert found.seen.startswith(seen)


def test_a_certificate_of_two_weeks_is_left_alone_for_most_of_them() -> None:
    life = {"not_before": NOW - timedelta(days=10), "not_after": NOW + timedelta(days=4)}
    assert findings(*east(certificates=(certificate(**life),))) == []


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("api server", "on the control plane: systemctl start mesh-certificate-renewal"),
        ("admin", "pulumi up -s east; mesh kubeconfig -o mesh.kubeconfig"),
        ("authority", "mesh runbook"),
        ("mesh", "kubectl --context east -n kube-system create job --from=cronjob/clustermesh"),
        ("hubble", "kubectl --context east -n kube-system create job --from=cronjob/hubble"),
    ],
)
def test_the_fix_of_a_certificate_is_what_renews_it(kind: Any, fix: str) -> None:
    ended = certificate(kind=kind, not_after=NOW - timedelta(days=1))
    assert only(*east(certificates=(ended,))).fix.startswith(fix)


def test_clusters_with_different_cas_are_told_both() -> None:
    other = certificate(holder="cilium-ca", kind="authority", fingerprint="cd")
    found = findings(*east(certificates=(other,)))
    assert [(one.cluster, one.subject, one.severity) for one in found] == [
        ("east", "CA of the mesh", "error"),
        ("west", "CA of the mesh", "error"),
    ]


def test_during_a_rotation_one_ca_in_common_is_enough() -> None:
    both = [certificate(kind="authority", fingerprint=one) for one in ("ab", "cd")]
    assert findings(*east(certificates=tuple(both))) == []


def test_a_node_that_is_not_ready_is_named_with_its_own_reason() -> None:
    gone = node("east-2", unready="Kubelet stopped posting node status.")
    found = only(*east(nodes=(node("east-1"), gone)))
    assert (found.subject, found.severity) == ("node east-2", "error")
    assert found.seen == "not Ready: Kubelet stopped posting node status."


CONTROLLERS = [
    (Controller(name="cilium", wanted=3, ready=2, updated=3), "error", "2 of 3 pods ready"),
    (Controller(name="cilium", wanted=0, ready=0, updated=0), "error", "0 of 0 pods ready"),
    (Controller(name="cilium", wanted=3, ready=3, updated=1), "warning", "3 of 3 pods ready, 2 of"),
]


@pytest.mark.parametrize(("controller", "severity", "seen"), CONTROLLERS)
def test_pods_of_cilium_that_are_missing_or_old_are_counted(
    controller: Controller, severity: str, seen: str
) -> None:
    found = only(*east_cilium(controllers=(controller,)))
    assert (found.subject, found.severity) == ("cilium", severity)
    assert found.seen.startswith(seen)


@pytest.mark.parametrize(("state", "severity"), [("Failure", "error"), ("Warning", "warning")])
def test_an_agent_that_is_not_well_is_named_by_its_node(state: str, severity: str) -> None:
    unwell = agent("east", "east-2", "west", state=state)
    found = only(*east_cilium(agents={"east-1": agent("east", "east-1", "west"), "east-2": unwell}))
    assert (found.subject, found.severity) == ("Cilium agent on east-2", severity)
    assert found.seen == f"says {state} of itself"
    assert "spec.nodeName=east-2" in found.fix


def test_an_agent_that_gives_no_answer_is_not_checked() -> None:
    agents = {"east-1": agent("east", "east-1", "west"), "east-2": TOLD_NOTHING}
    found = only(*east_cilium(agents=agents))
    assert (found.subject, found.severity) == ("Cilium agent on east-2", "not checked")


LOST = Remote(cluster="west", ready=False, status="waiting for\ninitial connection")


def test_kvstoremesh_without_its_peer_is_an_error_that_says_what_to_dial() -> None:
    found = only(*east_cilium(kvstoremesh=(LOST,)))
    assert (found.subject, found.severity) == ("kvstoremesh to west", "error")
    assert found.seen == "not ready: waiting for initial connection"
    assert found.fix.startswith("mesh firewall: may the nodes of east reach west at TCP 2379?")


def test_kvstoremesh_that_is_told_of_no_peer_needs_an_up() -> None:
    found = only(*east_cilium(kvstoremesh=()))
    assert (found.seen, found.fix) == ("isn't told of west", "pulumi up -s east")


AGENTS: list[tuple[dict[str, Any], str]] = [
    ({"remotes": (LOST,)}, "on east-2: not ready: waiting for initial connection"),
    ({"remotes": ()}, "on east-2: isn't told of west"),
    (
        {"nodes": frozenset({"east/east-1", "east/east-2", "west/west-1"})},
        "on east-2: doesn't know the node west-2",
    ),
]


@pytest.mark.parametrize(("changes", "seen"), AGENTS)
def test_an_agent_without_its_peer_or_a_node_of_it_is_named(
    changes: dict[str, Any], seen: str
) -> None:
    blind = agent("east", "east-2", "west", **changes)
    found = only(*east_cilium(agents={"east-1": agent("east", "east-1", "west"), "east-2": blind}))
    assert (found.subject, found.severity, found.seen) == ("west as agents see it", "error", seen)


def test_no_node_of_a_peer_that_is_silent_is_an_error_too() -> None:
    silent = Silent(name="west", server="https://x", why="no")
    blind = agent("east", "east-1", "west", nodes=frozenset({"east/east-1"}))
    found = findings(replace(EAST, cilium=cilium("east", "west", agents={"a": blind})), silent)
    assert [one.seen for one in found if one.cluster == "east"] == ["no agent knows a node of it"]


LOAD_BALANCERS: list[tuple[dict[str, Any], str]] = [
    ({"given": ()}, "has no address"),
    ({"given": ("10.11.84.22",)}, "has 10.11.84.22, and 10.11.84.20 is asked for"),
    ({"announced_from": frozenset()}, "10.11.84.20: no node announces it"),
    ({"ready_endpoints": 0}, "10.11.84.20: no pod behind it is ready"),
]


@pytest.mark.parametrize(("changes", "seen"), LOAD_BALANCERS)
def test_an_address_that_peers_dial_must_be_given_announced_and_served(
    changes: dict[str, Any], seen: str
) -> None:
    found = only(*east(load_balancers=(load_balancer(**changes),)))
    assert (found.subject, found.severity, found.seen) == (
        "Service kube-system/clustermesh-apiserver",
        "error",
        seen,
    )


def test_a_workloads_own_service_without_an_address_is_a_warning() -> None:
    waiting = load_balancer("shop", namespace="shop", given=(), pinned=())
    found = only(*east(load_balancers=(load_balancer(), waiting)))
    assert (found.subject, found.severity) == ("Service shop/shop", "warning")


def test_a_mesh_without_its_service_is_an_error() -> None:
    assert only(*east(load_balancers=())).seen == "isn't there, so no peer can connect"


def test_a_stalled_roll_out_names_the_line_of_the_pods_log() -> None:
    line = "/etc/coredns/Corefile:7 - Error during parsing: Unknown directive 'forwrd'"
    pods = (Pod(name="coredns-1", ready=True), Pod(name="coredns-3", ready=False, complaint=line))
    stalled = Controller(name="coredns", wanted=2, ready=2, updated=1)
    found = only(*east_dns(pods=pods, controller=stalled))
    assert found.severity == "error"
    assert found.seen == f"a roll-out is stalled: pod coredns-3 says: {line}"
    assert found.fix == (
        "mend the setting, or take its change back; then pulumi refresh -s east; pulumi up -s east"
    )


def test_a_reload_that_failed_in_a_pod_that_is_ready_is_an_error() -> None:
    pods = (Pod(name="coredns-1", ready=True, complaint="plugin/reload: … reload failed"),)
    assert only(*east_dns(pods=pods)).seen.startswith("pod coredns-1 says: plugin/reload")


def test_a_core_dns_without_its_pods_is_an_error() -> None:
    few = Controller(name="coredns", wanted=2, ready=1, updated=2)
    assert only(*east_dns(controller=few)).seen == "1 of 2 pods ready"


def test_a_corefile_changed_by_hand_is_found_without_any_stack_file() -> None:
    changed = corefile("east", "west").replace("10.11.84.9", "10.11.84.10")
    found = only(*east_dns(corefile=changed))
    assert (found.subject, found.severity) == ("Corefile", "error")
    assert found.seen == "was changed since the last `up` rolled it out"
    assert found.fix == "pulumi refresh -s east; pulumi up -s east"


def test_a_corefile_that_can_not_be_read_is_told_by_its_line() -> None:
    found = [one for one in findings(*east_dns(corefile=".:53 {\n")) if one.subject == "Corefile"]
    assert [one.seen for one in found] == ["line 1 has a { without its }"]


def test_a_corefile_that_was_never_rolled_out_is_not_of_this_program() -> None:
    assert only(*east_dns(rolled_out=None)).seen == "no `up` of this program rolled it out"


def test_a_corefile_without_the_peers_zone_needs_an_up() -> None:
    alone = dns("east", answers=EAST.dns.answers)
    found = only(*east(dns=alone))
    assert (found.subject, found.seen, found.fix) == (
        "names of west in west.mesh.example",
        "the Corefile doesn't know this zone",
        "pulumi up -s east",
    )


ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"code": "SERVFAIL", "addresses": ()}, "no answer: SERVFAIL"),
    ({"code": "no answer out of pod x in time"}, "no answer: no answer out of pod x in time"),
    ({"unheard": "SERVFAIL"}, "answers from its cache only; a new question: SERVFAIL"),
    (
        {"addresses": ("10.201.0.10",)},
        "says 10.201.0.10 for the Service kube-dns, which has 10.202.0.10",
    ),
    ({"addresses": ()}, "says no address for the Service kube-dns, which has 10.202.0.10"),
]


@pytest.mark.parametrize(("changes", "seen"), ANSWERS)
def test_a_wrong_answer_about_a_peer_is_told_with_the_pod_that_gave_it(
    changes: dict[str, Any], seen: str
) -> None:
    said = (answer("east.mesh.example"), answer("west.mesh.example", **changes))
    found = only(*east_dns(answers={**EAST.dns.answers, "coredns-2": said}))
    assert found.subject == "names of west in west.mesh.example"
    assert (found.severity, found.seen) == ("error", f"coredns-2: {seen}")
    assert found.fix == "mesh firewall: may the nodes of east reach the DNS of west, UDP and TCP?"


def test_names_nobody_could_be_asked_for_are_not_checked() -> None:
    found = findings(*east_dns(answers={}))
    assert {one.severity for one in found} == {"not checked"}
    assert len(found) == 2


def test_a_cluster_that_forwards_nothing_is_asked_for_no_names() -> None:
    text = ".:53 {\n    kubernetes cluster.local\n}\n"
    shipped = hashlib.sha256(text.encode()).hexdigest()
    alone = dns("east", corefile=text, rolled_out=shipped)
    west = cluster("west", dns=dns("west"), cilium=WEST.cilium)
    assert findings(replace(EAST, dns=alone), west) == []


NODE_LOCAL = """\
cluster.local:53 {
    bind 169.254.20.10
    forward . __PILLAR__CLUSTER__DNS__
}
.:53 {
    forward . __PILLAR__UPSTREAM__SERVERS__
}
"""


def test_a_cache_on_the_nodes_that_knows_no_zone_of_the_mesh_is_told_what_it_lacks() -> None:
    found = only(*east_dns(node_local=NODE_LOCAL))
    assert (found.subject, found.severity) == ("node-local DNS cache", "error")
    assert found.seen == "sends east.mesh.example, west.mesh.example to the site's resolvers"
    assert "west.mesh.example:53 {" in found.fix


def test_a_cache_on_the_nodes_that_asks_core_dns_is_left_alone() -> None:
    text = NODE_LOCAL.replace("cluster.local:53", "cluster.local:53 mesh.example:53")
    assert findings(*east_dns(node_local=text)) == []


def test_a_release_that_was_cut_short_is_for_mesh_repair() -> None:
    cut = Release(name="cilium", status="pending-upgrade", version="1.20.2", values={})
    found = only(*east(releases=(cut,)))
    assert (found.severity, found.seen) == ("error", "1.20.2, pending-upgrade")
    assert found.fix == "mesh repair east; pulumi up -s east"


KUBELETS = [
    ("1.37.0", "error"),
    ("1.32.9", "error"),
    ("1.33.0", "warning"),
    ("1.36.2", "warning"),
]


@pytest.mark.parametrize(("kubelet", "severity"), KUBELETS)
def test_a_kubelet_newer_or_much_older_than_its_api_server_is_an_error(
    kubelet: str, severity: str
) -> None:
    other = node("east-2", kubelet=kubelet)
    found = only(*east(nodes=(node("east-1"), other)))
    assert (found.subject, found.severity) == ("Kubernetes versions", severity)
    assert kubelet in found.seen


def test_a_cilium_that_is_not_tested_with_this_kubernetes_is_a_warning() -> None:
    found = only(
        *east(
            version="1.32.1",
            nodes=(node("east-1", kubelet="1.32.1"), node("east-2", kubelet="1.32.1")),
        )
    )
    assert (found.subject, found.severity) == ("Cilium's version", "warning")
    assert "not tested together" in found.seen


def test_ciliums_two_minors_apart_are_told_in_both_clusters() -> None:
    old = replace(EAST.cilium, version="1.18.3")
    found = [one for one in findings(*east(cilium=old)) if one.severity == "error"]
    assert [one.cluster for one in found] == ["east", "west"]
    assert {one.fix for one in found} == {"raise versions.cilium of east, one minor at a time"}


def test_a_failed_job_of_a_workload_is_an_error() -> None:
    job = Job(namespace="shop", name="etcd-verify-1a2b", reason="BackoffLimitExceeded")
    found = only(*east(failed_jobs=(job,)))
    assert (found.subject, found.seen) == (
        "Job shop/etcd-verify-1a2b",
        "failed: BackoffLimitExceeded",
    )
    assert found.fix == "kubectl --context east -n shop logs job/etcd-verify-1a2b"


NOT_TOLD = ["nodes", "load_balancers", "releases", "failed_jobs"]
NOT_TOLD_BY_CILIUM = ["version", "controllers", "agents", "kvstoremesh"]
NOT_TOLD_BY_DNS = ["corefile", "controller", "node_local"]


@pytest.mark.parametrize("name", NOT_TOLD)
def test_what_the_cluster_refuses_to_tell_is_not_checked_and_never_ok(name: str) -> None:
    assert_not_checked(*east(**{name: TOLD_NOTHING}))


@pytest.mark.parametrize("name", NOT_TOLD_BY_CILIUM)
def test_what_cilium_does_not_tell_is_not_checked_and_never_ok(name: str) -> None:
    assert_not_checked(*east_cilium(**{name: TOLD_NOTHING}))


@pytest.mark.parametrize("name", NOT_TOLD_BY_DNS)
def test_what_core_dns_does_not_tell_is_not_checked_and_never_ok(name: str) -> None:
    assert_not_checked(*east_dns(**{name: TOLD_NOTHING}))


def test_a_certificate_nobody_could_look_at_is_not_checked() -> None:
    assert_not_checked(*east(certificates=(TOLD_NOTHING,)))


def assert_not_checked(*seen: Cluster) -> None:
    found = findings(*seen)
    assert found
    assert {one.severity for one in found} == {"not checked"}
    sound = {
        one.subject
        for one in judge(seen, NO_FILES, NOW)
        if one.severity == "ok" and one.cluster == "east"
    }
    assert sound.isdisjoint({one.subject for one in found})
