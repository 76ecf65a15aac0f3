"""Keys of workloads that are spread over clusters: every stack derives the same ones alone.

All start from the key of the mesh's CA, which every stack keeps: so no stack needs another's
outputs. Whoever may read the mesh's CA in a cluster, the Secret `kube-system/cilium-ca`, can
derive them too; that is who can read every Secret anyway.
"""

from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from mesh.pki.authority import (
    KeyPair,
    certificate_text,
    key_usage,
    private_key_text,
    unsigned_certificate,
)
from mesh.pki.leaf import signing_key

# Numbers of a P-256 key out of 48 bytes are as good as evenly spread: FIPS 186-5, A.2.1.
_KEY_BYTES = 48
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_SERIAL_BYTES = 19  # RFC 5280, 4.1.2.2: positive, and 20 bytes at most


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a certificate of a workload is for, and the names a server of it has."""

    common_name: str
    organization: str | None = None
    organizational_unit: str | None = None
    dns_names: tuple[str, ...] = ()
    """Empty for one that is shown by clients only."""
    addresses: tuple[str, ...] = ()


def workload_authority(mesh_ca: KeyPair, workload: str) -> KeyPair:
    """The CA of one workload: to the byte the same wherever the mesh's CA is the same.

    It ends with the mesh's CA, and nobody needs that one to trust it.
    """
    key = _derived_key(mesh_ca, workload)
    above = x509.load_pem_x509_certificate(mesh_ca.certificate.encode())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{workload} of the mesh")])
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    serial = _derived(mesh_ca, f"{workload}: serial number of the CA", _SERIAL_BYTES)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(int.from_bytes(serial, "big") or 1)
        .not_valid_before(above.not_valid_before_utc)
        .not_valid_after(above.not_valid_after_utc)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(key_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256(), ecdsa_deterministic=True)
    )
    return KeyPair(certificate_text(certificate), private_key_text(key))


def workload_certificate(authority: KeyPair, request: Request, days: int) -> KeyPair:
    """A certificate of a workload's CA: for a server and a client, or without names for clients."""
    ca = x509.load_pem_x509_certificate(authority.certificate.encode())
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(
        ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    )
    usages = [ExtendedKeyUsageOID.CLIENT_AUTH]
    builder = unsigned_certificate(
        _subject(request), ca.subject, key.public_key(), timedelta(days=days)
    )
    if request.dns_names:
        usages.insert(0, ExtendedKeyUsageOID.SERVER_AUTH)
        builder = builder.add_extension(_alternatives(request), critical=False)
    certificate = (
        builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(key_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        .add_extension(issuer, critical=False)
        .sign(signing_key(authority), hashes.SHA256())
    )
    return KeyPair(certificate_text(certificate), private_key_text(key))


def _subject(request: Request) -> x509.Name:
    named = (
        (NameOID.ORGANIZATION_NAME, request.organization),
        (NameOID.ORGANIZATIONAL_UNIT_NAME, request.organizational_unit),
        (NameOID.COMMON_NAME, request.common_name),
    )
    return x509.Name([x509.NameAttribute(kind, value) for kind, value in named if value])


def _alternatives(request: Request) -> x509.SubjectAlternativeName:
    names: tuple[x509.GeneralName, ...] = (
        *map(x509.DNSName, request.dns_names),
        *(x509.IPAddress(ip_address(address)) for address in request.addresses),
    )
    return x509.SubjectAlternativeName(names)


def _derived_key(mesh_ca: KeyPair, workload: str) -> ec.EllipticCurvePrivateKey:
    number = int.from_bytes(_derived(mesh_ca, f"{workload}: key of the CA", _KEY_BYTES), "big")
    return ec.derive_private_key(number % (_ORDER - 1) + 1, ec.SECP256R1())


def _derived(mesh_ca: KeyPair, purpose: str, size: int) -> bytes:
    """Bytes that nobody can tell without the mesh's key; RFC 5869."""
    # The number itself and not its PEM, which a library may one day write in another way.
    number = signing_key(mesh_ca).private_numbers().private_value
    info = f"vsphere-cluster-mesh workload {purpose}".encode()
    expansion = HKDF(algorithm=hashes.SHA256(), length=size, salt=None, info=info)
    return expansion.derive(number.to_bytes(32, "big"))
