"""etcd: TLS between members and for clients, and the members of the first start by name."""

from mesh.versions import ETCD, minor
from mesh.workloads.software import CERTIFICATES, Certificate, Software, Task, configured
from mesh.workloads.workload import Site, Workload

_CLIENT, _PEER, _METRICS = 2379, 2380, 2381
_DATA = "/var/lib/etcd"


def software(workload: Workload, site: Site) -> Software:
    """etcd as kubeadm ships it; the image has no shell, and needs none."""
    return Software(
        image=f"registry.k8s.io/etcd:{ETCD[minor(site.settings.versions.kubernetes)]}",
        ports={"client": _CLIENT, "peer": _PEER, "metrics": _METRICS},
        data=_DATA,
        readiness={"httpGet": {"path": "/readyz", "port": _METRICS}, "timeoutSeconds": 5},
        command=("etcd",),
        arguments=_arguments(workload),
        # By reference: who has data already asks its data for the members, and must not restart.
        environment={"ETCD_INITIAL_CLUSTER": configured(site, "ETCD_INITIAL_CLUSTER")},
        facts={"ETCD_INITIAL_CLUSTER": _initial_cluster(workload)},
        certificates=(
            # A member shows it to its peers as a client too.
            Certificate(name="member", common_name=workload.name, server=True),
            Certificate(name="client", common_name=f"{workload.name}-client", for_clients=True),
        ),
        # It looks for the address of a peer among the names in the peer's certificate, and a
        # wildcard it can only hold against a reverse record, which no peer's pod has.
        exact_names=True,
        reloads_certificates=True,
        verify=_verify(),
    )


def _initial_cluster(workload: Workload) -> str:
    return ",".join(f"{name}=https://{name}:{_PEER}" for name in workload.members())


def _arguments(workload: Workload) -> tuple[str, ...]:
    own = "https://$(MEMBER_NAME)"
    return (
        # Pods are called alike in all clusters, and members must not be.
        "--name=$(MEMBER_NAME)",
        f"--data-dir={_DATA}/data",  # the volume itself may hold a lost+found
        f"--initial-cluster-token={workload.name}",
        f"--listen-client-urls=https://0.0.0.0:{_CLIENT}",
        f"--advertise-client-urls={own}:{_CLIENT}",
        f"--listen-peer-urls=https://0.0.0.0:{_PEER}",
        f"--initial-advertise-peer-urls={own}:{_PEER}",
        # Kubelet's probes have no certificate.
        f"--listen-metrics-urls=http://0.0.0.0:{_METRICS}",
        *_tls("", "member"),
        *_tls("peer-", "member"),
        # Between sites an answer takes longer than in a rack.
        "--heartbeat-interval=500",
        "--election-timeout=5000",
    )


def _tls(whom: str, certificate: str) -> tuple[str, ...]:
    return (
        f"--{whom}cert-file={CERTIFICATES}/{certificate}.crt",
        f"--{whom}key-file={CERTIFICATES}/{certificate}.key",
        f"--{whom}trusted-ca-file={CERTIFICATES}/ca.crt",
        f"--{whom}client-cert-auth",
    )


def _verify() -> Task:
    """Every member answers after consensus was reached: `endpoint health` reads through it."""
    return Task(
        command=(
            "etcdctl",
            "endpoint",
            "health",
            "--endpoints=$(MEMBER_ADDRESSES)",
            f"--cacert={CERTIFICATES}/ca.crt",
            f"--cert={CERTIFICATES}/client.crt",
            f"--key={CERTIFICATES}/client.key",
            "--dial-timeout=10s",
            "--command-timeout=30s",
        ),
        environment={},
    )
