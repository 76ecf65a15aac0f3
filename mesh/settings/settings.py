"""All settings of one cluster."""

from pydantic import Field, field_validator

from mesh.settings.acceptance import AcceptanceSettings
from mesh.settings.base import Model, Text, refused
from mesh.settings.cluster import CiliumSettings, ClusterSettings
from mesh.settings.dns import DnsSettings
from mesh.settings.lifetimes import LifetimesSettings
from mesh.settings.load_balancer import LoadBalancerSettings
from mesh.settings.mesh import MeshSettings
from mesh.settings.network import NetworkSettings
from mesh.settings.nodes import NodesSettings
from mesh.settings.versions import ChartsSettings, ImagesSettings, VersionsSettings
from mesh.settings.vsphere import VsphereSettings
from mesh.settings.workload_texts import Label
from mesh.settings.workloads import WorkloadSettings


class Settings(Model):
    """What a user may write for one cluster, Pulumi.yaml and its stack file taken together."""

    mesh: MeshSettings = Field(examples=[{"authority": "east"}])
    """What all clusters have in common; in Pulumi.yaml only."""
    versions: VersionsSettings = VersionsSettings()
    """Releases of Kubernetes, Cilium and MetalLB."""
    charts: ChartsSettings = ChartsSettings()
    """Where the charts come from."""
    images: ImagesSettings = ImagesSettings()
    """Where container images come from."""
    lifetimes: LifetimesSettings = LifetimesSettings()
    """How long authorities, certificates and tokens are valid."""
    workloads: dict[Label, WorkloadSettings] = Field(
        default={}, examples=[{"ledger": {"kind": "etcd", "clusters": {"east": {"replicas": 1}}}}]
    )
    """Stateful workloads that are spread over clusters, by name; in Pulumi.yaml only."""
    cluster: ClusterSettings
    """Who this cluster is."""
    network: NetworkSettings
    """Its ranges and its nodes' network."""
    nodes: NodesSettings
    """Its machines."""
    vsphere: VsphereSettings
    """Where its machines live."""
    load_balancer: LoadBalancerSettings
    """Addresses it announces."""
    dns: DnsSettings = DnsSettings()
    """What its CoreDNS does with the zones of the mesh."""
    cilium: CiliumSettings = CiliumSettings()
    """Values for its Cilium beside the computed ones."""
    acceptance: AcceptanceSettings = AcceptanceSettings(enabled=False)
    """Whether it checks from inside that the mesh works; `true` is the group with its defaults."""
    peers: tuple[Text, ...] | None = Field(default=None, examples=[["west"]])
    """Stacks it connects to; absent is every other stack file beside its own."""

    @field_validator("peers", mode="before")
    @classmethod
    def peers_are_not_left_empty(cls, value: object) -> object:
        """A key without a value reads like no peers, and would be all of them."""
        if value is None:
            raise refused("is empty", "write [] for no peers, or leave it out for all of them")
        return value
