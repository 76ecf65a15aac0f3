import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from cryptography.x509.verification import (
    Criticality,
    ExtensionPolicy,
    PolicyBuilder,
    Store,
    VerificationError,
)

from mesh.pki import (
    ClusterSecrets,
    KeyPair,
    admin_certificate,
    admin_generation,
    ca_certificate_hash,
    certificate_authority,
    certificate_expiry,
    cluster_secrets,
    days_left,
)
from mesh.settings import LifetimesSettings
from tests.mesh.render.programs import program, run


@pytest.fixture(scope="module")
def secrets() -> ClusterSecrets:
    return cluster_secrets("east", LifetimesSettings())


@pytest.fixture(scope="module")
def admin(secrets: ClusterSecrets) -> KeyPair:
    return admin_certificate(secrets.cluster_ca, days=365)


def certificate(pair: KeyPair) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pair.certificate.encode())


def verify_client(leaf: KeyPair, authority: KeyPair, at: datetime | None = None) -> None:
    """As the API server does; a client certificate of Kubernetes has no alternative names."""
    leaves = ExtensionPolicy.webpki_defaults_ee().may_be_present(
        x509.SubjectAlternativeName, Criticality.AGNOSTIC, None
    )
    authorities = ExtensionPolicy.webpki_defaults_ca()
    builder = PolicyBuilder().store(Store([certificate(authority)]))
    builder = builder.extension_policies(ca_policy=authorities, ee_policy=leaves)
    verifier = builder.time(at or datetime.now(UTC)).build_client_verifier()
    verifier.verify(certificate(leaf), [])


def test_an_authority_signs_certificates_and_nothing_else() -> None:
    authority = certificate(certificate_authority("mesh-ca", years=10)).extensions
    basic = authority.get_extension_for_class(x509.BasicConstraints)
    usage = authority.get_extension_for_class(x509.KeyUsage)
    assert (basic.critical, basic.value.ca) == (True, True)
    assert (usage.critical, usage.value.key_cert_sign, usage.value.crl_sign) == (True, True, True)
    assert not usage.value.key_encipherment


def test_an_authority_is_on_p256_and_names_its_key() -> None:
    authority = certificate(certificate_authority("mesh-ca", years=10))
    key = authority.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert isinstance(key.curve, ec.SECP256R1)
    named = authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    assert named.value == x509.SubjectKeyIdentifier.from_public_key(key)


def test_certificates_are_valid_on_a_node_whose_clock_is_half_an_hour_behind(
    admin: KeyPair, secrets: ClusterSecrets
) -> None:
    verify_client(admin, secrets.cluster_ca, datetime.now(UTC) - timedelta(minutes=30))


def test_the_admin_certificate_verifies_against_its_cluster(
    admin: KeyPair, secrets: ClusterSecrets
) -> None:
    verify_client(admin, secrets.cluster_ca)


def test_the_admin_certificate_is_nobody_in_another_cluster(admin: KeyPair) -> None:
    other = cluster_secrets("west", LifetimesSettings())
    with pytest.raises(VerificationError):
        verify_client(admin, other.cluster_ca)


def test_the_admin_certificate_ends_when_it_says(admin: KeyPair, secrets: ClusterSecrets) -> None:
    with pytest.raises(VerificationError):
        verify_client(admin, secrets.cluster_ca, datetime.now(UTC) + timedelta(days=366))


def test_openssl_verifies_the_admin_as_a_client(
    admin: KeyPair, secrets: ClusterSecrets, tmp_path: Path
) -> None:
    authority, client = tmp_path / "ca.crt", tmp_path / "admin.crt"
    authority.write_text(secrets.cluster_ca.certificate)
    client.write_text(admin.certificate)
    openssl = program("openssl", "OPENSSL")
    strict = (openssl, "verify", "-x509_strict", "-purpose", "sslclient")
    assert run(*strict, "-CAfile", authority, client).returncode == 0
    as_server = run(openssl, "verify", "-purpose", "sslserver", "-CAfile", authority, client)
    assert as_server.returncode != 0


def test_the_admin_is_a_client_in_the_group_of_masters(admin: KeyPair) -> None:
    found = certificate(admin)
    usage = found.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert found.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)[0].value == (
        "system:masters"
    )
    assert found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "kubernetes-admin"
    assert list(usage) == [ExtendedKeyUsageOID.CLIENT_AUTH]


def test_the_hash_of_an_authority_is_the_one_openssl_computes(tmp_path: Path) -> None:
    authority = certificate_authority("east-ca", years=1)
    file, key = tmp_path / "ca.crt", tmp_path / "key.der"
    file.write_text(authority.certificate)
    openssl = program("openssl", "OPENSSL")
    public = tmp_path / "key.pem"
    public.write_text(run(openssl, "x509", "-pubkey", "-noout", "-in", file).stdout)
    run(openssl, "pkey", "-pubin", "-in", public, "-outform", "der", "-out", key)
    digest = run(openssl, "dgst", "-sha256", "-r", key).stdout.split()[0]
    assert ca_certificate_hash(authority.certificate) == f"sha256:{digest}"


def test_the_service_account_key_is_a_pair(secrets: ClusterSecrets) -> None:
    pair = secrets.service_account
    private = serialization.load_pem_private_key(pair.private.encode(), password=None)
    public = serialization.load_pem_public_key(pair.public.encode())
    assert isinstance(private, rsa.RSAPrivateKey)
    assert isinstance(public, rsa.RSAPublicKey)
    signature = private.sign(b"token", padding.PKCS1v15(), hashes.SHA256())
    public.verify(signature, b"token", padding.PKCS1v15(), hashes.SHA256())
    assert private.key_size == 2048
    assert pair.private.startswith("-----BEGIN RSA PRIVATE KEY-----")


def test_the_bootstrap_token_has_kubeadms_form(secrets: ClusterSecrets) -> None:
    assert re.fullmatch("[a-z0-9]{6}[.][a-z0-9]{16}", secrets.bootstrap_token)


def test_two_clusters_share_no_secret(secrets: ClusterSecrets) -> None:
    other = cluster_secrets("east", LifetimesSettings())
    assert other.cluster_ca.key != secrets.cluster_ca.key
    assert other.bootstrap_token != secrets.bootstrap_token


def test_secrets_come_back_from_the_stack_as_they_went(secrets: ClusterSecrets) -> None:
    assert ClusterSecrets.from_mapping(secrets.as_mapping()) == secrets


def test_printing_secrets_shows_no_key(secrets: ClusterSecrets) -> None:
    assert "PRIVATE KEY" not in repr(secrets)
    assert secrets.bootstrap_token not in repr(secrets)


def test_an_authority_lasts_the_years_of_the_settings() -> None:
    ten = cluster_secrets("east", LifetimesSettings(caYears=10)).cluster_ca
    assert days_left(ten.certificate) == 3649
    assert certificate_expiry(ten.certificate).tzinfo is UTC


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        pytest.param(None, 1, id="a stack that exported nothing"),
        pytest.param({}, 1, id="a stack that exported no certificates"),
        pytest.param(200, 7, id="more than a third left"),
        pytest.param(121, 8, id="less than a third left"),
        pytest.param(-5, 8, id="expired"),
    ],
)
def test_the_admin_certificate_is_made_anew_in_its_last_third(
    last: dict[str, object] | int | None, expected: int
) -> None:
    if isinstance(last, int):
        expiry = datetime.now(UTC) + timedelta(days=last)
        last = {"adminGeneration": 7.0, "adminNotAfter": expiry.isoformat()}
    assert admin_generation(last, days=365) == expected
