"""Which releases of Kubernetes, Cilium, CoreDNS and MetalLB go together."""

from collections.abc import Collection, Iterator

from mesh.settings import Problem, Settings

CORE_DNS = {
    "1.32": "1.11.3",
    "1.33": "1.12.0",
    "1.34": "1.12.1",
    "1.35": "1.13.1",
    "1.36": "1.14.2",
}
"""The CoreDNS that kubeadm installs, by the minor of Kubernetes.

Source: cmd/kubeadm/app/constants of each minor. A branch keeps its CoreDNS (kubeadm#3322).
"""
ETCD = {
    "1.33": "3.5.24-0",
    "1.34": "3.6.5-0",
    "1.35": "3.6.6-0",
    "1.36": "3.6.8-0",
}
"""The image tag of the etcd that kubeadm runs, by the minor of Kubernetes; the same source."""
OLDEST_CORE_DNS = "1.12.1"
"""The oldest CoreDNS that our Corefile is written for; see `mesh/render/corefile.py`."""
KUBERNETES = {
    "1.19": ("1.32", "1.33", "1.34", "1.35"),
    "1.20": ("1.33", "1.34", "1.35", "1.36"),
}
"""The minors of Kubernetes that Cilium is tested with, by the minor of Cilium.

Source: Cilium's documentation, network/kubernetes/compatibility. Before 1.19 the chart can't
leave the Service of the mesh's etcd to us (`externallyCreated`), nor take peers as a map.
"""
METALLB = ("0.15", "0.16")
"""The minors of MetalLB whose values and objects this program writes.

Source: MetalLB's release notes; its chart runs on every Kubernetes in this table (`kubeVersion`).
"""
NO_RESTARTS = "1.20"
"""The first minor of Cilium in which nothing restarts when a peer is added (cilium#42716)."""


def minor(version: str) -> str:
    """`1.20` of `1.20.2`."""
    return ".".join(version.split(".")[:2])


def numbers(version: str) -> tuple[int, ...]:
    """(1, 20, 2) of `1.20.2` or `1.20.2-rc.1`, to compare versions by."""
    return tuple(map(int, version.partition("-")[0].split(".")))


def version_problems(settings: Settings, file: str) -> tuple[Problem, ...]:
    """The releases of a cluster that this program doesn't know, or that don't go together."""
    return (
        *_unknown_releases(settings, file),
        *_kubernetes_for_core_dns(settings, file),
        *_kubernetes_for_cilium(settings, file),
    )


def version_notices(settings: Settings, file: str) -> tuple[str, ...]:
    """What a release of this table can't do that the newest can."""
    cilium = settings.versions.cilium
    if minor(cilium) not in KUBERNETES or numbers(cilium) >= numbers(NO_RESTARTS):
        return ()
    reason = "restarts the mesh's etcd of this cluster for each peer that comes or goes"
    return (f"{file}: versions.cilium: {cilium!r} {reason}: {NO_RESTARTS} does not",)


def _unknown_releases(settings: Settings, file: str) -> Iterator[Problem]:
    for name, known in (("kubernetes", CORE_DNS), ("cilium", KUBERNETES), ("metallb", METALLB)):
        version = getattr(settings.versions, name)
        if minor(version) not in known:
            choices = _supported_kubernetes() if name == "kubernetes" else tuple(known)
            reason = "is no release this program knows"
            yield Problem(file, f"versions.{name}", version, reason, f"write a {_any_of(choices)}")


def _kubernetes_for_core_dns(settings: Settings, file: str) -> Iterator[Problem]:
    kubernetes = settings.versions.kubernetes
    brings = CORE_DNS.get(minor(kubernetes))
    if brings and numbers(brings) < numbers(OLDEST_CORE_DNS):
        reason = f"brings CoreDNS {brings}, and the Corefile needs {OLDEST_CORE_DNS}"
        instead = f"write a {_any_of(_supported_kubernetes())}"
        yield Problem(file, "versions.kubernetes", kubernetes, reason, instead)


def _kubernetes_for_cilium(settings: Settings, file: str) -> Iterator[Problem]:
    kubernetes, cilium = minor(settings.versions.kubernetes), minor(settings.versions.cilium)
    if kubernetes not in _supported_kubernetes() or cilium not in KUBERNETES:
        return
    if kubernetes not in KUBERNETES[cilium]:
        tested = [one for one in KUBERNETES[cilium] if one in _supported_kubernetes()]
        reason = f"is not what Cilium {cilium} is tested with"
        instead = f"write a {_any_of(tested)}, or another versions.cilium"
        yield Problem(file, "versions.kubernetes", settings.versions.kubernetes, reason, instead)


def _supported_kubernetes() -> tuple[str, ...]:
    oldest = numbers(OLDEST_CORE_DNS)
    return tuple(minor for minor, brings in CORE_DNS.items() if numbers(brings) >= oldest)


def _any_of(minors: Collection[str]) -> str:
    *others, last = minors
    return f"{', '.join(others)} or {last}" if others else last
