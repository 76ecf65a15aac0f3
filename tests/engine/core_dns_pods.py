"""CoreDNS as kubeadm makes it, on real controllers; the test is the kubelet of its pods.

Real are kubeadm's objects, the API server, the controllers of Deployments and ReplicaSets, and a
CoreDNS process per pod, on ports of loopback. A pod's status is what a kubelet writes of that.
"""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kubernetes
import yaml

from lab.paths import cache
from tests.cli.conftest import Kubernetes
from tests.engine.core_dns_process import CoreDnsProcess
from tests.lab.conftest import located

client: Any = kubernetes  # only half typed
NAMESPACE = "kube-system"
LABEL = "k8s-app=kube-dns"
KUBERNETES = "v1.36.3"
LOOK_SECONDS = 0.3
CLUSTER = {
    "apiVersion": "kubeadm.k8s.io/v1beta4",
    "kind": "ClusterConfiguration",
    "kubernetesVersion": KUBERNETES,
    "networking": {"serviceSubnet": "10.0.0.0/24"},
}


@dataclass
class CoreDnsPods:
    """The Deployment of kubeadm's CoreDNS, and the process behind each of its pods."""

    api: Any
    directory: Path
    program: Path
    processes: dict[str, CoreDnsProcess] = field(default_factory=dict)
    fewest_serving: int = 0
    shipped: str = ""

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

    @property
    def serving(self) -> set[str]:
        """The names of the pods that answer now."""
        return {name for name, one in list(self.processes.items()) if one.answers()}

    @property
    def failed(self) -> set[str]:
        """The names of the pods whose process has ended."""
        return {name for name, one in list(self.processes.items()) if one.ended()}

    def install(self) -> None:
        """Let kubeadm install its CoreDNS, or do to it what its upgrade does."""
        (self.directory / "cluster.yaml").write_text(yaml.safe_dump(CLUSTER))
        kubeadm = located("LAB_BIN", cache() / "bin", "kubeadm") / "kubeadm"
        phase = [str(kubeadm), "init", "phase", "addon", "coredns"]
        options = [f"--kubeconfig={self.directory}/kubeconfig", "--config=cluster.yaml"]
        subprocess.run([*phase, *options], cwd=self.directory, check=True, timeout=60)

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

    def watch_fewest(self) -> None:
        """Count from now on how many pods answered when the fewest did."""
        self.fewest_serving = len(self.serving)

    def look(self) -> None:
        """Do once what a kubelet does all the time."""
        pods = self.core.list_namespaced_pod(NAMESPACE, label_selector=LABEL).items
        names = {pod.metadata.name for pod in pods}
        for gone in set(self.processes) - names:
            self.processes.pop(gone).end()
        text = self.data["Corefile"]
        for pod in pods:
            self._run(pod, text)
        self.fewest_serving = min(self.fewest_serving, len(self.serving))

    def _run(self, pod: Any, corefile: str) -> None:
        name = pod.metadata.name
        if name not in self.processes:
            started = CoreDnsProcess(self.program, self.directory / name)
            self.processes[name] = started
            started.mount(corefile)
            started.start()
        # The file of a running pod changes too, and CoreDNS reads it anew by itself.
        self.processes[name].mount(corefile)
        [container] = pod.spec.containers
        status = self.processes[name].status(name, container.termination_message_policy)
        with _missing_is_no_failure():  # deleted meanwhile
            self.core.patch_namespaced_pod_status(name, NAMESPACE, {"status": status})


@contextmanager
def core_dns_of_kubeadm(server: Kubernetes, directory: Path, name: str) -> Iterator[CoreDnsPods]:
    """The Deployment is rolled out, its pods running the CoreDNS program with this name."""
    binaries = located("LAB_BIN", cache() / "bin", name)
    connection = client.config.new_client_from_config_dict(yaml.safe_load(server.kubeconfig))
    (directory / "kubeconfig").write_text(server.kubeconfig)
    with closing(connection):
        pods = CoreDnsPods(connection, directory, binaries / name)
        with _controllers(directory), _kubelet(pods):
            pods.install()
            pods.shipped = pods.data["Corefile"]
            yield pods
            pods.uninstall()


@contextmanager
def _kubelet(pods: CoreDnsPods) -> Iterator[None]:
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(LOOK_SECONDS):
            with _missing_is_no_failure():  # before kubeadm has made its objects
                pods.look()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        for process in pods.processes.values():
            process.end()


@contextmanager
def _missing_is_no_failure() -> Iterator[None]:
    try:
        yield
    except client.client.ApiException as error:
        if error.status != 404:
            raise


@contextmanager
def _controllers(directory: Path) -> Iterator[None]:
    programs = located("LAB_BIN", cache() / "bin", "kube-control-plane")
    program = directory / "kube-controller-manager"
    program.symlink_to(programs / "kube-control-plane")
    command = [
        str(program),
        f"--kubeconfig={directory / 'kubeconfig'}",
        "--controllers=deployment-controller,replicaset-controller",
        "--leader-elect=false",
        "--secure-port=0",
    ]
    with (directory / "controllers.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait()
