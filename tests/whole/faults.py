"""What goes wrong in a mesh, done to the lab's on purpose and undone afterwards."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from lab import kubectl
from tests.whole.figures import until

_SYSTEM = "--namespace=kube-system"
_RULE = re.compile(r"rewrite stop name suffix \.(\S+)\. \.(\S+)\. answer auto")


@contextmanager
def article_rewriting(cluster: str) -> Iterator[None]:
    """Let a cluster's CoreDNS rewrite its zone as the article does: the question alone."""
    written = kubectl.get(cluster, "configmap", "coredns", _SYSTEM)["data"]["Corefile"]
    wrong, changed = _RULE.subn(r"rewrite stop name substring \1 \2", written)
    assert changed
    try:
        _write_corefile(cluster, wrong)
        yield
    finally:
        _write_corefile(cluster, written)


def _write_corefile(cluster: str, text: str) -> None:
    change = json.dumps({"data": {"Corefile": text}})
    kubectl.run(cluster, "patch", "configmap", "coredns", _SYSTEM, f"--patch={change}")
    # A kubelet takes a minute to hand a changed file to pods that run.
    kubectl.run(cluster, "rollout", "restart", "deployment/coredns", _SYSTEM)
    status = ("rollout", "status", "deployment/coredns", _SYSTEM, "--timeout=120s")
    kubectl.run(cluster, *status, seconds=130)


@contextmanager
def dns_address_taken_away(cluster: str) -> Iterator[None]:
    """Let MetalLB take a cluster's address for DNS back, by asking for one that no pool has."""
    service = kubectl.get(cluster, "service", "mesh-dns", _SYSTEM)
    given = service["metadata"]["annotations"]["metallb.io/loadBalancerIPs"]
    try:
        _ask_for_address(cluster, "192.0.2.1")
        until(lambda: not _has_address(cluster), 30)
        yield
    finally:
        _ask_for_address(cluster, given)
        until(lambda: _has_address(cluster), 30)


def _ask_for_address(cluster: str, address: str) -> None:
    annotation = f"metallb.io/loadBalancerIPs={address}"
    kubectl.run(
        *(cluster, "annotate", "service", "mesh-dns", _SYSTEM, "--overwrite", annotation),
    )


def _has_address(cluster: str) -> bool:
    service = kubectl.get(cluster, "service", "mesh-dns", _SYSTEM)
    return bool(service["status"]["loadBalancer"].get("ingress"))
