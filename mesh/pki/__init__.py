"""Keys, certificates and tokens: the only place with a clock and randomness."""

from mesh.pki.authority import KeyPair, certificate_authority
from mesh.pki.cluster import ClusterSecrets, ServiceAccountKey, cluster_secrets
from mesh.pki.expiry import admin_generation, certificate_expiry, days_left, next_generation
from mesh.pki.leaf import admin_certificate, ca_certificate_hash
from mesh.pki.workload import Request, workload_authority, workload_certificate

__all__ = [
    "ClusterSecrets",
    "KeyPair",
    "Request",
    "ServiceAccountKey",
    "admin_certificate",
    "admin_generation",
    "ca_certificate_hash",
    "certificate_authority",
    "certificate_expiry",
    "cluster_secrets",
    "days_left",
    "next_generation",
    "workload_authority",
    "workload_certificate",
]
