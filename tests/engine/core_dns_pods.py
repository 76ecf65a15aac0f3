"""Pods for kubeadm's CoreDNS, by real controllers; the test is their kubelet.

A pod is a CoreDNS process on ports of loopback, and its status what a kubelet writes of that.
"""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from lab.paths import cache
from tests.cli.conftest import Kubernetes
from tests.engine.core_dns_process import CoreDnsProcess
from tests.engine.kubeadm_core_dns import LABEL, NAMESPACE, KubeadmCoreDns, client
from tests.lab.conftest import located

LOOK_SECONDS = 0.3


@dataclass
class CoreDnsPods:
    """The process behind each pod of a CoreDNS."""

    kubeadm: KubeadmCoreDns
    program: Path
    processes: dict[str, CoreDnsProcess] = field(default_factory=dict)
    fewest_serving: int = 0

    @property
    def serving(self) -> set[str]:
        """The names of the pods that answer now."""
        return {name for name, one in list(self.processes.items()) if one.answers()}

    @property
    def failed(self) -> set[str]:
        """The names of the pods whose process has ended by itself."""
        return {name for name, one in list(self.processes.items()) if one.failed()}

    def watch_fewest(self) -> None:
        """Count from now on how many pods answered when the fewest did."""
        self.fewest_serving = len(self.serving)

    def look(self) -> None:
        """Do once what a kubelet does all the time."""
        listed = self.kubeadm.core.list_namespaced_pod(NAMESPACE, label_selector=LABEL).items
        for gone in set(self.processes) - {pod.metadata.name for pod in listed}:
            self.processes.pop(gone).end()
        corefile = self.kubeadm.data["Corefile"]
        for pod in listed:
            self._run(pod, corefile)
        self.fewest_serving = min(self.fewest_serving, len(self.serving))

    def _run(self, pod: Any, corefile: str) -> None:
        name = pod.metadata.name
        if name not in self.processes:
            started = CoreDnsProcess(self.program, self.kubeadm.directory / name)
            started.mount(corefile)
            started.start()
            self.processes[name] = started
        # The file of a running pod changes too, and CoreDNS reads it anew by itself.
        self.processes[name].mount(corefile)
        self.processes[name].start_again()
        [container] = pod.spec.containers
        status = self.processes[name].status(name, container.termination_message_policy)
        with _missing_is_no_failure():  # deleted meanwhile
            self.kubeadm.core.patch_namespaced_pod_status(name, NAMESPACE, {"status": status})


@contextmanager
def kubeadms(server: Kubernetes, directory: Path) -> Iterator[KubeadmCoreDns]:
    """CoreDNS is installed by kubeadm, and nothing makes pods of it."""
    connection = client.config.new_client_from_config_dict(yaml.safe_load(server.kubeconfig))
    (directory / "kubeconfig").write_text(server.kubeconfig)
    with closing(connection):
        kubeadm = KubeadmCoreDns(connection, directory)
        kubeadm.install()
        yield kubeadm
        kubeadm.uninstall()


@contextmanager
def running(kubeadm: KubeadmCoreDns, name: str) -> Iterator[CoreDnsPods]:
    """The Deployment has pods that run the CoreDNS program with this name."""
    binaries = located("LAB_BIN", cache() / "bin", name)
    pods = CoreDnsPods(kubeadm, binaries / name)
    with _controllers(kubeadm.directory), _kubelet(pods):
        yield pods


@contextmanager
def _kubelet(pods: CoreDnsPods) -> Iterator[None]:
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(LOOK_SECONDS):
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
