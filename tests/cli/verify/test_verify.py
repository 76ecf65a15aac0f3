"""`mesh verify` against two real API servers; nodes and their pods are played by the tests."""

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import kubernetes
import pytest
from typer.testing import Result

from cli.cluster import Cluster
from cli.doctor.asking.access import accesses
from cli.doctor.asking.api import Api, NoAnswerError
from cli.failure import Failure
from cli.repair.objects import ObjectReference
from cli.verify import session
from cli.verify.report import document
from cli.verify.session import Session
from mesh.acceptance.findings import Finding
from mesh.acceptance.probe.plan import Plan
from mesh.render.corefile import corefile
from mesh.render.kubeconfig import merged_kubeconfig
from tests.cli.conftest import Kubernetes, running_kubernetes
from tests.cli.controllers import controllers, result_of
from tests.cli.projects import Files
from tests.mesh.render.clusters import peers, settings

pytestmark = pytest.mark.timeout(300)

client: Any = kubernetes  # only half typed
OURS = ObjectReference("v1", "Namespace", None, "mesh-verify")
NODES = {"east": ["east/e1", "west/w1"], "west": ["west/w1", "east/e1"]}


class Nodes:
    """What `cilium-dbg node list` says in a cluster; no kubelet runs here that could be asked."""

    def __init__(self, api: Api, nodes: Sequence[str] | None) -> None:
        self._nodes = nodes

    def run(self, pod: str, container: str, *command: str) -> str:
        assert (pod, container, command[:3]) == (
            "cilium-a",
            "cilium-agent",
            ("cilium-dbg", "node", "list"),
        )
        if self._nodes is None:
            raise NoAnswerError("cilium-dbg failed: no such program")
        return json.dumps([{"name": name} for name in self._nodes])

    def dial(self, pod: str, port: int, question: bytes) -> bytes:
        raise NotImplementedError


class World:
    """Two clusters, and what happens in them."""

    def __init__(self, apis: Sequence[Kubernetes], file: Path) -> None:
        self.apis = apis
        self.kubeconfig = file
        self.plans: dict[str, Plan] = {}
        self.headless: set[tuple[str, str]] = set()
        self.outcomes: dict[str, str | None] = {}
        self.nodes: dict[str, list[str] | None] = {**NODES}

    def done(self, plan: Plan) -> str | None:
        """What a Job finds, by the cluster it asks from."""
        own = plan.own.cluster
        self.plans[own] = plan
        self.headless = self._headless_services()
        outcome = self.outcomes.get(own, "passed")
        others = {to.cluster: outcome or "" for to in plan.peers if to.there}
        return None if outcome is None else result_of(plan, **others)

    def _headless_services(self) -> set[tuple[str, str]]:
        """The cluster and the name of each that is there while Jobs run."""
        found = set()
        for api in self.apis:
            context = {"context": api.cluster, "config_file": str(self.kubeconfig)}
            with closing(client.config.new_client_from_config(**context)) as connection:
                services = client.client.CoreV1Api(connection)
                found |= {
                    (api.cluster, one.metadata.name)
                    for one in services.list_namespaced_service("mesh-verify").items
                    if one.spec.cluster_ip == "None"
                }
        return found

    def session(self, directory: Path, *clusters: str) -> Session:
        ways = [one for one in accesses([self.kubeconfig]) if one.cluster in (clusters or NODES)]

        def enter(api: Api) -> Nodes:
            return Nodes(api, self.nodes[api.access.cluster])

        return Session(ways, directory, lambda *_: None, None, enter)

    def left_over(self) -> list[str]:
        """The clusters that still have our namespace."""
        found = []
        for api in self.apis:
            with closing(Cluster(api.kubeconfig)) as cluster:
                found += [api.cluster] if cluster.find(OURS) else []
        return found


