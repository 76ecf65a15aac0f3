"""Certificate authorities, and the pair of texts that every certificate is kept as."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

# A node whose clock is a little behind ours must not find the certificate "not yet valid".
BACKDATED = timedelta(hours=1)


@dataclass(frozen=True)
class KeyPair:
    """A certificate and its private key, both PEM; the key stays out of the repr."""

    certificate: str
    key: str = field(repr=False)

    def as_mapping(self) -> dict[str, str]:
        """The pair as `{certificate, key}`, the shape in which stacks keep and export it."""
        return {"certificate": self.certificate, "key": self.key}

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, str]) -> "KeyPair":
        """The pair that `as_mapping` gave; a missing half is a KeyError."""
        return cls(certificate=mapping["certificate"], key=mapping["key"])


def certificate_authority(common_name: str, years: int) -> KeyPair:
    """A self-signed CA on EC P-256, valid from an hour ago for years of 365 days."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        unsigned_certificate(name, name, key.public_key(), timedelta(days=365 * years))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(key_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256())
    )
    return KeyPair(certificate_text(certificate), private_key_text(key))


def unsigned_certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, lifetime: timedelta
) -> x509.CertificateBuilder:
    """What a CA and a leaf have in common: names, key, serial number, backdated validity."""
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + lifetime)
    )


def key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    """Digital signature for everyone; certificates and revocation lists for a CA only."""
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def certificate_text(certificate: x509.Certificate) -> str:
    """The certificate as PEM."""
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def private_key_text(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> str:
    """The key as unencrypted PEM in the form kubeadm itself writes (`BEGIN EC PRIVATE KEY`)."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()
