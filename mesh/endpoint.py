"""What a cluster tells its peers: the stack output `endpoint`, a contract between stacks."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass as checked_dataclass

from mesh.settings import Settings

SCHEMA = 1
"""The contract this program writes and reads."""
ETCD_PORT = 2379
DNS_PORT = 53

_CAMEL_CASE = ConfigDict(alias_generator=to_camel, validate_by_name=True)


class EndpointError(ValueError):
    """A stack's output `endpoint` is not the contract; the text names the field and the cure."""


@checked_dataclass(frozen=True, config=_CAMEL_CASE)
class Etcd:
    """Where a cluster's mesh etcd is dialled."""

    ip: IPv4Address
    port: int


@checked_dataclass(frozen=True, config=_CAMEL_CASE)
class Dns:
    """Where a cluster's zone is asked for; no addresses when it answers no peer."""

    addresses: tuple[IPv4Address, ...]
    port: int


@checked_dataclass(frozen=True, config=_CAMEL_CASE)
class Datapath:
    """What must be equal in all clusters for a packet to cross."""

    tunnel_protocol: str
    tunnel_port: int
    max_connected_clusters: int


@checked_dataclass(frozen=True, config=_CAMEL_CASE)
class Endpoint:
    """One cluster as its peers see it. Holds no secret."""

    cluster: str
    id: int
    zone: str
    etcd: Etcd
    dns: Dns
    pod_cidrs: tuple[IPv4Network, ...]
    service_cidr: IPv4Network
    node_cidrs: tuple[IPv4Network, ...]
    cilium_version: str
    datapath: Datapath
    schema: int = SCHEMA

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


@dataclass(frozen=True)
class Peer:
    """Another cluster of the mesh, and how sure we are of what we know about it."""

    stack: str
    endpoint: Endpoint
    status: Literal["planned", "exported"]
    """`planned`: read from its stack file. `exported`: said by the stack itself."""
    next_command: str
    """The command that brings the peer up to its file; empty when there is nothing to run."""
    warning: str | None = None
    """A sentence when what the peer exported is not what its file plans."""


def planned_endpoint(settings: Settings) -> Endpoint:
    """The endpoint a cluster will export once it is up, as far as its settings say."""
    mesh, own = settings.mesh, settings.network
    asked = (settings.load_balancer.dns_address,) if settings.dns.forwarding else ()
    return Endpoint(
        cluster=settings.cluster.name,
        id=settings.cluster.id,
        zone=settings.cluster.zone,
        etcd=Etcd(settings.load_balancer.etcd_address, ETCD_PORT),
        dns=Dns(asked, DNS_PORT),
        pod_cidrs=(own.pod_cidr,),
        service_cidr=own.service_cidr,
        node_cidrs=(own.node_cidr,),
        cilium_version=settings.versions.cilium,
        datapath=Datapath(
            mesh.tunnel_protocol, mesh.tunnel_port_in_use, mesh.max_connected_clusters
        ),
    )


def peer(stack: str, planned: Endpoint, exported: Endpoint | None) -> Peer:
    """The peer as known now: what its stack exported wins over what its file plans."""
    command = f"pulumi up -s {stack}"
    if exported is None:
        return Peer(stack, planned, "planned", command)
    changed = _differences(planned, exported)
    if not changed:
        return Peer(stack, exported, "exported", "")
    warning = f"{stack} is not what Pulumi.{stack}.yaml plans ({'; '.join(changed)}): run {command}"
    return Peer(stack, exported, "exported", command, warning)


def _differences(planned: Endpoint, exported: Endpoint) -> list[str]:
    plan, fact = planned.as_output(), exported.as_output()
    return [f"{key} is {fact[key]}, planned {plan[key]}" for key in plan if plan[key] != fact[key]]


def _lines(error: ValidationError) -> list[str]:
    return [
        f"{'.'.join(['endpoint', *map(str, found['loc'])])}: {found['msg']}"
        for found in error.errors()
    ]


_ADAPTER = TypeAdapter(Endpoint)
