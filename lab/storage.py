"""Volumes for stateful workloads: Rancher's local-path-provisioner and a default StorageClass."""

from pathlib import Path

from lab import kubectl

_MANIFEST = Path(__file__).with_name("storage.yaml")


def install(cluster: str) -> None:
    """Bring the provisioner into a cluster, or leave it as it is. Raises KubectlError.

    It isn't waited for: a claim for a volume waits by itself.
    """
    kubectl.run(cluster, "apply", f"--filename={_MANIFEST}")
