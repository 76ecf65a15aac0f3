"""What a cluster shows its peers: its mesh etcd and its DNS, and to nobody else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import Output, ResourceOptions
from pulumi_kubernetes.core.v1 import ServicePortArgs, ServiceSpecArgs

from mesh.endpoint import Endpoint
from mesh.render.corefile import EXPOSED_PORT

_NAMESPACE = "kube-system"
_ETCD = {"k8s-app": "clustermesh-apiserver"}
_DNS = {"k8s-app": "kube-dns"}


@dataclass(frozen=True, kw_only=True)
class ExposureArgs:
    """What to promise the peers, the subnets they come from, and the cluster's lifetime."""

    endpoint: Endpoint
    source_ranges: Sequence[str]
    lifetime: pulumi.Resource


class Exposure(pulumi.ComponentResource):
    """LoadBalancer Services at pinned addresses, open to the nodes of the mesh only.

    A cluster that answers no peer (`dns.forwarding: false`) has none for DNS.

    The attribute `endpoint` is the promise, kept: known once the addresses are announced.
    """

    etcd: kubernetes.core.v1.Service
    dns: kubernetes.core.v1.Service | None
    endpoint: Output[dict[str, Any]]

    def __init__(self, name: str, args: ExposureArgs, opts: ResourceOptions | None = None) -> None:
        super().__init__("mesh:exposure:Exposure", name, {}, opts)
        self._name = name
        self._args = args
        self.etcd = self._etcd()
        self.dns = self._dns() if args.endpoint.dns.addresses else None
        self.endpoint = self._kept_promise()
        self.register_outputs({"endpoint": self.endpoint})

    def _kept_promise(self) -> Output[dict[str, Any]]:
        services = [service.id for service in (self.etcd, self.dns) if service]
        return Output.all(*services).apply(lambda _: self._args.endpoint.as_output())

    def _etcd(self) -> kubernetes.core.v1.Service:
        etcd = self._args.endpoint.etcd
        ports = [ServicePortArgs(name="etcd", port=etcd.port, target_port=etcd.port)]
        # Agents dial this very name.
        return self._service("clustermesh-apiserver", _ETCD, str(etcd.ip), ports)

    def _dns(self) -> kubernetes.core.v1.Service:
        dns = self._args.endpoint.dns
        addresses = ",".join(str(address) for address in dns.addresses)
        ports = [
            ServicePortArgs(
                name=f"dns-{protocol.lower()}",
                protocol=protocol,
                port=dns.port,
                target_port=EXPOSED_PORT,
            )
            for protocol in ("UDP", "TCP")
        ]
        return self._service("mesh-dns", _DNS, addresses, ports)

    def _service(
        self, name: str, selector: Mapping[str, str], addresses: str, ports: list[ServicePortArgs]
    ) -> kubernetes.core.v1.Service:
        return kubernetes.core.v1.Service(
            f"{self._name}-{name}",
            metadata={
                "name": name,
                "namespace": _NAMESPACE,
                "annotations": {"metallb.io/loadBalancerIPs": addresses},
            },
            spec=ServiceSpecArgs(
                type="LoadBalancer",
                selector=selector,
                ports=ports,
                load_balancer_source_ranges=self._args.source_ranges,
                # The address is the only way in: nothing else listens on the nodes.
                allocate_load_balancer_node_ports=False,
            ),
            opts=ResourceOptions(parent=self, deleted_with=self._args.lifetime),
        )
