"""MetalLB: addresses for Services of type LoadBalancer, announced by ARP or by BGP."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import ResourceOptions

from components.helm import Chart, install
from mesh.render.metallb import NAMESPACE
from mesh.settings import ChartSettings

_TIMEOUT = 600  # seconds
_PRIVILEGED = {
    f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("audit", "enforce", "warn")
}


@dataclass(frozen=True, kw_only=True)
class MetalLBArgs:
    """The chart, its values, pools and their announcements, and the cluster's lifetime."""

    chart: ChartSettings
    version: str
    values: Mapping[str, Any]
    address_pools: Sequence[Mapping[str, Any]]
    announcements: Sequence[Mapping[str, Any]]
    lifetime: pulumi.Resource


class MetalLB(pulumi.ComponentResource):
    """MetalLB by its Helm chart, its address pools, and what announces them."""

    namespace: kubernetes.core.v1.Namespace
    release: kubernetes.helm.v3.Release
    address_pools: list[kubernetes.apiextensions.CustomResource]
    announcements: list[kubernetes.apiextensions.CustomResource]

    def __init__(self, name: str, args: MetalLBArgs, opts: ResourceOptions | None = None) -> None:
        super().__init__("mesh:metallb:MetalLB", name, {}, opts)
        self._name = name
        self._args = args
        self._child = ResourceOptions(parent=self, deleted_with=args.lifetime)
        self.namespace = self._namespace()
        self.release = self._release()
        self.address_pools = [self._object(pool) for pool in args.address_pools]
        self.announcements = [self._object(one) for one in args.announcements]
        self.register_outputs({"release": self.release.name, "version": self.release.version})

    def _namespace(self) -> kubernetes.core.v1.Namespace:
        return kubernetes.core.v1.Namespace(
            f"{self._name}-namespace",
            # The speaker is on the host's network with NET_RAW, which baseline pods may not be.
            metadata={"name": NAMESPACE, "labels": _PRIVILEGED},
            opts=self._child,
        )

    def _release(self) -> kubernetes.helm.v3.Release:
        chart = Chart(
            source=self._args.chart,
            version=self._args.version,
            release="metallb",
            namespace=self.namespace.metadata["name"],
            values=self._args.values,
            timeout=_TIMEOUT,
        )
        return install(self._name, chart, self._child)

    def _object(self, manifest: Mapping[str, Any]) -> kubernetes.apiextensions.CustomResource:
        # After the release: its chart brings the kinds of these objects.
        after = ResourceOptions(depends_on=[self.release])
        return kubernetes.apiextensions.CustomResource(
            f"{self._name}-{manifest['metadata']['name']}",
            api_version=manifest["apiVersion"],
            kind=manifest["kind"],
            metadata=manifest["metadata"],
            spec=manifest["spec"],
            opts=ResourceOptions.merge(self._child, after),
        )
