"""Changes that must never be made to a cluster that runs."""

from collections.abc import Iterator

from mesh.endpoint import Endpoint, planned_endpoint
from mesh.settings import Problem, Settings, file_of

_IDENTITIES = "identities of the old one stay behind in every cluster (cilium#36338, cilium#48800)"
_PODS = "pods keep addresses of the old one (cilium#13766, cilium#32296)"
_SERVICES = "the API server's address and certificate are of the old one (kubeadm)"
_DOMAIN = "its pods and certificates have that in their names (kubeadm's dnsDomain)"
_CLUSTERS = "it is part of every identity in the mesh (cilium#48800)"


def forbidden_changes(
    settings: Settings, exported: Endpoint | None, stack: str
) -> tuple[Problem, ...]:
    """What the settings of a stack change of its cluster, and must not while that exists.

    `exported` is the stack's own output `endpoint`; None when there is no cluster. Sources: the
    issues in the words; Cilium's documentation, network/clustermesh/setup (maxConnectedClusters)
    and network/concepts/ipam/cluster-pool (the pod range of a running cluster).
    """
    if exported is None:
        return ()
    return tuple(_changes(settings, exported, file_of(stack), f"pulumi destroy -s {stack}"))


def _changes(settings: Settings, exported: Endpoint, file: str, destroy: str) -> Iterator[Problem]:
    network, most = settings.network, exported.datapath.max_connected_clusters
    before_and_after = (
        ("cluster.name", exported.cluster, settings.cluster.name, _IDENTITIES),
        ("cluster.id", exported.id, settings.cluster.id, _IDENTITIES),
        ("network.podCidr", _listed(exported.pod_cidrs), str(network.pod_cidr), _PODS),
        ("network.serviceCidr", str(exported.service_cidr), str(network.service_cidr), _SERVICES),
        *_domain(exported, settings),
        ("mesh.maxConnectedClusters", most, settings.mesh.max_connected_clusters, _CLUSTERS),
    )
    for key, before, after, why in before_and_after:
        if before != after:
            place = "Pulumi.yaml" if key.startswith("mesh.") else file
            reason = f"is {before} in the cluster that runs, and {why}"
            instead = f"write {before}; for another, add a cluster, or run {destroy} first"
            yield Problem(place, key, after, reason, instead)


def _domain(exported: Endpoint, settings: Settings) -> tuple[tuple[str, str, str, str], ...]:
    """What takes another domain: another mode, or another zone where the zone is the domain."""
    planned = planned_endpoint(settings)
    if exported.dns_domain == planned.dns_domain:
        return ()
    if exported.dns.mode == planned.dns.mode:
        return (("cluster.zone", exported.zone, planned.zone, _DOMAIN),)
    return (("dns.mode", exported.dns.mode, planned.dns.mode, _DOMAIN),)


def _listed(cidrs: tuple[object, ...]) -> str:
    return ", ".join(map(str, cidrs))
