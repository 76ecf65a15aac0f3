"""The rules, as functions that need neither Pulumi nor its policy package.

Each returns one sentence when a resource breaks it: what is wrong, and what to do instead.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

_CONTROL_PLANE = re.compile(r"(?P<cluster>.+)-control-plane-\d+")
_EVERYBODY = {"0.0.0.0/0", "::/0"}
_PROVIDED = ("kubernetes:", "vsphere:")
_AT_THE_NODES = ("kube-system", "mesh-dns")


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One resource; `retained` and `provider` are None where nobody said.

    The engine tells a policy pack nothing of `retain_on_delete`: there `retained` is None, and
    the test of the whole program holds it.
    """

    type: str
    name: str
    inputs: Mapping[str, Any]
    protected: bool
    retained: bool | None
    provider: str | None


def control_planes_are_protected(
    subject: Subject, unprotected_clusters: Collection[str]
) -> str | None:
    """A control plane's VM is protected, unless its cluster is named as one that may not be."""
    machine = _CONTROL_PLANE.fullmatch(subject.name)
    if not subject.type.endswith(":VirtualMachine") or machine is None or subject.protected:
        return None
    if machine["cluster"] in unprotected_clusters:
        return None
    return (
        f"{subject.name} is not protected, and holds the only etcd of its cluster: set "
        f"nodes.protectControlPlanes to true, or name {machine['cluster']} in "
        "unprotectedClusters of policy/config.json for as long as it takes"
    )


def the_corefile_stays(subject: Subject) -> str | None:
    """CoreDNS's own objects are patched, and the patches stay when the stack goes."""
    metadata = subject.inputs.get("metadata") or {}
    if not subject.type.startswith("kubernetes:") or metadata.get("name") != "coredns":
        return None
    if not subject.type.endswith("Patch"):
        kind = subject.type.rpartition(":")[2]
        return f"{subject.name} owns CoreDNS's {kind}, and takes DNS along: use {kind}Patch"
    if subject.retained is False:
        return f"{subject.name} takes the Corefile along: set retain_on_delete"
    return None


def a_provider_is_named(subject: Subject) -> str | None:
    """Nothing lands in whatever vCenter or cluster the machine's own files point to."""
    if not subject.type.startswith(_PROVIDED):
        return None
    named = subject.provider is not None and not re.match(r"default(_|$)", subject.provider)
    if named:
        return None
    return f"{subject.name} has a default provider: give it the provider of its cluster"


def services_are_for_the_mesh_only(subject: Subject) -> str | None:
    """Who may reach a Service is said, and no port is open on the nodes but the one for DNS."""
    spec = subject.inputs.get("spec") or {}
    if not subject.type.endswith(":Service"):
        return None
    if spec.get("type") == "LoadBalancer":
        return _open_balancer(subject.name, spec)
    if spec.get("type") == "NodePort":
        return _open_nodes(subject.name, subject.inputs.get("metadata") or {}, spec)
    return None


def _open_balancer(name: str, spec: Mapping[str, Any]) -> str | None:
    ranges = spec.get("loadBalancerSourceRanges") or []
    if not ranges or _EVERYBODY & {*ranges}:
        return f"{name} is open to everybody: name the peers' loadBalancerSourceRanges"
    if spec.get("allocateLoadBalancerNodePorts") is not False:
        return (
            f"{name} opens ports on every node, past its source ranges: set "
            "allocateLoadBalancerNodePorts to false"
        )
    return None


def _open_nodes(name: str, metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> str | None:
    if (metadata.get("namespace"), metadata.get("name")) != _AT_THE_NODES:
        return (
            f"{name} opens ports on every node to whoever reaches one: make it a ClusterIP, as "
            f"only {'/'.join(_AT_THE_NODES)} may, by dns.exposure: nodePort"
        )
    opened = [(port.get("protocol"), port.get("nodePort")) for port in spec.get("ports") or []]
    numbers = {number for _, number in opened}
    if sorted(str(protocol) for protocol, _ in opened) != ["TCP", "UDP"] or len(numbers) != 1:
        return f"{name} opens other ports than one by UDP and TCP: give both dns.nodePort"
    if None in numbers:
        return f"{name} lets Kubernetes choose its ports, which peers don't know: set dns.nodePort"
    return None
