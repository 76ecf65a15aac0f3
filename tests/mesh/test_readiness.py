"""The wait for a cluster, against a real TLS server that asks for our client certificate."""

import datetime
import ipaddress
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from mesh.nodes import Node
from mesh.pki import KeyPair, admin_certificate, certificate_authority
from mesh.readiness import NotReadyError, Wait, describe_status, wait_until_ready

CONTROL_PLANE = Node("east-control-plane-1", "control-plane", IPv4Address("10.11.85.11"), 4, 8, 40)
WORKER = Node("east-worker-1", "worker", IPv4Address("10.11.85.12"), 8, 32, 100)
NODES = (CONTROL_PLANE, WORKER)


class ApiServer(BaseHTTPRequestHandler):
    """Ready after some looks, with nodes that register later still."""

    looks_until_ready = 0
    registered: tuple[str, ...] = ()
    broken_looks = 0

    def do_GET(self) -> None:
        cls = type(self)
        if self.path == "/readyz":
            status, body = (503, b"etcd failed") if cls.looks_until_ready > 0 else (200, b"ok")
            cls.looks_until_ready -= 1
        elif cls.broken_looks > 0:
            cls.broken_looks -= 1
            self.send_response(200)
            self.send_header("Content-Length", "9999")
            self.end_headers()
            self.wfile.write(b'{"items": [')
            return
        else:
            items = [{"metadata": {"name": name}} for name in cls.registered]
            status, body = 200, json.dumps({"items": items}).encode()
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing on the terminal."""


def server_certificate(ca: KeyPair) -> str:
    issuer = x509.load_pem_x509_certificate(ca.certificate.encode())
    signing = serialization.load_pem_private_key(ca.key.encode(), None)
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")]))
        .issuer_name(issuer.subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .sign(signing, hashes.SHA256())  # type: ignore[arg-type]
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode() + secret.decode()


@contextmanager
def api_server(
    directory: Path, ca: KeyPair, looks: int, registered: tuple[str, ...], broken: int = 0
) -> Iterator[str]:
    state = {"looks_until_ready": looks, "registered": registered, "broken_looks": broken}
    handler = type("Handler", (ApiServer,), state)
    chain, trusted = directory / "server.pem", directory / "ca.pem"
    chain.write_text(server_certificate(ca))
    trusted.write_text(ca.certificate)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(trusted))
    context.load_cert_chain(chain)
    context.verify_mode = ssl.CERT_REQUIRED
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"https://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def ca() -> KeyPair:
    return certificate_authority("east-ca", 1)


def wait_for(server: str, ca: KeyPair, bound: float = 5.0) -> Wait:
    admin = admin_certificate(ca, 1)
    return Wait(
        server=server,
        ca=ca.certificate,
        admin=admin,
        nodes=NODES,
        bound=bound,
        interval=0.05,
        report_interval=0.05,
    )


def ignore(_: str) -> None:
    """No one reads this progress."""


def nothing_to_say(_: Node) -> str:
    return "has not reported yet"


def test_a_ready_cluster_is_not_waited_for(tmp_path: Path, ca: KeyPair) -> None:
    progress: list[str] = []
    with api_server(tmp_path, ca, 0, tuple(node.name for node in NODES)) as server:
        wait_until_ready(wait_for(server, ca), progress.append, nothing_to_say)
    assert progress == []


def test_a_cluster_that_becomes_ready_is_waited_for_with_progress(
    tmp_path: Path, ca: KeyPair
) -> None:
    progress: list[str] = []
    with api_server(tmp_path, ca, 2, tuple(node.name for node in NODES)) as server:
        wait_until_ready(wait_for(server, ca), progress.append, lambda _: "kubeadm-init running")
    assert len(progress) == 2
    assert "503 Service Unavailable" in progress[0]
    assert "east-worker-1 kubeadm-init running" in progress[0]


def test_an_answer_that_is_cut_short_is_no_answer(tmp_path: Path, ca: KeyPair) -> None:
    progress: list[str] = []
    registered = tuple(node.name for node in NODES)
    with api_server(tmp_path, ca, 0, registered, broken=1) as server:
        wait_until_ready(wait_for(server, ca), progress.append, nothing_to_say)
    assert len(progress) == 1
    assert "no answer (IncompleteRead" in progress[0]


class Clock:
    """A clock that only sleeping moves, and every moment it was slept at."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept_at: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept_at.append(self.now)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("mesh.readiness.time", clock)
    return clock


