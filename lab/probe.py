"""The pods the lab's report talks to: one per cluster, named and with a glibc userland."""

from pathlib import Path

from lab import kubectl

NAMESPACE = "lab-probe"
POD = "web-0"
SERVICE = "web"
ADDRESS_SERVICE = "web-address"
PORT = 8080

_MANIFEST = Path(__file__).with_name("probe.yaml")


def install(cluster: str) -> None:
    """Bring the probe into a cluster and wait until it answers."""
    manifest = _MANIFEST.read_text().replace("CLUSTER_NAME", cluster)
    kubectl.run(cluster, "apply", "--filename=-", given=manifest)
    rollout = ("rollout", "status", f"statefulset/{SERVICE}", f"--namespace={NAMESPACE}")
    kubectl.run(cluster, *rollout, "--timeout=150s", seconds=160)


def run(cluster: str, *command: str, seconds: float = 20) -> str:
    """Return what a command prints in the cluster's probe pod."""
    return kubectl.execute(cluster, NAMESPACE, POD, *command, seconds=seconds)


def name(zone: str) -> str:
    """Return the name that a zone's probe pod has in every cluster."""
    return f"{POD}.{SERVICE}.{NAMESPACE}.{zone}"


def pod_address(cluster: str) -> str:
    """Return the address of the cluster's probe pod. Raises KubectlError while it has none."""
    found = kubectl.get(cluster, "pod", POD, f"--namespace={NAMESPACE}")
    address: str | None = found["status"].get("podIP")
    if address is None:
        raise kubectl.KubectlError(f"pod {POD} of {cluster} has no address")
    return address


def cluster_ip(cluster: str) -> str:
    """Return the ClusterIP of the cluster's probe."""
    found = kubectl.get(cluster, "service", ADDRESS_SERVICE, f"--namespace={NAMESPACE}")
    address: str = found["spec"]["clusterIP"]
    return address
