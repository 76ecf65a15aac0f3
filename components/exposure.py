"""What a cluster shows its peers: its mesh etcd and its DNS, and to nobody else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import Output, ResourceOptions
from pulumi_kubernetes.core.v1 import ServicePortArgs, ServiceSpecArgs

from mesh.dns import DNS_PORT
from mesh.endpoint import ETCD_PORT, Endpoint
from mesh.render.corefile import EXPOSED_PORT

_NAMESPACE = "kube-system"
_ETCD_NAME = "clustermesh-apiserver"  # agents dial this very name
_DNS_NAME = "mesh-dns"
_ETCD = {"k8s-app": "clustermesh-apiserver"}
_DNS = {"k8s-app": "kube-dns"}


@dataclass(frozen=True, kw_only=True)
class ExposureArgs:
    """What to promise the peers, the subnets they come from, and the cluster's lifetime.

    `dns_node_port` is the port at which the nodes are asked for names, if they are.
    """

    endpoint: Endpoint
    source_ranges: Sequence[str]
    lifetime: pulumi.Resource
    dns_node_port: int | None = None


class Exposure(pulumi.ComponentResource):
    """LoadBalancer Services for the peers, open to the nodes of the mesh only.

    DNS at a NodePort is open to whoever reaches a node: the API takes no source ranges there.

    A cluster that answers no peer (`dns.forwarding: false`) has none for DNS. A Service without
    an address in the promise has the one that MetalLB chooses.

    The attribute `endpoint` is the promise, kept: known once the addresses are announced. Raises
    RunError when a Service is ready and has no address.
    """

    etcd: kubernetes.core.v1.Service
    dns: kubernetes.core.v1.Service | None
    endpoint: Output[dict[str, Any]]

    def __init__(self, name: str, args: ExposureArgs, opts: ResourceOptions | None = None) -> None:
        super().__init__("mesh:exposure:Exposure", name, {}, opts)
        self._name = name
        self._args = args
        self.etcd = self._etcd()
        dns = args.endpoint.dns
        self.dns = self._dns() if dns.addresses or dns.awaited else None
        self.endpoint = self._kept_promise()
        self.register_outputs({"endpoint": self.endpoint})

    def _kept_promise(self) -> Output[dict[str, Any]]:
        promise = self._args.endpoint
        announced = [service.id for service in (self.etcd, self.dns) if service]
        etcd = None if promise.etcd else _chosen(self.etcd, _ETCD_NAME)
        dns = _chosen(self.dns, _DNS_NAME) if self.dns and promise.dns.awaited else None
        return Output.all(etcd, dns, *announced).apply(
            lambda known: promise.with_chosen(known[0], known[1]).as_output()
        )

    def _etcd(self) -> kubernetes.core.v1.Service:
        ports = [ServicePortArgs(name="etcd", port=ETCD_PORT, target_port=ETCD_PORT)]
        etcd = self._args.endpoint.etcd
        return self._announced(_ETCD_NAME, _ETCD, [etcd.ip] if etcd else [], ports)

    def _dns(self) -> kubernetes.core.v1.Service:
        node_port = self._args.dns_node_port
        ports = [
            ServicePortArgs(
                name=f"dns-{protocol.lower()}",
                protocol=protocol,
                port=DNS_PORT,
                target_port=EXPOSED_PORT,
                node_port=node_port,
            )
            for protocol in ("UDP", "TCP")
        ]
        if node_port is None:
            return self._announced(_DNS_NAME, _DNS, self._args.endpoint.dns.addresses, ports)
        spec = ServiceSpecArgs(type="NodePort", selector=_DNS, ports=ports)
        return self._service(_DNS_NAME, {}, spec)

    def _announced(
        self,
        name: str,
        selector: Mapping[str, str],
        pinned: Sequence[IPv4Address],
        ports: list[ServicePortArgs],
    ) -> kubernetes.core.v1.Service:
        addresses = ",".join(map(str, pinned))
        spec = ServiceSpecArgs(
            type="LoadBalancer",
            selector=selector,
            ports=ports,
            load_balancer_source_ranges=self._args.source_ranges,
            # The address is the only way in: nothing else listens on the nodes.
            allocate_load_balancer_node_ports=False,
        )
        annotations = {"metallb.io/loadBalancerIPs": addresses} if addresses else {}
        return self._service(name, annotations, spec)

    def _service(
        self, name: str, annotations: Mapping[str, str], spec: ServiceSpecArgs
    ) -> kubernetes.core.v1.Service:
        return kubernetes.core.v1.Service(
            f"{self._name}-{name}",
            metadata={"name": name, "namespace": _NAMESPACE, "annotations": annotations},
            spec=spec,
            opts=ResourceOptions(parent=self, deleted_with=self._args.lifetime),
        )


def _chosen(service: kubernetes.core.v1.Service, name: str) -> Output[IPv4Address | None]:
    # Not through Output.all: it would make plain dictionaries of what the status holds.
    return service.status.apply(lambda status: _first_address(name, status))


def _first_address(
    name: str, status: kubernetes.core.v1.outputs.ServiceStatus | None
) -> IPv4Address | None:
    balancer = status.load_balancer if status else None
    given = balancer.ingress if balancer else None
    if given and given[0].ip:
        return IPv4Address(given[0].ip)
    if pulumi.runtime.is_dry_run():
        return None  # a preview makes no Service, so nobody chose anything yet
    raise pulumi.RunError(
        f"Service {_NAMESPACE}/{name} has no address: look at its events by `kubectl describe`, "
        "and for a free address in loadBalancer.addresses; then run this again with --refresh"
    )
