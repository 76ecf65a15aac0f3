"""`mesh repair` after the real engine was killed, in front of real servers."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.cluster import Cluster
from cli.failure import Failure
from cli.repair import orphans
from cli.repair.objects import ObjectReference
from tests.cli.conftest import NAME, PASSWORD, Kubernetes, Mesh, use_vcenter

pytestmark = [
    pytest.mark.engine,
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

ETCD = ObjectReference("v1", "Service", "kube-system", "clustermesh-apiserver")
FROM_CHART = ObjectReference("v1", "ConfigMap", "kube-system", "from-chart")
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: cilium\nversion: 1.0.0\n",
    "templates/all.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: from-chart}
data: {a: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: never-ready}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: a, image: none}]}
""",
}


@pytest.fixture
def interrupted(mesh: Mesh, kubernetes: Kubernetes, simulator: str, tmp_path: Path) -> Mesh:
    use_vcenter(mesh, simulator)
    assert mesh.run("init").exit_code == 0
    mesh.pulumi("config", "set", "--secret", "vcenterPassword", PASSWORD, "-s", "east")
    for name, text in CHART.items():
        file = tmp_path / "chart" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    keys = {
        "server": kubernetes.server,
        "secrets": kubernetes.secrets.as_mapping(),
        "admin": kubernetes.admin.as_mapping(),
    }
    (tmp_path / "keys").write_text(json.dumps(keys))
    mesh.environment |= {"KEYS": str(tmp_path / "keys"), "CHART": str(tmp_path / "chart")}
    return mesh


