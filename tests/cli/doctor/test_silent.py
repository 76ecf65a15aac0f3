"""A cluster that gives no answer costs seconds, and is told in one line."""

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from cli.doctor import ask as asking
from cli.doctor.ask import ask
from cli.doctor.asking import api, certificates
from cli.doctor.asking.access import Access
from cli.doctor.facts import Silent, Unanswered
from mesh.pki import admin_certificate, certificate_authority
from mesh.pki.authority import certificate_text, private_key_text, unsigned_certificate

CA = certificate_authority("east", 1)
ADMIN = admin_certificate(CA, 1)


def way(cluster: str, server: str) -> Access:
    return Access(cluster, server, CA.certificate, ADMIN)


def say(cluster: str, what: str) -> None: ...


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (api, certificates):
        monkeypatch.setattr(module, "ANSWER_SECONDS", 0.5)


@pytest.fixture
def mute() -> Iterator[str]:
    """A server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"https://127.0.0.1:{server.getsockname()[1]}"


def server_pair(days: int) -> str:
    authority = x509.load_pem_x509_certificate(CA.certificate.encode())
    signing: Any = serialization.load_pem_private_key(CA.key.encode(), password=None)
    key = ec.generate_private_key(ec.SECP256R1())
    here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        unsigned_certificate(
            x509.Name([]), authority.subject, key.public_key(), timedelta(days=days)
        )
        .add_extension(x509.SubjectAlternativeName([here]), critical=True)
        .sign(signing, hashes.SHA256())
    )
    return certificate_text(certificate) + private_key_text(key)


@contextmanager
def showing(tmp_path: Path, days: int) -> Iterator[str]:
    """A server with a certificate of our CA that is valid for so many days."""
    (tmp_path / "pair").write_text(server_pair(days))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "pair")

    def serve(server: socket.socket) -> None:
        while True:
            try:
                with context.wrap_socket(server.accept()[0], server_side=True):
                    pass
            except ssl.SSLError:
                continue
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        yield f"https://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


def test_clusters_that_answer_nothing_are_bounded_together(mute: str) -> None:
    begin = time.monotonic()
    ways = [way("east", mute), way("west", mute), way("north", "https://127.0.0.1:1")]
    found = ask(ways, {}, say)
    assert time.monotonic() - begin < 4
    assert [(one.name, one.why) for one in found if isinstance(one, Silent)] == [
        ("east", "nothing came back in 0 seconds"),
        ("west", "nothing came back in 0 seconds"),
        ("north", "the connection was refused"),
    ]


def test_a_look_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "CLUSTER_SECONDS", 0.3)
    monkeypatch.setattr(asking, "from_outside", lambda _: time.sleep(30))
    begin = time.monotonic()
    [found] = ask([way("east", "https://127.0.0.1:1")], {}, say)
    assert time.monotonic() - begin < 3
    assert isinstance(found, Silent)
    assert found.why == "didn't answer everything in 0 seconds"


def test_a_server_whose_certificate_expired_is_told_with_that_certificate(tmp_path: Path) -> None:
    with showing(tmp_path, days=0) as server:
        [found] = ask([way("east", server)], {}, say)
    assert isinstance(found, Silent)
    assert found.why == "its certificate isn't one that the kubeconfig's CA vouches for now"
    shown, own = found.certificates
    assert not isinstance(shown, Unanswered)
    assert not isinstance(own, Unanswered)
    assert shown.holder == "API server"
    assert shown.not_after.timestamp() < time.time() < own.not_after.timestamp()
