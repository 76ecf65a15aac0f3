"""A workload as all clusters see it alike: who its members are, and by which names."""

from collections.abc import Iterator
from dataclasses import dataclass

from mesh.dns import Dns, planned_dns
from mesh.settings import Settings, WorkloadSettings
from mesh.settings.workloads import WorkloadClusterSettings
from mesh.topology import Topology

SEEDS_PER_CLUSTER = 3
"""Members of each cluster that a new one asks first, whether they exist yet or not."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """The part of a workload that one cluster has."""

    workload: str
    stack: str
    namespace: str
    written: WorkloadSettings
    """What the stack that is run says of the workload."""
    settings: Settings
    """All of the cluster's settings."""

    @property
    def share(self) -> WorkloadClusterSettings:
        """What the workload's settings say of this cluster."""
        return self.written.clusters[self.stack]

    @property
    def region(self) -> str:
        """Region of its members; the cluster's name where the settings name none."""
        return self.share.region or self.settings.cluster.name

    @property
    def zone(self) -> str:
        """Zone in the region; the cluster's name where the settings name none."""
        return self.share.zone or self.settings.cluster.name

    @property
    def domain(self) -> str:
        """What follows the headless Service in a member's name, wherever it is asked for."""
        return self._dns.namespace(self.namespace, self.settings.cluster.zone)

    @property
    def service_domain(self) -> str:
        """What follows the headless Service in a member's name, inside its own cluster only."""
        return f"{self.namespace}.svc.{self.cluster_domain}"

    @property
    def cluster_domain(self) -> str:
        """What Kubernetes calls the cluster."""
        return self._dns.domain(self.settings.cluster.zone)

    @property
    def _dns(self) -> Dns:
        return planned_dns(self.settings)

    def member(self, number: int) -> str:
        """The name of one pod, counted from 0, that resolves in every cluster."""
        return f"{self.workload}-{number}.{self.workload}.{self.domain}"

    def members(self) -> tuple[str, ...]:
        """The names of its pods."""
        return tuple(self.member(number) for number in range(self.share.replicas))

    def seeds(self) -> tuple[str, ...]:
        """Its first names, the same whatever its replicas are, so that scaling restarts nobody."""
        return tuple(self.member(number) for number in range(SEEDS_PER_CLUSTER))


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A StatefulSet of one name in several clusters, and its headless Service of that name."""

    name: str
    settings: WorkloadSettings
    sites: tuple[Site, ...]
    """In the order of cluster ids, whichever stack is run."""

    def site(self, stack: str) -> Site:
        """The part in one cluster; a stack that has none is a StopIteration."""
        return next(site for site in self.sites if site.stack == stack)

    def members(self) -> tuple[str, ...]:
        """The name of every member, in the order of cluster ids and pods.

        A member keeps its name for ever, and not its place: more pods in one cluster move those
        of later ones.
        """
        return tuple(name for site in self.sites for name in site.members())

    def seeds(self) -> tuple[str, ...]:
        """The names that a new member asks; they depend on no cluster's replicas."""
        return tuple(name for site in self.sites for name in site.seeds())

    def first(self) -> Site:
        """The cluster in which is done what is done once: the first of those that have members."""
        return next((site for site in self.sites if site.share.replicas), self.sites[0])


def workloads_in(topology: Topology, stack: str) -> tuple[Workload, ...]:
    """Every workload that a cluster has a part of, by name; from its files alone."""
    return tuple(workload for workload in all_workloads(topology, stack) if _has(workload, stack))


def all_workloads(topology: Topology, stack: str) -> Iterator[Workload]:
    """Every workload of the mesh as the files of `stack` tell it, by name."""
    for name, settings in sorted(topology.clusters[stack].workloads.items()):
        named = {one: topology.clusters[one] for one in settings.clusters}
        ordered = sorted(named, key=lambda one: named[one].cluster.id)
        sites = tuple(
            Site(
                workload=name,
                stack=one,
                namespace=settings.namespace_in(name, one),
                written=settings,
                settings=named[one],
            )
            for one in ordered
        )
        yield Workload(name=name, settings=settings, sites=sites)


def _has(workload: Workload, stack: str) -> bool:
    return any(site.stack == stack for site in workload.sites)
