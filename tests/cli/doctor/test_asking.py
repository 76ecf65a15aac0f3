"""What is asked of a real API server, where all objects of a cluster are and no pod runs."""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import dns.message
import dns.rcode
import dns.rrset
import pytest

from cli.doctor.ask import ask
from cli.doctor.asking.access import Access, accesses
from cli.doctor.asking.api import Api, NoAnswerError, NotThereError
from cli.doctor.asking.dns import core_dns
from cli.doctor.asking.inside import Inside, PodChannels
from cli.doctor.facts import Agent, Cluster, Job, LoadBalancer, Pod, Remote, Silent, Unanswered
from cli.doctor.report import document
from cli.doctor.session import examine
from mesh.pki import admin_certificate, certificate_authority
from mesh.render.kubeconfig import kubeconfig, merged_kubeconfig
from tests.cli.conftest import Kubernetes, kubernetes
from tests.cli.doctor.objects import (
    COREFILE,
    SYSTEM,
    VALUES_SECRET,
    Writer,
    config_map,
    everything,
    pod,
)
from tests.cli.projects import PROJECT
from tests.mesh.render.metallb_api import install_kinds

__all__ = ["kubernetes"]

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]

AUTHORITY = certificate_authority("the mesh", 1)
WEST = {"name": "west", "ready": True, "status": "ready, 4 nodes"}


class StandIn:
    """Stands in for pods: what Cilium and CoreDNS would answer inside theirs."""

    def __init__(self, api: Api) -> None:
        self._cluster = api.access.cluster

    def run(self, pod: str, container: str, *command: str) -> str:
        places = {"cilium-1": "cilium-agent", "clustermesh-apiserver-1": "kvstoremesh"}
        assert places[pod] == container
        if "node" in command:
            return json.dumps([{"name": "east/east-1"}, {"name": "west/west-1"}])
        if "kvstoremesh-dbg" in command:
            return json.dumps([WEST])
        return json.dumps({"cilium": {"state": "Ok"}, "cluster-mesh": {"clusters": [WEST]}})

    def dial(self, pod: str, port: int, question: bytes) -> bytes:
        assert (pod, port) == ("kube-dns-1", 53)
        assert int.from_bytes(question[:2]) == len(question) - 2
        asked = dns.message.from_wire(question[2:])
        name = asked.question[0].name.to_text()
        answer = dns.message.make_response(asked)
        if name == "kube-dns.kube-system.east.mesh.example.":
            answer.answer.append(dns.rrset.from_text(name, 5, "IN", "A", "10.0.0.10"))
        else:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        wire = answer.to_wire()
        return len(wire).to_bytes(2) + wire


def enter(api: Api) -> Inside:
    return StandIn(api)


def say(cluster: str, what: str) -> None: ...


@pytest.fixture(scope="module")
def writer(kubernetes: Kubernetes) -> Iterator[Writer]:
    with closing(Writer(kubernetes)) as writer:
        install_kinds(writer._api)
        for path, item in everything(AUTHORITY):
            writer.create(path, item)
        yield writer


@pytest.fixture
def ways(kubernetes: Kubernetes, writer: Writer, tmp_path: Path) -> tuple[Access, ...]:
    """East by the real API server, and a west that is away."""
    ca, admin = kubernetes.secrets.cluster_ca.certificate, kubernetes.admin
    west = kubeconfig("west", "https://127.0.0.1:1", ca, admin.certificate, admin.key)
    file = tmp_path / "mesh.kubeconfig"
    file.write_text(merged_kubeconfig([kubernetes.kubeconfig, west]))
    return accesses([file])


@pytest.fixture
def east(ways: tuple[Access, ...]) -> Cluster:
    found, west = ask(ways, {}, say, enter)
    assert isinstance(west, Silent)
    assert isinstance(found, Cluster)
    return found


def test_everything_that_can_be_asked_is_seen(east: Cluster) -> None:
    assert east.version == "1.36.3"
    assert [(one.name, one.unready) for one in east.nodes] == [("east-1", "")]  # type: ignore[union-attr]
    assert {one.name: one.ready for one in east.cilium.controllers} == {  # type: ignore[union-attr]
        "cilium": 1,
        "cilium-operator": 1,
        "clustermesh-apiserver": 1,
    }
    assert east.load_balancers == (
        LoadBalancer(
            namespace="kube-system",
            name="clustermesh-apiserver",
            pinned=("10.11.84.20",),
            given=("10.11.84.20",),
            announced_from=frozenset({"east-1"}),
            ready_endpoints=1,
        ),
    )
    assert east.failed_jobs == (
        Job(namespace="default", name="etcd-verify", reason="BackoffLimitExceeded"),
    )


def test_the_words_of_cilium_are_read(east: Cluster) -> None:
    west = Remote(cluster="west", ready=True, status="ready, 4 nodes")
    agent = Agent(
        node="east-1",
        state="Ok",
        remotes=(west,),
        nodes=frozenset({"east/east-1", "west/west-1"}),
    )
    assert east.cilium.agents == {"east-1": agent}
    assert east.cilium.kvstoremesh == (west,)


def test_the_newest_revision_of_a_release_is_the_one_that_counts(east: Cluster) -> None:
    assert not isinstance(east.releases, Unanswered)
    [cilium] = east.releases
    assert (cilium.status, cilium.version, cilium.values["MTU"]) == ("deployed", "1.20.2", 10)