def wait_in_vain(ca: KeyPair, number: int) -> Wait:
    """A wait of 25 s for workers of a cluster that never answers, with its usual intervals."""
    workers = tuple(replace(WORKER, name=f"east-worker-{n}") for n in range(1, number + 1))
    admin = admin_certificate(ca, 1)
    server = "https://127.0.0.1:1"
    return Wait(server=server, ca=ca.certificate, admin=admin, nodes=workers, bound=25.0)


def test_a_look_is_taken_every_two_seconds_and_told_of_every_ten(ca: KeyPair, clock: Clock) -> None:
    told: list[float] = []
    with pytest.raises(NotReadyError):
        wait_until_ready(wait_in_vain(ca, 1), lambda _: told.append(clock.now), nothing_to_say)
    assert clock.slept_at == [2.0 * look for look in range(13)]
    assert told == [0.0, 10.0, 20.0]


@pytest.mark.usefixtures("clock")
def test_five_missing_nodes_are_asked_and_named_and_the_others_counted(ca: KeyPair) -> None:
    asked: list[str] = []
    asked_until_report: list[int] = []
    progress: list[str] = []

    def stage(node: Node) -> str:
        asked.append(node.name)
        return "has not reported yet"

    def report(line: str) -> None:
        progress.append(line)
        asked_until_report.append(len(asked))

    with pytest.raises(NotReadyError) as failed:
        wait_until_ready(wait_in_vain(ca, 61), report, stage)
    assert "east-worker-5 has not reported yet; and 56 more (0 of 25 s)" in progress[0]
    assert "east-worker-6 " not in progress[0]
    assert asked_until_report == [5, 10, 15]
    assert "east-worker-61 at" in str(failed.value)


@pytest.mark.usefixtures("clock")
def test_five_missing_nodes_leave_no_others_to_count(ca: KeyPair) -> None:
    progress: list[str] = []
    with pytest.raises(NotReadyError):
        wait_until_ready(wait_in_vain(ca, 5), progress.append, nothing_to_say)
    assert "east-worker-5" in progress[0]
    assert "more" not in progress[0]


def test_a_missing_node_is_named_with_address_stage_and_log(tmp_path: Path, ca: KeyPair) -> None:
    def stage(_: Node) -> str:
        return describe_status('{"stage": "kubeadm-join", "state": "failed", "error": "no route"}')

    with (
        api_server(tmp_path, ca, 0, (CONTROL_PLANE.name,)) as server,
        pytest.raises(NotReadyError) as failed,
    ):
        wait_until_ready(wait_for(server, ca, bound=0.2), ignore, stage)
    text = str(failed.value)
    assert "east-worker-1 at 10.11.85.12: kubeadm-join failed: no route" in text
    assert "/var/log/mesh/bootstrap.log" in text
    assert "east-control-plane-1" not in text


def test_an_address_where_nobody_answers_misses_every_node(ca: KeyPair) -> None:
    with pytest.raises(NotReadyError, match="no answer") as failed:
        wait_until_ready(wait_for("https://127.0.0.1:1", ca, bound=0.1), ignore, nothing_to_say)
    assert all(node.name in str(failed.value) for node in NODES)


def test_another_clusters_certificate_ends_the_wait_at_once(tmp_path: Path, ca: KeyPair) -> None:
    other = certificate_authority("west-ca", 1)
    refused = pytest.raises(NotReadyError, match="the CA of this cluster did not sign")
    with api_server(tmp_path, other, 0, ()) as server, refused:
        wait_until_ready(wait_for(server, ca, bound=60), ignore, nothing_to_say)


def test_no_proxy_of_the_environment_is_asked(
    tmp_path: Path, ca: KeyPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    with api_server(tmp_path, ca, 0, tuple(node.name for node in NODES)) as server:
        wait_until_ready(wait_for(server, ca), ignore, nothing_to_say)


def test_without_memory_files_the_client_key_is_gone_from_the_disk_afterwards(
    tmp_path: Path, ca: KeyPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.memfd_create", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with api_server(tmp_path, ca, 0, tuple(node.name for node in NODES)) as server:
        wait_until_ready(wait_for(server, ca), ignore, nothing_to_say)
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (None, "has not reported yet"),
        ("", "has not reported yet"),
        ('{"stage": "containerd", "state": "running", "error": ""}', "containerd running"),
        ("half a li", "reported 'half a li'"),
        ("[]", "reported '[]'"),
    ],
)
def test_what_a_node_reports_is_said_in_words(status: str | None, words: str) -> None:
    assert describe_status(status).startswith(words)
