"""A Kubernetes cluster that its nodes have made of themselves: waited for, then usable."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import Input, ResourceHook, ResourceHookBinding, ResourceOptions

_ANSWER_SECONDS = 10  # a black-holed address must not hold a preview for minutes


@dataclass(frozen=True, kw_only=True)
class KubeadmClusterArgs:
    """The cluster's name and kubeconfig (secret), and the hook that waits for its nodes."""

    cluster: str
    kubeconfig: Input[str]
    ready: ResourceHook


class KubeadmCluster(pulumi.ComponentResource):
    """The way into a cluster, and a marker that lives exactly as long as the cluster.

    What is made in the cluster is `deleted_with` the marker: with the nodes gone there is
    no API server to ask for its deletion.
    """

    lifetime: pulumi.Stash
    provider: kubernetes.Provider

    def __init__(
        self, name: str, args: KubeadmClusterArgs, opts: ResourceOptions | None = None
    ) -> None:
        super().__init__("mesh:kubeadm_cluster:KubeadmCluster", name, {}, opts)
        self._args = args
        self.lifetime = self._lifetime()
        self.provider = self._access()
        self.register_outputs({"cluster": args.cluster})

    def _lifetime(self) -> pulumi.Stash:
        return pulumi.Stash(
            f"{self._args.cluster}-lifetime",
            input=self._args.cluster,
            opts=ResourceOptions(parent=self),
        )

    def _access(self) -> kubernetes.Provider:
        return kubernetes.Provider(
            self._args.cluster,
            kubeconfig=self._args.kubeconfig,
            # Without it a renewed kubeconfig may replace the provider and all that it made.
            cluster_identifier=self._args.cluster,
            kube_client_settings={"timeout": _ANSWER_SECONDS},
            # Else each change deletes them first, and a pod that starts meanwhile finds nothing.
            enable_config_map_mutable=True,
            enable_secret_mutable=True,
            # Before the provider looks for the API server, and again on the next run if it fails.
            opts=ResourceOptions(
                parent=self, hooks=ResourceHookBinding(before_create=[self._args.ready])
            ),
        )
