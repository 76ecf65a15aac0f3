"""Stateful workloads that are spread over clusters, from the topology to Kubernetes objects."""

from mesh.workloads.manifests import manifests, namespace, secret_manifests
from mesh.workloads.secrets import certificates_hash, key_pairs, requests, secret_data
from mesh.workloads.summary import summary
from mesh.workloads.workload import Site, Workload, workloads_in

__all__ = [
    "Site",
    "Workload",
    "certificates_hash",
    "key_pairs",
    "manifests",
    "namespace",
    "requests",
    "secret_data",
    "secret_manifests",
    "summary",
    "workloads_in",
]
