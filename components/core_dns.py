"""CoreDNS of kubeadm, made to answer the peers and to ask them."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import CustomTimeouts, ResourceOptions
from pulumi_kubernetes.apps.v1 import DeploymentSpecPatchArgsDict, DeploymentStrategyPatchArgsDict
from pulumi_kubernetes.core.v1 import ContainerPatchArgsDict
from pulumi_kubernetes.meta.v1 import ObjectMetaPatchArgsDict

from mesh.corefile.roll_out import ROLLED_OUT, corefile_hash

ROLL_OUT_TIME = "5m"
"""How long both pods may take: they start within seconds, and pulling an image takes minutes."""

_METADATA: ObjectMetaPatchArgsDict = {
    "name": "coredns",
    "namespace": "kube-system",
    "annotations": {
        # kubeadm owns the fields; a fixed manager lets a lost state agree with itself.
        "pulumi.com/patchForce": "true",
        "pulumi.com/patchFieldManager": "vsphere-cluster-mesh",
    },
}
# kubeadm's own would take down an old pod at once, and start both new ones with a bad file.
_ONE_AT_A_TIME: DeploymentStrategyPatchArgsDict = {
    "type": "RollingUpdate",
    "rolling_update": {"max_surge": 1, "max_unavailable": 0},
}
# CoreDNS says in its log which line it can't read: so the pod's status has it, and the engine.
_LAST_WORDS: ContainerPatchArgsDict = {
    "name": "coredns",
    "termination_message_policy": "FallbackToLogsOnError",
}


@dataclass(frozen=True, kw_only=True)
class CoreDnsArgs:
    """The complete Corefile, and what the cluster lives as long as."""

    corefile: str
    lifetime: pulumi.Resource


class CoreDns(pulumi.ComponentResource):
    """Our Corefile in kubeadm's CoreDNS, rolled out whenever it changes.

    Every old pod goes on answering until a new one is ready with the new file. A file that
    CoreDNS can't read stops at the first new pod; the update then fails after five minutes, with
    the line from that pod's log.
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
        return corefile_hash(self._corefile)

    def _config_map(self) -> kubernetes.core.v1.ConfigMapPatch:
        return kubernetes.core.v1.ConfigMapPatch(
            f"{self._name}-corefile",
            metadata=_METADATA,
            data={"Corefile": self._corefile},
            opts=self._child,
        )

    def _deployment(self) -> kubernetes.apps.v1.DeploymentPatch:
        bound = CustomTimeouts(create=ROLL_OUT_TIME, update=ROLL_OUT_TIME)
        after = ResourceOptions(depends_on=[self.config_map], custom_timeouts=bound)
        return kubernetes.apps.v1.DeploymentPatch(
            f"{self._name}-roll-out",
            metadata=_METADATA,
            spec=self._specification(),
            opts=ResourceOptions.merge(self._child, after),
        )

    def _specification(self) -> DeploymentSpecPatchArgsDict:
        return {
            "strategy": _ONE_AT_A_TIME,
            "template": {
                "metadata": {"annotations": {ROLLED_OUT: self._hash()}},
                "spec": {"containers": [_LAST_WORDS]},
            },
        }
