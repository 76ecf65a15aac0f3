"""A real etcd and a real API server, where a test makes Services and their endpoints."""

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from cryptography.hazmat.primitives.asymmetric import ec
from kubernetes import client
from kubernetes.utils import create_from_dict
from urllib3.exceptions import HTTPError

from lab.paths import cache
from mesh.pki.authority import private_key_text
from tests.dns.hosts import Host, running
from tests.lab.conftest import located

TOKEN = "of-the-tests"
START_SECONDS = 300  # a busy machine is no failure


@dataclass(frozen=True)
class KubernetesApi:
    """One cluster's API, without nodes and controllers: what a test makes is all there is."""

    host: Host
    directory: Path

    @property
    def server(self) -> str:
        return f"https://{self.host.address}:6443"

    @property
    def authority(self) -> Path:
        """The certificate the API server made for itself."""
        return self.directory / "certificates" / "apiserver.crt"

    def kubeconfig(self) -> Path:
        """The file with which CoreDNS may watch everything."""
        cluster = {"server": self.server, "certificate-authority": str(self.authority)}
        path = self.directory / "kubeconfig"
        content = {
            "clusters": [{"name": "tests", "cluster": cluster}],
            "users": [{"name": "tests", "user": {"token": TOKEN}}],
            "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": "tests"}}],
            "current-context": "tests",
        }
        path.write_text(yaml.safe_dump(content))
        return path

    def create(self, objects: Iterable[dict[str, Any]]) -> None:
        """Make the objects, in this order."""
        self.host.run(partial(self._create, list(objects)))

    def set_endpoints(self, namespace: str, name: str, endpoints: list[dict[str, Any]]) -> None:
        """Let an EndpointSlice hold these endpoints and no others."""

        def patch() -> None:
            with self._client() as api:
                slices = client.DiscoveryV1Api(api)
                slices.patch_namespaced_endpoint_slice(name, namespace, {"endpoints": endpoints})

        self.host.run(patch)

    def is_ready(self) -> bool:
        """Whether the API answers and has its first namespaces."""

        def ask() -> bool:
            try:
                with self._client() as api:
                    client.CoreV1Api(api).read_namespace("default", _request_timeout=5)
            except (client.ApiException, HTTPError):
                return False
            return True

        return self.authority.exists() and self.host.run(ask)

    def _create(self, objects: list[dict[str, Any]]) -> None:
        with self._client() as api:
            for entry in objects:
                create_from_dict(api, entry)  # type: ignore[no-untyped-call]

    def _client(self) -> client.ApiClient:
        configuration = client.Configuration(
            host=self.server,
            api_key={"authorization": TOKEN},
            api_key_prefix={"authorization": "Bearer"},
        )
        configuration.ssl_ca_cert = str(self.authority)
        configuration.retries = False
        return client.ApiClient(configuration)


@contextmanager
def serving(host: Host, directory: Path, service_cidr: str) -> Iterator[KubernetesApi]:
    """The API is being started; `wait` until it answers, so that several may start at once."""
    programs = located("LAB_BIN", cache() / "bin", "kube-control-plane")
    (directory / "kube-apiserver").symlink_to(programs / "kube-control-plane")
    key = ec.generate_private_key(ec.SECP256R1())
    (directory / "service-account.key").write_text(private_key_text(key))
    (directory / "tokens").write_text(f"{TOKEN},tests,1,system:masters\n")
    api = KubernetesApi(host, directory)
    with ExitStack() as ends:
        etcd = host.command(str(programs / "etcd"), "--unsafe-no-fsync", f"--data-dir={directory}")
        ends.enter_context(running(etcd, directory / "etcd.log"))
        server = host.command(*_api_server(api, service_cidr))
        ends.enter_context(running(server, directory / "api.log"))
        yield api


def wait(api: KubernetesApi) -> None:
    """Return when the API answers; its last words when it does not."""
    end = time.monotonic() + START_SECONDS
    while not api.is_ready():
        assert time.monotonic() < end, (api.directory / "api.log").read_text()[-2000:]
        time.sleep(0.2)


def _api_server(api: KubernetesApi, service_cidr: str) -> list[str]:
    key = api.directory / "service-account.key"
    return [
        str(api.directory / "kube-apiserver"),
        "--etcd-servers=http://127.0.0.1:2379",
        f"--bind-address={api.host.address}",
        f"--advertise-address={api.host.address}",
        f"--cert-dir={api.directory / 'certificates'}",
        f"--token-auth-file={api.directory / 'tokens'}",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-account-issuer=https://kubernetes.default",
        f"--service-cluster-ip-range={service_cidr}",
        "--disable-admission-plugins=ServiceAccount",
    ]