@pytest.fixture(scope="module")
def apis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Kubernetes]]:
    with ExitStack() as ends:
        yield [
            ends.enter_context(running_kubernetes(name, tmp_path_factory.mktemp(name)))
            for name in ("east", "west")
        ]


@pytest.fixture
def world(
    apis: list[Kubernetes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    monkeypatch.setattr(session, "_PAUSE", 0.1)
    file = tmp_path / "mesh.kubeconfig"
    file.write_text(merged_kubeconfig([api.kubeconfig for api in apis]))
    made = World(apis, file)
    with ExitStack() as ends:
        for api in apis:
            connection = ends.enter_context(controllers(api, lambda plan: made.done(plan)))
            add_cilium(connection)
        yield made


def add_cilium(connection: Any) -> None:
    """A pod of the DaemonSet that runs, as far as the API knows."""
    core = client.client.CoreV1Api(connection)
    if not core.list_namespaced_pod("kube-system").items:
        spec = {"containers": [{"name": "cilium-agent", "image": "nothing"}]}
        metadata = {"name": "cilium-a", "labels": {"k8s-app": "cilium"}}
        core.create_namespaced_pod("kube-system", {"metadata": metadata, "spec": spec})
        status = {"status": {"phase": "Running"}}
        core.patch_namespaced_pod_status("cilium-a", "kube-system", status)


def rows(findings: Sequence[Finding]) -> dict[tuple[str, str, str], str]:
    return {(one.here, one.to, one.check): one.result for one in findings}


def test_every_cluster_asks_the_others_and_nothing_stays(world: World, files: Files) -> None:
    found = rows(world.session(files.directory).run())
    both = [("east", "west"), ("west", "east")]
    checks = ("pod by TCP", "remote nodes")
    assert found == {(*pair, check): "pass" for pair in both for check in checks}
    assert world.left_over() == []
    assert world.plans["east"].peers[0].dns == ("10.11.84.32",)
    assert world.plans["east"].targets_made


def test_no_run_asks_for_a_name_that_an_earlier_one_asked_for(world: World, files: Files) -> None:
    asked: list[set[str]] = []
    for _ in range(2):
        world.session(files.directory).run()
        found = {to.service_name(plan) for plan in world.plans.values() for to in plan.peers}
        made = {f"{name}.mesh-verify.{cluster}.mesh.example" for cluster, name in world.headless}
        assert found == made
        asked.append(found)
    assert not asked[0] & asked[1]


def test_a_failure_is_told_with_its_cause_and_nothing_stays(world: World, files: Files) -> None:
    world.outcomes["west"] = "silence"
    world.nodes["west"] = ["west/w1"]
    found = world.session(files.directory).run()
    failed = {one.check: one for one in found if one.result == "fail"}
    assert set(failed) == {"pod by TCP", "remote nodes"}
    assert "UDP 6081 (geneve)" in failed["pod by TCP"].remedy
    assert failed["remote nodes"].seen == "Cilium knows no node"
    assert document(found)["ok"] is False
    assert world.left_over() == []


def test_one_cluster_alone_has_peers_that_are_pending(world: World, files: Files) -> None:
    world.nodes["east"] = ["east/e1"]
    found = rows(world.session(files.directory, "east").run())
    assert found[("east", "west", "remote nodes")] == "pending"
    assert [peer.there for peer in world.plans["east"].peers] == [False]


def test_a_job_that_fails_ends_it_and_nothing_stays(world: World, files: Files) -> None:
    world.outcomes["east"] = None
    with pytest.raises(Failure, match=r"east: the Job run-.*no pod of it is there"):
        world.session(files.directory).run()
    assert world.left_over() == []


def test_a_pod_that_cilium_is_not_asked_in_is_told(world: World, files: Files) -> None:
    world.nodes["east"] = None
    found = world.session(files.directory).run()
    [told] = [one for one in found if one.check == "remote nodes" and one.here == "east"]
    assert (told.result, told.seen) == ("fail", "cilium-dbg failed: no such program")


NODE_CACHE = """\
cluster.local:53 {
    bind 169.254.20.10
    forward . 10.201.0.11 {
        force_tcp
    }
}
.:53 {
    bind 169.254.20.10
    forward . /etc/resolv.conf
}
"""


def test_a_dns_cache_on_the_nodes_that_lacks_a_zone_is_seen_with_what_to_add(
    world: World, files: Files
) -> None:
    context = {"context": "east", "config_file": str(world.kubeconfig)}
    with closing(client.config.new_client_from_config(**context)) as connection:
        core = client.client.CoreV1Api(connection)
        body = {"metadata": {"name": "node-local-dns"}, "data": {"Corefile": NODE_CACHE}}
        core.create_namespaced_config_map("kube-system", body)
        try:
            found = world.session(files.directory).run()
        finally:
            core.delete_namespaced_config_map("node-local-dns", "kube-system")
    [told] = [one for one in found if one.check == "DNS cache on the nodes"]
    assert (told.here, told.to, told.result) == ("east", "west", "fail")
    assert "lacks: west.mesh.example:53 {" in told.seen
    assert "bind 169.254.20.10 forward . 10.201.0.11 { force_tcp }" in told.seen
    assert "asks the site's resolver" in told.cause


def test_a_namespace_that_is_there_is_somebody_elses(world: World, files: Files) -> None:
    api = world.apis[1]
    connection = client.config.new_client_from_config(str(world.kubeconfig), context=api.cluster)
    core = client.client.CoreV1Api(connection)
    core.create_namespace({"metadata": {"name": "mesh-verify"}})
    try:
        with pytest.raises(Failure) as refused:
            world.session(files.directory).run()
        assert "kubectl --context west delete namespace mesh-verify" in str(refused.value)
        assert world.left_over() == ["west"]
    finally:
        core.delete_namespace("mesh-verify")
        connection.close()
        end = time.monotonic() + 60
        while world.left_over():
            assert time.monotonic() < end
            time.sleep(0.2)


def test_an_interrupted_one_takes_away_what_it_made(
    world: World, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody does the Job: it is waited for when Ctrl-C comes, which the main thread gets.
    monkeypatch.setattr(world, "done", lambda plan: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        world.session(files.directory, "east").run()
    assert world.left_over() == []


def test_without_stack_files_the_clusters_say_who_they_are(world: World, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for api in world.apis:
        other = "west" if api.cluster == "east" else "east"
        text = corefile(settings(api.cluster), peers(other))
        connection = client.config.new_client_from_config(
            str(world.kubeconfig), context=api.cluster
        )
        body = {"metadata": {"name": "coredns"}, "data": {"Corefile": text}}
        client.client.CoreV1Api(connection).create_namespaced_config_map("kube-system", body)
        connection.close()
    world.session(tmp_path / "elsewhere").run()
    [west] = world.plans["east"].peers
    assert (west.zone, world.plans["east"].domain) == ("west.mesh.example", "cluster.local")


def run_command(files: Files, *arguments: str) -> Result:
    return files.run("verify", *arguments)


def test_a_context_that_is_not_there_is_refused_with_those_that_are(
    world: World, files: Files
) -> None:
    done = run_command(files, "north", "--kubeconfig", str(world.kubeconfig))
    assert isinstance(done.exception, Failure)
    assert "no context north: its contexts are east, west" in str(done.exception)


def test_the_command_prints_a_table_and_ends_with_1_when_a_check_fails(
    world: World, files: Files
) -> None:
    # No kubelet is here, so that Cilium can't be asked.
    done = run_command(files, "--kubeconfig", str(world.kubeconfig), "--json")
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert told["ok"] is False
    results = {(one["from"], one["check"]): one["result"] for one in told["findings"]}
    assert results[("east", "pod by TCP")] == "pass"
    assert results[("east", "remote nodes")] == "fail"
    assert world.left_over() == []
