import ssl
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from mesh.pki import certificate_authority, workload_authority
from mesh.workloads import certificates_hash, key_pairs, secret_data, workloads_in
from tests.mesh.workloads.handshakes import client_context, handshake, member_context
from tests.mesh.workloads.written import BOOKS, LEDGER, NOTES, mesh, spread, workload

MESH_CA = certificate_authority("test", 10)
NAMES = {"etcd": "member", "galera": "member", "custom": "tls"}


def files(
    written: dict[str, Any],
    stack: str = "east",
    *,
    for_clients: bool = False,
    own: str | None = None,
) -> dict[str, str]:
    found = workload(written, own or stack)
    site = found.site(stack)
    ca = MESH_CA.as_mapping()
    kept = key_pairs(ca, found, site, 30)
    return secret_data(ca, kept, found, site, for_clients=for_clients)


def test_every_stack_derives_the_same_ca_alone() -> None:
    assert workload_authority(MESH_CA, "ledger") == workload_authority(MESH_CA, "ledger")
    assert files(LEDGER, "east")["ca.crt"] == files(LEDGER, "west")["ca.crt"]


def test_each_workload_and_each_mesh_has_a_ca_of_its_own() -> None:
    other_mesh = certificate_authority("test", 10)
    made = [workload_authority(mesh, name) for mesh in (MESH_CA, other_mesh) for name in ("a", "b")]
    assert len({one.certificate for one in made}) == len({one.key for one in made}) == 4


def test_a_workloads_ca_ends_with_the_mesh_and_signs_for_nobody_below_it() -> None:
    made = workload_authority(MESH_CA, "ledger")
    ours, above = (
        x509.load_pem_x509_certificate(one.certificate.encode()) for one in (made, MESH_CA)
    )
    assert ours.not_valid_after_utc == above.not_valid_after_utc
    constraints = ours.extensions.get_extension_for_class(x509.BasicConstraints).value
    assert constraints == x509.BasicConstraints(ca=True, path_length=0)
    assert 0 < ours.serial_number < 2**159


@pytest.mark.parametrize("for_clients", [False, True])
def test_no_secret_holds_the_key_of_a_ca(for_clients: bool) -> None:
    keys = {MESH_CA.key, workload_authority(MESH_CA, "ledger").key}
    for written in (LEDGER, NOTES):
        assert not keys & {*files(written, for_clients=for_clients).values()}


def test_clients_get_no_key_of_a_member() -> None:
    assert {*files(LEDGER, for_clients=True)} == {"ca.crt", "client.crt", "client.key"}
    assert {*files(LEDGER)} == {"ca.crt", "member.crt", "member.key"}


SPELLINGS = (
    "localhost",
    "127.0.0.1",
    "ledger-0.ledger.ledger",
    "ledger-0.ledger.ledger.svc",
    "ledger-0.ledger.ledger.svc.cluster.local",
    "ledger-0.ledger.ledger.east.mesh.example",
    "ledger-0.ledger.ledger.svc.east.mesh.example",
    "ledger.ledger.east.mesh.example",
    "ledger-public",
    "ledger-public.ledger",
    "ledger-public.ledger.svc.cluster.local",
    "ledger-public.ledger.svc.east.mesh.example",
    "ledger-public.shop",
    "ledger-public.shop.svc.cluster.local",
)


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("kind", ["etcd", "galera", "custom"])
def test_clients_reach_a_member_under_every_name(kind: str, name: str, tmp_path: Path) -> None:
    written = {**{"etcd": LEDGER, "galera": BOOKS, "custom": NOTES}[kind]}
    written["clientNamespaces"] = ["shop"]
    server = member_context(files(written), NAMES[kind], tmp_path)
    client = client_context(files(written, "west", for_clients=True), "client", tmp_path)
    handshake(server, client, name)


def test_the_shortest_name_of_a_member_is_for_clients_written_in_go_only(tmp_path: Path) -> None:
    # OpenSSL takes no wildcard right above a single label, whoever vouches for it.
    server = member_context(files(LEDGER), "member", tmp_path)
    client = client_context(files(LEDGER, for_clients=True), "client", tmp_path)
    with pytest.raises(ssl.SSLCertVerificationError, match=r"ledger-0\.ledger"):
        handshake(server, client, "ledger-0.ledger")
    certificate = x509.load_pem_x509_certificate(files(LEDGER)["member.crt"].encode())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "*.ledger" in names.get_values_for_type(x509.DNSName)


@pytest.mark.parametrize(
    "name", ["ledger-0.ledger.ledger-west.west.mesh.example", "a.b.ledger", "shop.example"]
)
def test_a_member_vouches_for_no_other_name(name: str, tmp_path: Path) -> None:
    server = member_context(files(LEDGER), "member", tmp_path)
    client = client_context(files(LEDGER, for_clients=True), "client", tmp_path)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(server, client, name)


def test_members_of_all_clusters_reach_each_other_with_what_each_stack_made(
    tmp_path: Path,
) -> None:
    east, west = files(LEDGER, "east"), files(LEDGER, "west")
    for there, here, name in (
        (east, west, "ledger-1.ledger.ledger.east.mesh.example"),
        (west, east, "ledger-0.ledger.ledger-west.west.mesh.example"),
    ):
        handshake(
            member_context(there, "member", tmp_path),
            client_context(here, "member", tmp_path),
            name,
        )


def test_a_client_of_another_workload_is_not_let_in(tmp_path: Path) -> None:
    other = workload_authority(MESH_CA, "other")
    assert other.certificate != files(LEDGER)["ca.crt"]
    stranger = files(LEDGER, for_clients=True) | files_of_another_workload()
    server = member_context(files(LEDGER), "member", tmp_path)
    with pytest.raises(ssl.SSLError):
        handshake(server, client_context(stranger, "client", tmp_path), "localhost")


def files_of_another_workload() -> dict[str, str]:
    """A client's pair of a workload `other`, without the CA of its own."""
    [found] = workloads_in(mesh({"other": LEDGER}), "east")
    ca = MESH_CA.as_mapping()
    site = found.site("east")
    data = secret_data(ca, key_pairs(ca, found, site, 30), found, site, for_clients=True)
    return {key: value for key, value in data.items() if key != "ca.crt"}


def test_new_names_ask_for_new_certificates_and_nothing_else_does() -> None:
    def mark(written: dict[str, Any]) -> str:
        found = workload(written)
        return certificates_hash(found, found.site("east"))

    assert mark(LEDGER) == mark({**LEDGER, "volumeGib": 9})
    assert mark(LEDGER) != mark({**LEDGER, "clientNamespaces": ["bank"]})
    # etcd compares the names of members themselves, others take a wildcard for them.
    assert mark(spread(LEDGER, east=1, west=1)) != mark(spread(LEDGER, east=2, west=1))
    assert mark(spread(NOTES, east=1, west=1)) == mark(spread(NOTES, east=2, west=1))
