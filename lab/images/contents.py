"""What lies in each image of the lab."""

from pathlib import Path

from lab.charts import module_directory
from lab.images.archive import SEARCH_PATH, File, Image
from lab.images.names import cilium_images, kubeadm_images, metallb_images
from lab.programs import LOCAL_PATH_PROVISIONER, program

TOOLBOX = "lab.local/toolbox:1"
# The name of the official image, in which Debian's packages lie here.
GALERA = "docker.io/library/mariadb:10.11"

_CILIUM_PACKAGES = (
    "bash",
    "ca-certificates",
    "clang-19",
    "iproute2",
    "ipset",
    "iptables",
    "kmod",
    "llvm-19",
    "mount",
    "procps",
    "util-linux",
)
_CILIUM_SEARCH_PATH = f"/usr/lib/llvm-19/bin:{SEARCH_PATH}"
_TOOLBOX_PACKAGES = (
    "bash",
    "bind9-dnsutils",
    "ca-certificates",
    "curl",
    "iproute2",
    "iputils-ping",
    "netcat-openbsd",
    "procps",
    # The minimal package has no http.server.
    "python3",
)
# A member that joins gets the data by mariadb-backup.
_GALERA_PACKAGES = ("galera-4", "mariadb-backup", "mariadb-server", "openssl")
# Programs of an image's own user write there: gops dies without it.
_TEMPORARY = (("/tmp", 0o1777),)  # noqa: S108 (a path inside an image)
_UNPRIVILEGED = "65532"


def images() -> tuple[Image, ...]:
    """Return every image that lies ready on a node; the programs must be built."""
    return (*_kubernetes(), *_cilium(), *_metallb(), *_workloads(), _toolbox())


def _kubernetes() -> tuple[Image, ...]:
    names = kubeadm_images()
    components = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
    return (
        *(
            _single(names[name], f"/usr/local/bin/{name}", "kube-control-plane")
            for name in components
        ),
        _etcd(names["etcd"]),
        _single(names["coredns"], "/coredns", "coredns"),
        _single(names["pause"], "/pause", "pause", user="65535"),
    )


def _etcd(reference: str) -> Image:
    return Image(
        reference=reference,
        files=tuple(_executable(f"/usr/local/bin/{name}", name) for name in ("etcd", "etcdctl")),
        directories=_TEMPORARY,
        entrypoint=("/usr/local/bin/etcd",),
    )


def _cilium() -> tuple[Image, ...]:
    names = cilium_images()
    return (
        _cilium_agent(names["cilium"]),
        _single(names["operator"], "/usr/bin/cilium-operator-generic", "cilium-operator-generic"),
        _clustermesh_apiserver(names["clustermesh-apiserver"]),
        _single(names["certgen"], "/usr/bin/cilium-certgen", "certgen"),
    )


def _cilium_agent(reference: str) -> Image:
    module = module_directory("cilium", "github.com/cilium/cilium")
    programs = ("agent", "dbg", "mount", "sysctlfix", "health", "health-responder")
    scripts = {
        "/init-container.sh": "images/cilium/init-container.sh",
        "/install-plugin.sh": "plugins/cilium-cni/install-plugin.sh",
        "/cni-uninstall.sh": "plugins/cilium-cni/cni-uninstall.sh",
    }
    return Image(
        reference=reference,
        debian=_CILIUM_PACKAGES,
        files=(
            *(_executable(f"/usr/bin/cilium-{name}", f"cilium-{name}") for name in programs),
            _executable("/opt/cni/bin/cilium-cni", "cilium-cni"),
            *(File(path, module / source) for path, source in scripts.items()),
            # The agent compiles its datapath from these sources when it starts.
            *_tree("/var/lib/cilium/bpf", module / "bpf"),
        ),
        environment=(("PATH", _CILIUM_SEARCH_PATH),),
    )


def _clustermesh_apiserver(reference: str) -> Image:
    etcd_configuration = b"""---
trusted-ca-file: /var/lib/cilium/etcd-secrets/ca.crt
key-file: /var/lib/cilium/etcd-secrets/tls.key
cert-file: /var/lib/cilium/etcd-secrets/tls.crt
endpoints:
- https://127.0.0.1:2379
"""
    return Image(
        reference=reference,
        files=(
            _executable("/usr/bin/clustermesh-apiserver", "clustermesh-apiserver"),
            _executable("/usr/bin/etcd", "etcd"),
            File("/var/lib/cilium/etcd-config.yaml", etcd_configuration, 0o644),
        ),
        directories=(*_TEMPORARY, ("/var/run/cilium", 0o1777)),
        entrypoint=("/usr/bin/clustermesh-apiserver",),
        environment=(("HOME", "/tmp"),),  # noqa: S108
        user=_UNPRIVILEGED,
    )


def _metallb() -> tuple[Image, ...]:
    return tuple(
        _single(reference, f"/{name}", f"metallb-{name}")
        for name, reference in metallb_images().items()
    )


def _workloads() -> tuple[Image, ...]:
    provisioner = "local-path-provisioner"
    return (
        _single(
            f"rancher/{provisioner}:{LOCAL_PATH_PROVISIONER}",
            f"/usr/bin/{provisioner}",
            provisioner,
        ),
        Image(
            reference=GALERA,
            debian=_GALERA_PACKAGES,
            files=(),
            # Where the server's socket lies, and on Debian a directory that systemd makes.
            directories=(*_TEMPORARY, ("/run/mysqld", 0o1777)),
            entrypoint=("/usr/sbin/mariadbd",),
        ),
    )


def _toolbox() -> Image:
    return Image(
        reference=TOOLBOX,
        debian=_TOOLBOX_PACKAGES,
        files=(),
        directories=_TEMPORARY,
        entrypoint=("/bin/bash", "-c", "trap exit TERM; while sleep 1; do :; done"),
    )


def _single(reference: str, path: str, program_name: str, *, user: str = "0") -> Image:
    return Image(
        reference=reference,
        files=(_executable(path, program_name),),
        directories=_TEMPORARY,
        entrypoint=(path,),
        environment=(("HOME", "/tmp"),),  # noqa: S108
        user=user,
    )


def _executable(path: str, program_name: str) -> File:
    return File(path, program(program_name).path)


def _tree(target: str, source: Path) -> tuple[File, ...]:
    return tuple(
        File(f"{target}/{path.relative_to(source)}", path, 0o644)
        for path in sorted(source.rglob("*"))
        if path.is_file()
    )
