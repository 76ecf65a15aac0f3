"""Nodes of east, and what stands in for their secrets where a person reads the result."""

from functools import cache
from typing import Any

import yaml

from mesh.nodes import Node, nodes
from mesh.pki import ClusterSecrets, KeyPair, ServiceAccountKey, cluster_secrets
from mesh.render.cloud_init import user_data
from mesh.settings import LifetimesSettings, Settings
from tests.mesh.render.clusters import settings

TOKEN = "abcdef.0123456789abcdef"
CA_HASH = "sha256:" + "0" * 64

PLACEHOLDERS = ClusterSecrets(
    cluster_ca=KeyPair("CLUSTER CA CERTIFICATE\n", "CLUSTER CA KEY\n"),
    front_proxy_ca=KeyPair("FRONT PROXY CA CERTIFICATE\n", "FRONT PROXY CA KEY\n"),
    etcd_ca=KeyPair("ETCD CA CERTIFICATE\n", "ETCD CA KEY\n"),
    service_account=ServiceAccountKey("SERVICE ACCOUNT PUBLIC\n", "SERVICE ACCOUNT PRIVATE\n"),
    bootstrap_token=TOKEN,
)


def control_plane(of: Settings | None = None) -> Node:
    return nodes(of or settings())[0]


def worker(of: Settings | None = None) -> Node:
    return nodes(of or settings())[1]


@cache
def real_secrets() -> ClusterSecrets:
    return cluster_secrets("east", LifetimesSettings())


def real_user_data(node: Node) -> str:
    return user_data(settings(), node, real_secrets())


def written_files(text: str) -> dict[str, dict[str, Any]]:
    return {file["path"]: file for file in yaml.safe_load(text)["write_files"]}