def test_core_dns_is_seen_and_asked(east: Cluster) -> None:
    assert east.dns.corefile == COREFILE
    assert east.dns.pods == (Pod(name="kube-dns-1", ready=True),)
    said = east.dns.answers["kube-dns-1"]
    assert not isinstance(said, Unanswered)
    assert [(one.zone, one.code, one.addresses) for one in said] == [
        ("east.mesh.example", "NOERROR", ("10.0.0.10",))
    ]
    assert east.dns.address == "10.0.0.10"


def test_a_pod_without_a_log_is_explained_by_what_its_container_ended_with(
    kubernetes: Kubernetes, ways: tuple[Access, ...], writer: Writer
) -> None:
    line = "/etc/coredns/Corefile:7 - Error during parsing: Unknown directive 'forwrd'"
    ended = {"terminated": {"exitCode": 1, "message": f"[INFO] x\n{line}\n"}}
    dead = pod("kube-dns")
    dead["metadata"]["name"] = "kube-dns-2"
    dead["status"] = {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "False"}],
        "containerStatuses": [
            {
                "name": "kube-dns",
                "ready": False,
                "restartCount": 3,
                "image": "nothing",
                "imageID": "nothing",
                "lastState": ended,
                "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            }
        ],
    }
    writer.create(f"{SYSTEM}/pods", dead)
    try:
        with closing(Api(ways[0])) as api:
            found = core_dns(api).pods
    finally:
        writer.delete(f"{SYSTEM}/pods/kube-dns-2")
    assert Pod(name="kube-dns-2", ready=False, complaint=line) in found  # type: ignore[operator]


def test_certificates_are_seen_outside_and_in_secrets(east: Cluster) -> None:
    found = [one for one in east.certificates if not isinstance(one, Unanswered)]
    assert [(one.holder, one.kind, one.signed) for one in found] == [
        ("API server", "api server", True),
        ("admin kubeconfig", "admin", True),
        ("cilium-ca", "authority", True),
        ("clustermesh-apiserver-remote-cert", "mesh", True),
    ]


def test_no_secret_is_in_any_word_or_number(
    ways: tuple[Access, ...], kubernetes: Kubernetes, tmp_path: Path
) -> None:
    findings = examine(ways, PROJECT, say, enter)
    printed = json.dumps(document(findings)) + repr(findings)
    keys = [kubernetes.admin.key, AUTHORITY.key, kubernetes.secrets.bootstrap_token]
    for secret in (*keys, VALUES_SECRET):
        assert secret not in printed
        assert secret.splitlines()[len(secret.splitlines()) // 2] not in printed


def test_a_corefile_changed_by_hand_is_found_and_the_fix_named(
    ways: tuple[Access, ...], writer: Writer, tmp_path: Path
) -> None:
    by_hand = COREFILE.replace("10.11.84.32", "10.11.84.99")
    writer.replace(f"{SYSTEM}/configmaps", config_map("coredns", by_hand))
    try:
        findings = examine(ways, tmp_path, say, enter)
    finally:
        writer.replace(f"{SYSTEM}/configmaps", config_map("coredns", COREFILE))
    [found] = [one for one in findings if one.subject == "Corefile"]
    assert found.severity == "error"
    assert found.seen == "was changed since the last `up` rolled it out"
    assert found.fix == "pulumi refresh -s east; pulumi up -s east"


def test_beside_the_stack_files_drift_is_an_error_and_elsewhere_not_checked(
    ways: tuple[Access, ...], tmp_path: Path
) -> None:
    def drift(directory: Path) -> set[str]:
        findings = examine(ways, directory, say, enter)
        return {one.severity for one in findings if one.subject.endswith("and stack files")}

    assert drift(PROJECT) == {"error"}
    assert drift(tmp_path) == {"not checked"}


def test_a_certificate_that_nobody_there_knows_is_told(
    kubernetes: Kubernetes, writer: Writer, tmp_path: Path
) -> None:
    ca = kubernetes.secrets.cluster_ca
    stranger = admin_certificate(certificate_authority("a stranger", 1), 1)
    text = kubeconfig("east", kubernetes.server, ca.certificate, stranger.certificate, stranger.key)
    (tmp_path / "config").write_text(text)
    [found] = ask(accesses([tmp_path / "config"]), {}, say)
    assert isinstance(found, Silent)
    assert found.why == "it doesn't know the certificate or token of the kubeconfig"


def test_what_is_not_there_is_no_list_and_no_answer(ways: tuple[Access, ...]) -> None:
    with closing(Api(ways[0])) as api:
        assert api.items("/apis/metallb.io/v9/nothing") == ()
        with pytest.raises(NotThereError, match="configmaps/nothing isn't there"):
            api.get(f"{SYSTEM}/configmaps/nothing")
        with pytest.raises(NoAnswerError, match="it refused: 405 Method Not Allowed"):
            api.get(f"{SYSTEM}/pods/cilium-1/binding")


def test_a_pod_whose_node_is_away_is_no_answer_within_seconds(
    ways: tuple[Access, ...],
) -> None:
    with closing(Api(ways[0])) as api:
        begin = time.monotonic()
        with pytest.raises(NoAnswerError, match="no way into pod cilium-1"):
            PodChannels(api).run("cilium-1", "cilium", "true")
        assert time.monotonic() - begin < 15
