"""A real Kubernetes API on loopback, and the command in a project of the test's own."""

import ipaddress
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from typer.testing import CliRunner, Result

from cli.app import app
from cli.cluster import Cluster
from cli.failure import Failure
from cli.repair.objects import ObjectReference
from lab.paths import cache
from mesh.pki import ClusterSecrets, KeyPair, admin_certificate, cluster_secrets
from mesh.pki.authority import certificate_text, private_key_text, unsigned_certificate
from mesh.render.kubeconfig import kubeconfig
from mesh.settings import LifetimesSettings
from tests.cli.projects import Files
from tests.lab.conftest import located, pulumi_root, simulator, vcenter
from tests.ports import free_port
from tests.processes import DIES_WITH_US

__all__ = ["pulumi_root", "simulator", "vcenter"]

PROJECT = Path(__file__).parent.parent.parent
NAME = "vsphere-cluster-mesh"
PASSWORD = "battery staple"


@dataclass(frozen=True)
class Kubernetes:
    """An API server with the keys of a cluster of ours, where nothing runs pods."""

    server: str
    secrets: ClusterSecrets
    admin: KeyPair
    cluster: str = "east"

    @property
    def kubeconfig(self) -> str:
        ca = self.secrets.cluster_ca.certificate
        return kubeconfig(self.cluster, self.server, ca, self.admin.certificate, self.admin.key)


@pytest.fixture(scope="module")
def kubernetes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubernetes]:
    with running_kubernetes("east", tmp_path_factory.mktemp("kubernetes")) as made:
        yield made


@contextmanager
def running_kubernetes(cluster: str, directory: Path) -> Iterator[Kubernetes]:
    """An API server of a cluster's own runs until the block ends."""
    programs = located("LAB_BIN", cache() / "bin", "kube-control-plane")
    secrets = cluster_secrets(cluster, LifetimesSettings())
    admin = admin_certificate(secrets.cluster_ca, 1)
    etcd, peer, secure = free_port(), free_port(), free_port()
    made = Kubernetes(f"https://127.0.0.1:{secure}", secrets, admin, cluster)
    write_keys(directory, secrets)
    (directory / "kube-apiserver").symlink_to(programs / "kube-control-plane")
    commands = [
        etcd_command(programs / "etcd", directory, etcd, peer),
        api_server_command(directory, etcd, secure),
    ]
    with (directory / "log").open("w") as log:
        started = [
            subprocess.Popen([*DIES_WITH_US, *one], stdout=log, stderr=log) for one in commands
        ]
    try:
        wait_for(made, directory / "log")
        yield made
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def write_keys(directory: Path, secrets: ClusterSecrets) -> None:
    ca = secrets.cluster_ca
    signing: Any = serialization.load_pem_private_key(ca.key.encode(), password=None)
    issuer = x509.load_pem_x509_certificate(ca.certificate.encode()).subject
    key = ec.generate_private_key(ec.SECP256R1())
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    name = x509.Name([])
    certificate = (
        unsigned_certificate(name, issuer, key.public_key(), timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=True)
        .sign(signing, hashes.SHA256())
    )
    for file, text in {
        "ca.crt": ca.certificate,
        "server.crt": certificate_text(certificate),
        "server.key": private_key_text(key),
        "sa.key": secrets.service_account.private,
    }.items():
        (directory / file).write_text(text)


def etcd_command(program: Path, directory: Path, client: int, peer: int) -> list[str]:
    here, there = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
    return [
        str(program),
        f"--data-dir={directory / 'etcd'}",
        f"--listen-client-urls={here}",
        f"--advertise-client-urls={here}",
        f"--listen-peer-urls={there}",
        f"--initial-advertise-peer-urls={there}",
        f"--initial-cluster=default={there}",
        "--unsafe-no-fsync",
    ]


def api_server_command(directory: Path, etcd: int, secure: int) -> list[str]:
    return [
        str(directory / "kube-apiserver"),
        f"--etcd-servers=http://127.0.0.1:{etcd}",
        "--bind-address=127.0.0.1",
        f"--secure-port={secure}",
        f"--client-ca-file={directory / 'ca.crt'}",
        f"--tls-cert-file={directory / 'server.crt'}",
        f"--tls-private-key-file={directory / 'server.key'}",
        f"--service-account-key-file={directory / 'sa.key'}",
        f"--service-account-signing-key-file={directory / 'sa.key'}",
        "--service-account-issuer=https://kubernetes.default",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",
    ]


def wait_for(made: Kubernetes, log: Path) -> None:
    end = time.monotonic() + 180  # a busy machine is no failure
    while True:
        try:
            with closing(Cluster(made.kubeconfig)) as cluster:
                if cluster.find(ObjectReference("v1", "Namespace", None, "kube-system")):
                    return
        except Failure:
            pass
        assert time.monotonic() < end, log.read_text()[-2000:]
        time.sleep(0.2)


@dataclass
class Mesh:
    """The command in a project directory, and the program that runs there."""

    directory: Path
    environment: dict[str, str]

    @property
    def project(self) -> Path:
        return self.directory / "project"

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, arguments)

    def pulumi(self, *arguments: str) -> str:
        program = f"{os.environ['PULUMI_ROOT']}/bin/pulumi"
        command = [program, "--non-interactive", *arguments]
        done = subprocess.run(
            command, cwd=self.project, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def up(self, *words: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "tests.cli.interrupted_program", *words]
        return subprocess.Popen(
            command,
            cwd=self.project,
            env={**os.environ, "PYTHONPATH": str(PROJECT), **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @property
    def locks(self) -> list[Path]:
        return sorted((self.directory / "state/.pulumi/locks").rglob("*.json"))

    @property
    def state(self) -> Path:
        return self.directory / "state/.pulumi/stacks" / NAME / "east.json"

    @property
    def pending(self) -> list[str]:
        latest = json.loads(self.state.read_text())["checkpoint"]["latest"] or {}
        found = latest.get("pending_operations") or ()
        return sorted(one["resource"]["type"] for one in found)


@pytest.fixture
def mesh(pulumi_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mesh:
    for name in ("state", "project"):
        (tmp_path / name).mkdir()
    for file in PROJECT.glob("Pulumi*.yaml"):
        shutil.copy(file, tmp_path / "project")
    (tmp_path / "passphrase").write_text("correct horse")
    for name, value in {
        "PULUMI_ROOT": str(pulumi_root),
        "PULUMI_HOME": str(tmp_path / "home"),
        "PULUMI_BACKEND_URL": f"file://{tmp_path / 'state'}",
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(tmp_path / "passphrase"),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "NO_COLOR": "1",
        "PATH": f"{cache() / 'bin'}:{os.environ['PATH']}",
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("KUBECONFIG", "PULUMI_CONFIG_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path / "project")
    return Mesh(tmp_path, {})


def use_vcenter(mesh: Mesh, server: str) -> None:
    """Let the stack files name a vCenter of the test's own."""
    for stack in ("east", "west"):
        file = mesh.project / f"Pulumi.{stack}.yaml"
        content = yaml.safe_load(file.read_text())
        content["config"][f"{NAME}:vsphere"] |= {"server": server, "allowUnverifiedTls": True}
        file.write_text(yaml.safe_dump(content))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    return Files(tmp_path, monkeypatch)