@pytest.fixture
def cluster(kubernetes: Kubernetes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    address = kubernetes.server.removeprefix("https://")
    monkeypatch.setattr("cli.repair.outside.api_server", lambda _: address)
    with closing(Cluster(kubernetes.kubeconfig)) as cluster:
        yield cluster


def until_it_hangs(mesh: Mesh, cluster: Cluster) -> int:
    """The pid of the engine, once it waits for what never comes."""
    end = time.monotonic() + 60
    while not (cluster.find(ETCD) and cluster.revisions() and len(mesh.pending) == 2):
        assert time.monotonic() < end
        time.sleep(0.2)
    [lock] = mesh.locks
    return int(json.loads(lock.read_text())["pid"])


def plugins(mesh: Mesh) -> list[str]:
    found = [one for one in orphans.running() if one.directory == mesh.project]
    return [str(one) for one in found if one.project == NAME]


def goes_through(mesh: Mesh) -> None:
    said, code = to_its_end(mesh)
    assert code == 0, said


def to_its_end(mesh: Mesh) -> tuple[str, int]:
    with mesh.up("patient") as process:
        said, _ = process.communicate(timeout=60)
    return said, process.returncode


def test_a_killed_up_is_repaired_and_the_next_one_goes_through(
    interrupted: Mesh, cluster: Cluster, kubernetes: Kubernetes
) -> None:
    mesh = interrupted
    with mesh.up() as process:
        engine = until_it_hangs(mesh, cluster)
        refused = mesh.run("repair", "east", "--yes")
        assert f"pid {engine}" in str(refused.exception)
        assert "is running" in str(refused.exception)
        os.kill(engine, signal.SIGKILL)
        process.kill()
    assert plugins(mesh)

    looked = mesh.run("repair", "east", "--dry-run")
    assert looked.exit_code == 0, looked.output
    assert "dry run, nothing was done" in looked.output
    assert mesh.locks
    assert plugins(mesh)

    declined = mesh.run("repair", "east")
    assert declined.exit_code != 0
    assert mesh.locks

    repaired = mesh.run("repair", "east", "--yes")
    assert repaired.exit_code == 0, (repaired.output, repaired.exception)
    for found in (
        f"remove the lock of pid {engine}",
        "end pulumi-resource-kubernetes",
        "delete Service clustermesh-apiserver in kube-system",
        "delete Helm's record of revision 1 of release cilium, pending-install",
        "forget that it was creating kubernetes:core/v1:Service etcd",
        "next: pulumi up -s east",
    ):
        assert found in repaired.output
    assert PASSWORD not in repaired.output
    assert "PRIVATE KEY" not in repaired.output
    assert (mesh.locks, mesh.pending, plugins(mesh)) == ([], [], [])
    assert cluster.find(ETCD) is None
    assert cluster.revisions() == []
    assert cluster.find(FROM_CHART), "what the chart made stays, for the next install"

    goes_through(mesh)
    assert "found nothing to repair; next: pulumi up -s east" in mesh.run("repair", "east").output

    # A release the state doesn't know: killed between the installation and the checkpoint.
    urn = f"urn:pulumi:east::{NAME}::kubernetes:helm.sh/v3:Release::cilium"
    mesh.pulumi("state", "delete", urn, "--yes", "-s", "east")
    said, _ = to_its_end(mesh)
    assert "cannot re-use a name that is still in use" in said
    repaired = mesh.run("repair", "east", "--yes")
    assert "revision 1 of release cilium, deployed" in repaired.output
    goes_through(mesh)
    assert [one.status for one in cluster.revisions()] == ["deployed"]

    file = mesh.directory / "kubeconfig"
    assert mesh.run("kubeconfig", "-o", str(file)).exit_code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text() == kubernetes.kubeconfig
    with closing(Cluster(file.read_text())) as again:
        assert again.find(FROM_CHART)


def test_another_machines_lock_is_refused_in_words(mesh: Mesh) -> None:
    assert mesh.run("init").exit_code == 0
    place = mesh.directory / "state/.pulumi/locks/organization" / NAME / "east"
    place.mkdir(parents=True, exist_ok=True)
    lock = {"pid": 1, "username": "ann", "hostname": "desktop", "timestamp": "2026-11-30T15:54:54Z"}
    (place / "one.json").write_text(json.dumps(lock))
    refused = mesh.run("repair", "east", "--yes")
    assert "ann on desktop" in str(refused.exception)
    assert mesh.locks
    mesh.pulumi("cancel", "--yes", "-s", "east")
    assert mesh.locks == []


def test_init_is_done_once_and_its_words_are_the_next_commands(mesh: Mesh) -> None:
    first = mesh.run("init")
    assert first.exit_code == 0, first.output
    assert "east: initialised\nwest: initialised\n" in first.output
    assert "next: pulumi config set --secret vcenterPassword -s east\n" in first.output
    assert "then: pulumi config set --secret vcenterPassword -s west\n" in first.output
    files = {file: file.read_text() for file in mesh.project.iterdir()}
    mesh.pulumi("config", "set", "--secret", "vcenterPassword", PASSWORD, "-s", "west")
    files[mesh.project / "Pulumi.west.yaml"] = (mesh.project / "Pulumi.west.yaml").read_text()
    second = mesh.run("init")
    assert "east: initialised already\nwest: initialised already\n" in second.output
    assert "vcenterPassword -s west" not in second.output
    assert {file: file.read_text() for file in mesh.project.iterdir()} == files


def test_a_stack_that_was_never_initialised_is_named(mesh: Mesh) -> None:
    refused = mesh.run("repair", "east")
    assert "run `mesh init`" in str(refused.exception)


def test_a_wrong_passphrase_is_told_in_one_line(interrupted: Mesh) -> None:
    (interrupted.directory / "passphrase").write_text("battery")
    refused = interrupted.run("repair", "east")
    assert "incorrect passphrase" in str(refused.exception)
    assert len(str(refused.exception).splitlines()) == 1


def test_a_cluster_that_does_not_answer_is_told_soon(kubernetes: Kubernetes) -> None:
    dead = kubernetes.kubeconfig.replace(kubernetes.server, "https://127.0.0.1:1")
    start = time.monotonic()
    with pytest.raises(Failure, match=r"no answer from https://127\.0\.0\.1:1: "):
        Cluster(dead)
    assert time.monotonic() - start < 5
