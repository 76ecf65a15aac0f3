"""CoreDNS as kubeadm installs and upgrades it, on a real API server."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kubernetes
import yaml

from lab.paths import cache
from tests.lab.conftest import located

client: Any = kubernetes  # only half typed
NAMESPACE = "kube-system"
LABEL = "k8s-app=kube-dns"
KUBERNETES = "v1.36.3"
CLUSTER = {
    "apiVersion": "kubeadm.k8s.io/v1beta4",
    "kind": "ClusterConfiguration",
    "kubernetesVersion": KUBERNETES,
    "networking": {"serviceSubnet": "10.0.0.0/24"},
}
UPGRADE = {
    "apiVersion": "kubeadm.k8s.io/v1beta4",
    "kind": "UpgradeConfiguration",
    # It asks that long for a configuration that isn't there.
    "timeouts": {"kubernetesAPICall": "1s"},
}


@dataclass(frozen=True)
class KubeadmCoreDns:
    """What kubeadm has in the API server; in `directory` is the kubeconfig it uses."""

    api: Any
    directory: Path

    @property
    def core(self) -> Any:
        return client.client.CoreV1Api(self.api)

    @property
    def apps(self) -> Any:
        return client.client.AppsV1Api(self.api)

    @property
    def deployment(self) -> Any:
        return self.apps.read_namespaced_deployment("coredns", NAMESPACE)

    @property
    def data(self) -> dict[str, str]:
        """What is in the ConfigMap."""
        found: dict[str, str] = self.core.read_namespaced_config_map("coredns", NAMESPACE).data
        return found

    @property
    def settled(self) -> bool:
        """Whether all pods are of the newest template, and ready."""
        seen, status = self.deployment, self.deployment.status
        known: bool = status.observed_generation == seen.metadata.generation
        return known and status.replicas == status.updated_replicas == status.ready_replicas == 2

    def install(self) -> None:
        """Let kubeadm install its CoreDNS, or do to it what its upgrade does."""
        (self.directory / "cluster.yaml").write_text(yaml.safe_dump(CLUSTER))
        done = self._kubeadm("init", "phase", "addon", "coredns", "--config=cluster.yaml")
        assert done.returncode == 0, done.stderr

    def preflight(self, *options: str) -> str:
        """What kubeadm's upgrade says before it looks for the cluster's own configuration."""
        (self.directory / "upgrade.yaml").write_text(yaml.safe_dump(UPGRADE))
        done = self._kubeadm("upgrade", "plan", "--config=upgrade.yaml", *options)
        assert done.returncode != 0
        return done.stdout + done.stderr

    def uninstall(self) -> None:
        """Leave nothing of it to the next test; no collector of garbage runs here."""
        self.apps.delete_namespaced_deployment("coredns", NAMESPACE)
        self.apps.delete_collection_namespaced_replica_set(NAMESPACE, label_selector=LABEL)
        self.core.delete_collection_namespaced_pod(NAMESPACE, label_selector=LABEL)
        self.core.delete_namespaced_config_map("coredns", NAMESPACE)

    def pretend_installed(self, version: str) -> None:
        """Let kubeadm find an image of this CoreDNS where it looks for what it upgrades."""
        container = {"name": "coredns", "image": f"registry.k8s.io/coredns/coredns:v{version}"}
        change = {"spec": {"template": {"spec": {"containers": [container]}}}}
        self.apps.patch_namespaced_deployment("coredns", NAMESPACE, change)

    def write(self, corefile: str) -> None:
        """Put the Corefile where ours is put by the engine."""
        change = {"data": {"Corefile": corefile}}
        self.core.patch_namespaced_config_map("coredns", NAMESPACE, change)

    def _kubeadm(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        program = located("LAB_BIN", cache() / "bin", "kubeadm") / "kubeadm"
        return subprocess.run(
            [str(program), *arguments, f"--kubeconfig={self.directory / 'kubeconfig'}"],
            cwd=self.directory,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
