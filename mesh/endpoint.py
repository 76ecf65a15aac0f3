"""What a cluster tells its peers: the stack output `endpoint`, a contract between stacks."""

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from mesh.dns import CAMEL_CASE, Dns, planned_dns
from mesh.settings import MeshSettings, Settings

SCHEMA = 1
"""The contract this program writes and reads."""
ETCD_PORT = 2379


class EndpointError(ValueError):
    """A stack's output `endpoint` is not the contract; the text names the field and the cure."""


@checked_dataclass(frozen=True, config=CAMEL_CASE)
class Etcd:
    """Where a cluster's mesh etcd is dialled."""

    ip: IPv4Address
    port: int


@checked_dataclass(frozen=True, config=CAMEL_CASE)
class Datapath:
    """What must be equal in all clusters for a packet to cross.

    What has a default was not exported from the beginning, and had that value then.
    """

    tunnel_protocol: str | None
    """None with native routing, as the port."""
    tunnel_port: int | None
    max_connected_clusters: int
    routing_mode: str = "tunnel"
    native_routing_cidr: IPv4Network | None = None
    encryption: str = "none"


@checked_dataclass(frozen=True, config=CAMEL_CASE)
class Endpoint:
    """One cluster as its peers see it. Holds no secret."""

    cluster: str
    id: int
    zone: str
    etcd: Etcd | None
    """None until MetalLB chose its address."""
    dns: Dns
    pod_cidrs: tuple[IPv4Network, ...]
    service_cidr: IPv4Network
    node_cidrs: tuple[IPv4Network, ...]
    cilium_version: str
    datapath: Datapath
    schema: int = SCHEMA

    @property
    def zones(self) -> tuple[str, ...]:
        """The zones its DNS answers for peers."""
        return self.dns.zones(self.zone)

    @property
    def dns_domain(self) -> str:
        """What Kubernetes itself calls this cluster, kubeadm's `dnsDomain`."""
        return self.dns.domain(self.zone)

    def with_chosen(self, etcd: IPv4Address | None, dns: IPv4Address | None) -> "Endpoint":
        """The endpoint with the addresses MetalLB chose where none was planned."""
        told = replace(self, etcd=Etcd(etcd, ETCD_PORT)) if etcd and not self.etcd else self
        if dns and self.dns.awaited:
            told = replace(told, dns=replace(self.dns, addresses=(dns,), awaited=False))
        return told

    def as_output(self) -> dict[str, Any]:
        """Plain camelCase values, as the stack exports them."""
        output: dict[str, Any] = _ADAPTER.dump_python(self, mode="json", by_alias=True)
        return output

    @classmethod
    def from_output(cls, output: Mapping[str, Any]) -> "Endpoint":
        """The endpoint a stack exported; raises EndpointError when it is none of this schema."""
        schema = output.get("schema") if isinstance(output, Mapping) else None
        if schema != SCHEMA:
            raise EndpointError(
                f"endpoint.schema is {schema!r} and this program reads {SCHEMA}: "
                "run `pulumi up` of that stack with the same program as this one"
            )
        try:
            return _ADAPTER.validate_python(dict(output))
        except ValidationError as error:
            raise EndpointError("\n".join(_lines(error))) from None


def planned_endpoint(settings: Settings) -> Endpoint:
    """The endpoint a cluster will export once it is up, as far as its settings say."""
    own, etcd = settings.network, settings.load_balancer.etcd_address
    return Endpoint(
        cluster=settings.cluster.name,
        id=settings.cluster.id,
        zone=settings.cluster.zone,
        etcd=Etcd(etcd, ETCD_PORT) if isinstance(etcd, IPv4Address) else None,
        dns=planned_dns(settings),
        pod_cidrs=(own.pod_cidr,),
        service_cidr=own.service_cidr,
        node_cidrs=(own.node_cidr,),
        cilium_version=settings.versions.cilium,
        datapath=_datapath(settings.mesh),
    )


def _datapath(mesh: MeshSettings) -> Datapath:
    return Datapath(
        tunnel_protocol=None if mesh.routing_mode == "native" else mesh.tunnel_protocol,
        tunnel_port=mesh.tunnel_port_in_use,
        max_connected_clusters=mesh.max_connected_clusters,
        routing_mode=mesh.routing_mode,
        native_routing_cidr=mesh.native_routing_cidr,
        encryption=mesh.encryption,
    )


def _lines(error: ValidationError) -> list[str]:
    return [
        f"{'.'.join(['endpoint', *map(str, found['loc'])])}: {found['msg']}"
        for found in error.errors()
    ]


_ADAPTER = TypeAdapter(Endpoint)
