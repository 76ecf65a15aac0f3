"""CoreDNS of kubeadm, made to answer the peers and to ask them."""

import hashlib
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import ResourceOptions
from pulumi_kubernetes.meta.v1 import ObjectMetaPatchArgsDict

_METADATA: ObjectMetaPatchArgsDict = {
    "name": "coredns",
    "namespace": "kube-system",
    "annotations": {
        # kubeadm owns the fields; a fixed manager lets a lost state agree with itself.
        "pulumi.com/patchForce": "true",
        "pulumi.com/patchFieldManager": "vsphere-cluster-mesh",
    },
}


@dataclass(frozen=True, kw_only=True)
class CoreDnsArgs:
    """The complete Corefile, and what the cluster lives as long as."""

    corefile: str
    lifetime: pulumi.Resource


class CoreDns(pulumi.ComponentResource):
    """Our Corefile in kubeadm's CoreDNS, rolled out whenever it changes.

    The roll-out keeps old pods answering until new ones are ready with the new file.
    """

    config_map: kubernetes.core.v1.ConfigMapPatch
    deployment: kubernetes.apps.v1.DeploymentPatch

    def __init__(self, name: str, args: CoreDnsArgs, opts: ResourceOptions | None = None) -> None:
        super().__init__("mesh:core_dns:CoreDns", name, {}, opts)
        self._name = name
        self._corefile = args.corefile
        # Deleting a patch removes the Corefile, and with it DNS: retained always.
        self._child = ResourceOptions(
            parent=self, deleted_with=args.lifetime, retain_on_delete=True
        )
        self.config_map = self._config_map()
        self.deployment = self._deployment()
        self.register_outputs({"corefile_sha256": self._hash()})

    def _hash(self) -> str:
        return hashlib.sha256(self._corefile.encode()).hexdigest()

    def _config_map(self) -> kubernetes.core.v1.ConfigMapPatch:
        return kubernetes.core.v1.ConfigMapPatch(
            f"{self._name}-corefile",
            metadata=_METADATA,
            data={"Corefile": self._corefile},
            opts=self._child,
        )

    def _deployment(self) -> kubernetes.apps.v1.DeploymentPatch:
        annotations = {"vsphere-cluster-mesh/corefile-sha256": self._hash()}
        after = ResourceOptions(depends_on=[self.config_map])
        return kubernetes.apps.v1.DeploymentPatch(
            f"{self._name}-roll-out",
            metadata=_METADATA,
            spec={"template": {"metadata": {"annotations": annotations}}},
            opts=ResourceOptions.merge(self._child, after),
        )
