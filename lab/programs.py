"""Every Go program of the lab: which real module it comes from and how it is built."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.paths import cache

MODULES = Path(__file__).parent / "programs"

KUBERNETES = "v1.36.3"
ETCD = "v3.6.8"
COREDNS = "v1.14.2"
# What the tests of DNS run beside it: the one of the oldest Kubernetes we know, and the newest.
COREDNS_OLDEST = "v1.12.1"
COREDNS_NEWEST = "v1.15.0"
CILIUM = "v1.20.2"
METALLB = "v0.16.1"
LOCAL_PATH_PROVISIONER = "v0.0.30"
PULUMI = "v3.274.1"
# The module proxy serves no tagged release of this plugin, only the commit of this one.
PULUMI_KUBERNETES = "v4.25.0"
PULUMI_KUBERNETES_COMMIT = "v4.0.0-20260115033456-f47bc2d6f199"

_CILIUM_MODULE = "github.com/cilium/cilium"


@dataclass(frozen=True, kw_only=True)
class Program:
    """One executable: its go.mod, its package, and the module whose version it must carry.

    `source` is empty for programs of our own, which have no upstream version.
    """

    name: str
    module: str
    package: str = "."
    source: str = ""
    source_version: str = ""
    version: str = ""
    tags: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def directory(self) -> Path:
        """The directory with the program's go.mod."""
        return MODULES / self.module

    @property
    def path(self) -> Path:
        """Where the built executable lies."""
        # PulumiCommand(root) looks for bin/pulumi below its root.
        return cache() / "bin" / self.name

    @property
    def linker_flags(self) -> str:
        """The value of -ldflags: no symbol tables, and the version the program tells."""
        return " ".join(
            ["-s -w", *(f"-X {name}={value}" for name, value in self.variables.items())]
        )


def _kubernetes(name: str, package: str) -> Program:
    # Helm refuses charts on a server that calls itself v0.0.0-master.
    variables = {
        "k8s.io/component-base/version.gitVersion": KUBERNETES,
        "k8s.io/component-base/version.gitMajor": "1",
        "k8s.io/component-base/version.gitMinor": "36",
        "k8s.io/client-go/pkg/version.gitVersion": KUBERNETES,
    }
    return Program(
        name=name,
        module="kubernetes",
        package=package,
        source="k8s.io/kubernetes",
        source_version=KUBERNETES,
        version=KUBERNETES,
        variables=variables,
    )


def _etcd(name: str, source: str) -> Program:
    return Program(
        name=name,
        module="etcd",
        package="." if name == "etcd" else source,
        source=source,
        source_version=ETCD,
        version=ETCD,
    )


def _coredns(name: str, version: str) -> Program:
    module = "github.com/coredns/coredns"
    return Program(
        name=name,
        module=name,
        package=module,
        source=module,
        source_version=version,
        version=version,
    )


def _cilium(name: str, folder: str) -> Program:
    return Program(
        name=name,
        module="cilium",
        package=f"{_CILIUM_MODULE}/{folder}",
        source=_CILIUM_MODULE,
        source_version=CILIUM,
        version=CILIUM,
        # Without ipam_provider_operator no node ever gets a pod range.
        tags=("osusergo", "ipam_provider_operator"),
        variables={f"{_CILIUM_MODULE}/pkg/version.ciliumVersion": CILIUM.removeprefix("v")},
    )


def _metallb(name: str, folder: str) -> Program:
    module = "go.universe.tf/metallb"
    return Program(
        name=name,
        module="metallb",
        package=f"{module}/{folder}",
        source=module,
        source_version=METALLB,
        version=METALLB,
    )


PROGRAMS: tuple[Program, ...] = (
    Program(name="pause", module="pause"),
    Program(name="certgen", module="certgen"),
    Program(name="vcsim", module="vcsim"),
    Program(
        name="pulumi",
        module="pulumi",
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        source="github.com/pulumi/pulumi/pkg/v3",
        source_version=PULUMI,
        version=PULUMI,
        tags=("osusergo", "grpcnotrace"),
        variables={"github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": PULUMI},
    ),
    _kubernetes("kubeadm", "k8s.io/kubernetes/cmd/kubeadm"),
    _kubernetes("kube-control-plane", "."),
    _kubernetes("kubelet", "k8s.io/kubernetes/cmd/kubelet"),
    _kubernetes("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
    _etcd("etcd", "go.etcd.io/etcd/server/v3"),
    _etcd("etcdctl", "go.etcd.io/etcd/etcdctl/v3"),
    _coredns("coredns", COREDNS),
    _coredns("coredns-oldest", COREDNS_OLDEST),
    _coredns("coredns-newest", COREDNS_NEWEST),
    Program(
        name="pulumi-resource-kubernetes",
        module="pulumi-resource-kubernetes",
        source="github.com/pulumi/pulumi-kubernetes/provider/v4",
        source_version=PULUMI_KUBERNETES_COMMIT,
        version=PULUMI_KUBERNETES,
        variables={
            "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version": (
                PULUMI_KUBERNETES.removeprefix("v")
            )
        },
    ),
    _cilium("cilium-operator-generic", "operator"),
    _cilium("clustermesh-apiserver", "clustermesh-apiserver"),
    _cilium("cilium-agent", "daemon"),
    _cilium("cilium-cni", "plugins/cilium-cni"),
    _cilium("cilium-dbg", "cilium-dbg"),
    _cilium("cilium-health", "cilium-health"),
    _cilium("cilium-health-responder", "cilium-health/responder"),
    _cilium("cilium-mount", "tools/mount"),
    _cilium("cilium-sysctlfix", "tools/sysctlfix"),
    _metallb("metallb-controller", "controller"),
    _metallb("metallb-speaker", "speaker"),
    # Its go.mod takes the client of our Kubernetes, which is compiled by then: it takes seconds.
    Program(
        name="local-path-provisioner",
        module="local-path-provisioner",
        package="github.com/rancher/local-path-provisioner",
        source="github.com/rancher/local-path-provisioner",
        source_version=LOCAL_PATH_PROVISIONER,
        version=LOCAL_PATH_PROVISIONER,
        variables={"main.VERSION": LOCAL_PATH_PROVISIONER},
    ),
)

_BY_NAME = {entry.name: entry for entry in PROGRAMS}


def program(name: str) -> Program:
    """Return the program of that name; KeyError for a name the table lacks."""
    return _BY_NAME[name]
