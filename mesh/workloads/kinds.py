"""The kinds of workloads there are."""

from collections.abc import Mapping

from mesh.workloads import cockroachdb, custom, etcd, galera, mongodb
from mesh.workloads.software import Kind, Software
from mesh.workloads.workload import Site, Workload

KINDS: Mapping[str, Kind] = {
    "cockroachdb": cockroachdb.software,
    "custom": custom.software,
    "etcd": etcd.software,
    "galera": galera.software,
    "mongodb": mongodb.software,
}
"""By the word in the settings."""


def software_of(workload: Workload, site: Site) -> Software:
    """What runs in the members of one cluster."""
    return KINDS[workload.settings.kind](workload, site)
