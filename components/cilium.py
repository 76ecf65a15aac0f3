"""Cilium: the network of the cluster, and its part of the mesh."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import Input, Output, ResourceOptions

from components.helm import Chart, install
from mesh.settings import ChartSettings

_NAMESPACE = "kube-system"
_TIMEOUT = 900  # seconds: nodes become Ready only through it, and images must be pulled


@dataclass(frozen=True, kw_only=True)
class CiliumArgs:
    """The chart, its values, the CA of the mesh, and what the cluster lives as long as."""

    chart: ChartSettings
    version: str
    values: Mapping[str, Any]
    certificate_authority: Input[Mapping[str, str]]
    lifetime: pulumi.Resource


class Cilium(pulumi.ComponentResource):
    """Cilium by its Helm chart, with the CA of the mesh in place before it starts."""

    certificate_authority: kubernetes.core.v1.Secret
    release: kubernetes.helm.v3.Release

    def __init__(self, name: str, args: CiliumArgs, opts: ResourceOptions | None = None) -> None:
        super().__init__("mesh:cilium:Cilium", name, {}, opts)
        self._name = name
        self._args = args
        self._child = ResourceOptions(parent=self, deleted_with=args.lifetime)
        self.certificate_authority = self._certificate_authority()
        self.release = self._release()
        self.register_outputs({"release": self.release.name, "version": self.release.version})

    def _certificate_authority(self) -> kubernetes.core.v1.Secret:
        key_pair = Output.from_input(self._args.certificate_authority)
        return kubernetes.core.v1.Secret(
            f"{self._name}-ca",
            metadata={"name": "cilium-ca", "namespace": _NAMESPACE},
            string_data={"ca.crt": key_pair["certificate"], "ca.key": key_pair["key"]},
            opts=self._child,
        )

    def _release(self) -> kubernetes.helm.v3.Release:
        chart = Chart(
            source=self._args.chart,
            version=self._args.version,
            release="cilium",
            namespace=_NAMESPACE,
            values=self._args.values,
            timeout=_TIMEOUT,
        )
        after = ResourceOptions(depends_on=[self.certificate_authority])
        return install(self._name, chart, ResourceOptions.merge(self._child, after))
