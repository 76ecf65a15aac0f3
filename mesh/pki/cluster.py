"""Everything secret that one Kubernetes cluster is born with."""

import secrets
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from mesh.pki.authority import KeyPair, certificate_authority, private_key_text
from mesh.settings import LifetimesSettings

TOKEN_ALPHABET = string.ascii_lowercase + string.digits


@dataclass(frozen=True)
class ServiceAccountKey:
    """The key that signs service account tokens, PEM; RSA, the kind every consumer verifies."""

    public: str
    private: str = field(repr=False)


@dataclass(frozen=True)
class ClusterSecrets:
    """The CAs, the service account key and the token with which nodes join."""

    cluster_ca: KeyPair
    front_proxy_ca: KeyPair
    etcd_ca: KeyPair
    service_account: ServiceAccountKey
    bootstrap_token: str = field(repr=False)

    def as_mapping(self) -> dict[str, Any]:
        """The secrets as plain values, the shape in which a stack keeps them."""
        return {
            "clusterCa": self.cluster_ca.as_mapping(),
            "frontProxyCa": self.front_proxy_ca.as_mapping(),
            "etcdCa": self.etcd_ca.as_mapping(),
            "serviceAccount": {
                "public": self.service_account.public,
                "private": self.service_account.private,
            },
            "bootstrapToken": self.bootstrap_token,
        }

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "ClusterSecrets":
        """The secrets that `as_mapping` gave; a missing one is a KeyError."""
        return cls(
            cluster_ca=KeyPair.from_mapping(mapping["clusterCa"]),
            front_proxy_ca=KeyPair.from_mapping(mapping["frontProxyCa"]),
            etcd_ca=KeyPair.from_mapping(mapping["etcdCa"]),
            service_account=ServiceAccountKey(
                public=mapping["serviceAccount"]["public"],
                private=mapping["serviceAccount"]["private"],
            ),
            bootstrap_token=mapping["bootstrapToken"],
        )


def cluster_secrets(cluster_name: str, lifetimes: LifetimesSettings) -> ClusterSecrets:
    """New secrets for one cluster, different on every call; the CAs are named after it."""
    years = lifetimes.ca_years
    return ClusterSecrets(
        cluster_ca=certificate_authority(f"{cluster_name}-ca", years),
        front_proxy_ca=certificate_authority(f"{cluster_name}-front-proxy-ca", years),
        etcd_ca=certificate_authority(f"{cluster_name}-etcd-ca", years),
        service_account=_service_account_key(),
        bootstrap_token=f"{_token_part(6)}.{_token_part(16)}",
    )


def _service_account_key() -> ServiceAccountKey:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return ServiceAccountKey(public=public.decode(), private=private_key_text(key))


def _token_part(length: int) -> str:
    return "".join(secrets.choice(TOKEN_ALPHABET) for _ in range(length))
