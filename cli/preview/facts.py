"""What a person asks of a recorded run: versions, peers, zones, addresses, pools."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cli.preview.recording import Recording, Resource

_BLOCK = re.compile(r"^(\S+):53 \{\n(.*?)^\}", re.M | re.S)
_FORWARD = re.compile(r"^\s+forward \. ([^{\n]+)", re.M)
_KUBERNETES = re.compile(r"^\s*kubernetesVersion: v(\S+)", re.M)
_ADDRESSES = "metallb.io/loadBalancerIPs"
_TOLD = {
    "ConfigMapPatch": ("data.Corefile",),
    # The hash of the Corefile, which changes with it.
    "DeploymentPatch": ("spec.template.metadata.annotations",),
    "IPAddressPool": ("spec.addresses",),
    "Release": ("values", "version"),
    "StatefulSet": ("spec.volumeClaimTemplates",),
    "vsphere": ("vsphereServer", "user", "allowUnverifiedSsl"),
    "Service": (f"metadata.annotations.{_ADDRESSES}", "spec.loadBalancerSourceRanges"),
}


def corefile(recording: Recording) -> str:
    """The Corefile of the cluster, or nothing."""
    data = (patch.inputs.get("data", {}) for patch in recording.of("ConfigMapPatch"))
    return next((str(one["Corefile"]) for one in data if "Corefile" in one), "")


def forwards(recording: Recording) -> dict[str, str]:
    """Where CoreDNS asks for each zone but the root, as it stands in the Corefile."""
    found = {}
    for zone, body in _BLOCK.findall(corefile(recording)):
        upstreams = _FORWARD.search(body)
        if zone != "." and upstreams:
            found[zone] = ", ".join(upstreams[1].replace(":53 ", " ").split())
    return found


def values(recording: Recording) -> dict[str, dict[str, Any]]:
    """The values of every Helm release, by its name in Helm."""
    return {
        str(release.inputs.get("name", release.name)): dict(release.inputs.get("values", {}))
        for release in recording.of("Release")
    }


def peers(recording: Recording) -> dict[str, str]:
    """Where Cilium dials each other cluster."""
    config = values(recording).get("cilium", {}).get("clustermesh", {}).get("config", {})
    clusters = config.get("clusters", {})
    if not isinstance(clusters, Mapping):
        return {}
    return {
        name: f"{', '.join(peer.get('ips', []))}:{peer.get('port', '')}"
        for name, peer in clusters.items()
    }


def pending(recording: Recording) -> set[str]:
    """The clusters whose addresses MetalLB is still to choose, as it would on a first `up`."""
    known = recording.outputs.get("peers", {})
    return {name for name, peer in known.items() if peer.get("status") == "pending"}


def versions(recording: Recording) -> dict[str, str]:
    """The versions of Kubernetes and of every chart."""
    found = {}
    for machine in recording.of("VirtualMachine"):
        boot = machine.inputs.get("extraConfig", {}).get("guestinfo.userdata", "")
        if version := _KUBERNETES.search(boot):
            found["Kubernetes"] = version[1].strip("\"'")
    for release in recording.of("Release"):
        name = {"cilium": "Cilium", "metallb": "MetalLB"}
        helm_name = str(release.inputs.get("name", release.name))
        found[name.get(helm_name, helm_name)] = str(release.inputs.get("version"))
    return found


def addresses(recording: Recording) -> dict[str, str]:
    """The address each Service for peers asks for, or its port of the nodes."""
    return {name: _address(metadata, spec) for name, metadata, spec in _services(recording)}


def source_ranges(recording: Recording) -> dict[str, str]:
    """The ranges each Service for peers is open to."""
    return {
        name: ", ".join(spec.get("loadBalancerSourceRanges", [])) or "everybody"
        for name, _, spec in _services(recording)
    }


def pools(recording: Recording) -> dict[str, str]:
    """The addresses of each MetalLB pool."""
    return {
        pool.inputs["metadata"]["name"]: ", ".join(pool.inputs["spec"].get("addresses", []))
        for pool in recording.of("IPAddressPool")
    }


def identity(recording: Recording) -> dict[str, str]:
    """What never changes on a cluster that runs."""
    endpoint = recording.outputs.get("endpoint", {})
    own_domain = endpoint.get("dns", {}).get("mode") == "domain"
    return {
        "name": str(endpoint.get("cluster")),
        "id": str(endpoint.get("id")),
        "pod range": ", ".join(endpoint.get("podCidrs", [])),
        "service range": str(endpoint.get("serviceCidr")),
        "domain": str(endpoint.get("zone")) if own_domain else "cluster.local",
        "maxConnectedClusters": str(endpoint.get("datapath", {}).get("maxConnectedClusters")),
    }


def vcenter(recording: Recording) -> dict[str, str]:
    """The vCenter, and how the program signs in there."""
    words = {"vsphereServer": "server", "user": "user", "allowUnverifiedSsl": "allowUnverifiedTls"}
    return {
        word: str(provider.inputs.get(key))
        for provider in recording.of("vsphere")
        for key, word in words.items()
    }


def workloads(recording: Recording) -> dict[str, str]:
    """What each workload of the stack is: its kind, and its members in all clusters."""
    exported = recording.outputs.get("workloads", {})
    return {
        name: f"{told['kind']} with {len(told['members'])} members in all clusters"
        for name, told in exported.items()
    }


def volumes(recording: Recording) -> dict[str, str]:
    """What each StatefulSet asks for its volumes, which holds from its first `up` on."""
    return {
        one.name: str(one.inputs["spec"]["volumeClaimTemplates"])
        for one in recording.of("StatefulSet")
        if "volumeClaimTemplates" in one.inputs["spec"]
    }


def rest(resource: Resource) -> dict[str, str]:
    """The inputs of a resource, by path, without those that have words of their own above."""
    told = _TOLD.get(resource.kind, ())
    return {
        path: value
        for path, value in flattened(resource.inputs)
        if not any(path == one or path.startswith(f"{one}.") for one in told)
    }


def flattened(tree: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Every leaf of Helm values by its key path, as text."""
    for key, value in tree.items():
        here = f"{path}.{key}" if path else key
        if isinstance(value, Mapping) and value:
            yield from flattened(value, here)
        else:
            yield here, str(value)


def _services(recording: Recording) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    for service in recording.of("Service"):
        metadata, spec = service.inputs["metadata"], service.inputs["spec"]
        if spec.get("type") in {"LoadBalancer", "NodePort"}:
            yield metadata["name"], metadata, spec


def _address(metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> str:
    if spec["type"] == "NodePort":
        port = spec["ports"][0].get("nodePort", "chosen by Kubernetes")
        return f"port {port} of every node"
    asked: str = metadata.get("annotations", {}).get(_ADDRESSES, "an address MetalLB chooses")
    return asked
