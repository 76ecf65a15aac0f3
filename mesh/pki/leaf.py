"""What a cluster's CA signs or vouches for."""

import hashlib
from datetime import timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from mesh.pki.authority import (
    KeyPair,
    certificate_text,
    key_usage,
    private_key_text,
    unsigned_certificate,
)

# The API server grants everything to this group, whatever RBAC says.
ADMIN = x509.Name(
    [
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:masters"),
        x509.NameAttribute(NameOID.COMMON_NAME, "kubernetes-admin"),
    ]
)


def admin_certificate(cluster_ca: KeyPair, days: int) -> KeyPair:
    """A client certificate for kubernetes-admin in system:masters, valid for that many days."""
    ca = x509.load_pem_x509_certificate(cluster_ca.certificate.encode())
    key = ec.generate_private_key(ec.SECP256R1())
    client = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
    issuer = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(
        ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    )
    certificate = (
        unsigned_certificate(ADMIN, ca.subject, key.public_key(), timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(key_usage(signs_certificates=False), critical=True)
        .add_extension(client, critical=False)
        .add_extension(issuer, critical=False)
        .sign(signing_key(cluster_ca), hashes.SHA256())
    )
    return KeyPair(certificate_text(certificate), private_key_text(key))


def ca_certificate_hash(pem: str) -> str:
    """The CA's public key as `sha256:<hex>`, which a joining node compares with what it is shown.

    The hash is over the DER of SubjectPublicKeyInfo, so a renewed CA with the same key keeps it.
    """
    public_key = x509.load_pem_x509_certificate(pem.encode()).public_key()
    encoded = public_key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return f"sha256:{hashlib.sha256(encoded).hexdigest()}"


def signing_key(authority: KeyPair) -> ec.EllipticCurvePrivateKey:
    """The private key of a CA that this program made; another kind of key is a TypeError."""
    key = serialization.load_pem_private_key(authority.key.encode(), password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError(f"a CA of this program has an EC key, not {type(key).__name__}")
    return key
