"""Values of the Cilium chart: one cluster of the mesh and the peers it dials."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mesh.nodes import nodes
from mesh.peer import Peer
from mesh.render.api_server import API_SERVER_PORT, api_server_address
from mesh.render.images import mirrored
from mesh.settings import MeshSettings, Settings

MOST_OPERATORS = 2

# The chart's own schedule, every four months, would let shorter lifetimes run out.
RENEWAL = "0 0 1 * *"

# Every image the chart can pull, by its place in the values.
IMAGES = {
    "authentication.mutual.spire.install.agent.image": "ghcr.io/spiffe/spire-agent",
    "authentication.mutual.spire.install.initImage": "docker.io/library/busybox",
    "authentication.mutual.spire.install.server.image": "ghcr.io/spiffe/spire-server",
    "certgen.image": "quay.io/cilium/certgen",
    "clustermesh.apiserver.image": "quay.io/cilium/clustermesh-apiserver",
    "encryption.ztunnel.image": "quay.io/cilium/ztunnel",
    "envoy.image": "quay.io/cilium/cilium-envoy",
    "hubble.relay.image": "quay.io/cilium/hubble-relay",
    "hubble.ui.backend.image": "quay.io/cilium/hubble-ui-backend",
    "hubble.ui.frontend.image": "quay.io/cilium/hubble-ui",
    "image": "quay.io/cilium/cilium",
    "nodeinit.image": "quay.io/cilium/startup-script",
    "operator.image": "quay.io/cilium/operator",
    "preflight.envoy.image": "quay.io/cilium/cilium-envoy",
    "preflight.image": "quay.io/cilium/cilium",
}


def cilium_values(settings: Settings, peers: Sequence[Peer]) -> dict[str, Any]:
    """Values of the Cilium chart; `cilium.extraValues` is merged over ours, key by key.

    The CA and the Service `clustermesh-apiserver` are not in here: the chart would keep the
    key in its release history, and would wait for a load balancer that needs Cilium first.
    """
    values: dict[str, Any] = {
        "cluster": {"name": settings.cluster.name, "id": settings.cluster.id},
        **_datapath(settings),
        "operator": {"replicas": min(MOST_OPERATORS, len(nodes(settings)))},
        "hubble": {"tls": {"auto": _renewed(settings)}, **_hubble_domain(settings)},
        "clustermesh": _clustermesh(settings, peers),
    }
    return _merged(_merged(values, _images(settings)), settings.cilium.extra_values)


def _datapath(settings: Settings) -> dict[str, Any]:
    mesh, network = settings.mesh, settings.network
    pool = {
        "clusterPoolIPv4PodCIDRList": [str(network.pod_cidr)],
        "clusterPoolIPv4MaskSize": network.pod_cidr_mask_size,
    }
    ways = {
        **(_native(mesh) if mesh.routing_mode == "native" else _tunnel(mesh)),
        **_on_the_wire(mesh),
    }
    return {
        # There is no kube-proxy: without the address agents dial a ClusterIP nobody serves.
        "kubeProxyReplacement": True,
        "k8sServiceHost": str(api_server_address(settings)),
        "k8sServicePort": API_SERVER_PORT,
        "ipam": {"mode": "cluster-pool", "operator": pool},
        **ways,
        # Agents read how packets travel when they start: a change must restart them.
        "podAnnotations": {"vsphere-cluster-mesh/datapath": json.dumps(ways, sort_keys=True)},
        # MetalLB owns load balancer addresses; the second key alone does not stop Cilium.
        "enableLBIPAM": False,
        "defaultLBServiceIPAM": "none",
    }


def _tunnel(mesh: MeshSettings) -> dict[str, Any]:
    port = {"tunnelPort": mesh.tunnel_port} if mesh.tunnel_port else {}
    return {"routingMode": "tunnel", "tunnelProtocol": mesh.tunnel_protocol, **port}


def _native(mesh: MeshSettings) -> dict[str, Any]:
    # The second: nodes of another subnet are left to the network's routers, not given up.
    direct = {"autoDirectNodeRoutes": True, "directRoutingSkipUnreachable": True}
    return {
        "routingMode": "native",
        "ipv4NativeRoutingCIDR": str(mesh.native_routing_cidr),
        **(direct if mesh.auto_direct_node_routes else {}),
    }


def _on_the_wire(mesh: MeshSettings) -> dict[str, Any]:
    values: dict[str, Any] = {"MTU": mesh.mtu} if mesh.mtu else {}
    if mesh.encryption == "wireguard":
        # Pods only: with it, what nodes themselves send was lost (cilium#45497).
        values["encryption"] = {"enabled": True, "type": "wireguard", "nodeEncryption": False}
    return values


def _clustermesh(settings: Settings, peers: Sequence[Peer]) -> dict[str, Any]:
    endpoints = sorted((peer.endpoint for peer in peers), key=lambda endpoint: endpoint.cluster)
    dialled = {
        one.cluster: {"ips": [str(one.etcd.ip)], "port": one.etcd.port}
        for one in endpoints
        if one.etcd  # the others' address is yet to be chosen
    }
    return {
        "useAPIServer": True,
        "maxConnectedClusters": settings.mesh.max_connected_clusters,
        # Also without peers: the API server's pod waits for what this renders.
        "config": {"enabled": True, "clusters": dialled},
        # Otherwise every pod of the API server restarts when a peer is added (cilium#42716).
        "disableKubernetesHostAliases": True,
        "apiserver": {
            "replicas": 1,
            "service": {"externallyCreated": True},
            # `migration` lets a peer connect before we list it, so any order of `up` works.
            "tls": {"authMode": "migration", "auto": _renewed(settings)},
        },
    }


def _hubble_domain(settings: Settings) -> dict[str, Any]:
    """Below what Hubble relay finds the agents; the chart's default is Kubernetes's."""
    own = settings.dns.mode == "domain"
    return {"peerService": {"clusterDomain": settings.cluster.zone}} if own else {}


def _renewed(settings: Settings) -> dict[str, Any]:
    days = settings.lifetimes.mesh_certificate_days
    return {"method": "cronJob", "certValidityDuration": days, "schedule": RENEWAL}


def _images(settings: Settings) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for place, repository in IMAGES.items():
        image: dict[str, Any] = {}
        if registry := settings.images.registry:
            image["repository"] = mirrored(repository, registry)
        if not settings.images.digests:
            image["useDigest"] = False
        if image:
            values = _merged(values, _nested(place, image))
    return values


def _nested(place: str, value: dict[str, Any]) -> dict[str, Any]:
    for key in reversed(place.split(".")):
        value = {key: value}
    return value


def _merged(values: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(values)
    for key, value in over.items():
        own = merged.get(key)
        if isinstance(own, dict) and isinstance(value, dict):
            value = _merged(own, value)
        merged[key] = value
    return merged
