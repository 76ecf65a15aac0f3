"""What kubeadm is told on the first control plane and on a worker (kubeadm.k8s.io/v1beta4)."""

from typing import Any

from mesh.nodes import Node
from mesh.render.api_server import API_SERVER_PORT, api_server, api_server_name
from mesh.render.images import mirrored
from mesh.render.yaml_text import yaml_text
from mesh.settings import Settings

API_VERSION = "kubeadm.k8s.io/v1beta4"
CRI_SOCKET = "unix:///run/containerd/containerd.sock"

# Workers boot while the control plane is still being made.
DISCOVERY_TIMEOUT = "20m0s"


def init_configuration(settings: Settings, node: Node, token: str) -> str:
    """The YAML documents with which `kubeadm init` makes the first control plane."""
    kubelet = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "rotateCertificates": True,
    }
    return yaml_text(_init(settings, node, token), _cluster(settings), kubelet)


def join_configuration(settings: Settings, node: Node, token: str, ca_hash: str) -> str:
    """The YAML document with which `kubeadm join` makes a worker.

    `ca_hash` is `sha256:<hex>`, from `ca_certificate_hash`.
    """
    discovery = {
        "apiServerEndpoint": api_server(settings),
        "token": token,
        "caCertHashes": [ca_hash],
    }
    document = {
        "apiVersion": API_VERSION,
        "kind": "JoinConfiguration",
        "discovery": {"bootstrapToken": discovery},
        "nodeRegistration": _registration(settings, node),
        "timeouts": {"discovery": DISCOVERY_TIMEOUT},
    }
    return yaml_text(document)


def _init(settings: Settings, node: Node, token: str) -> dict[str, Any]:
    hours = settings.lifetimes.bootstrap_token_hours
    return {
        "apiVersion": API_VERSION,
        "kind": "InitConfiguration",
        # kubeadm reads 0s as "never expires".
        "bootstrapTokens": [{"token": token, "ttl": f"{hours}h0m0s" if hours else "0s"}],
        "localAPIEndpoint": {"advertiseAddress": str(node.address), "bindPort": API_SERVER_PORT},
        "nodeRegistration": {**_registration(settings, node), **_taints(settings)},
    }


def _taints(settings: Settings) -> dict[str, Any]:
    # Where there are no workers the control plane takes every pod.
    return {} if settings.nodes.worker.addresses else {"taints": []}


def _cluster(settings: Settings) -> dict[str, Any]:
    network = settings.network
    return {
        "apiVersion": API_VERSION,
        "kind": "ClusterConfiguration",
        "clusterName": settings.cluster.name,
        "kubernetesVersion": f"v{settings.versions.kubernetes}",
        "controlPlaneEndpoint": api_server(settings),
        "networking": {
            "podSubnet": str(network.pod_cidr),
            "serviceSubnet": str(network.service_cidr),
            # kubeadm's default, cluster.local, in the other modes; the kubelets get it from here.
            **({"dnsDomain": settings.cluster.zone} if settings.dns.mode == "domain" else {}),
        },
        "certificateValidityPeriod": _hours(settings.lifetimes.control_plane_certificate_days),
        "apiServer": {"certSANs": [api_server_name(settings)]},
        # Without it the controller manager wants room for a /24 and refuses smaller pod ranges.
        "controllerManager": {
            "extraArgs": [{"name": "node-cidr-mask-size", "value": str(network.pod_cidr_mask_size)}]
        },
        "proxy": {"disabled": True},
        **_mirrored_images(settings.images.registry),
    }


def _mirrored_images(registry: str | None) -> dict[str, Any]:
    """The registry's names; kubeadm would drop CoreDNS's folder, and a mirror keeps it."""
    if registry is None:
        return {}
    coredns = mirrored("registry.k8s.io/coredns", registry)
    return {"imageRepository": registry, "dns": {"imageRepository": coredns}}


def _registration(settings: Settings, node: Node) -> dict[str, Any]:
    registration: dict[str, Any] = {
        "name": node.name,
        "criSocket": CRI_SOCKET,
        "kubeletExtraArgs": [{"name": "node-ip", "value": str(node.address)}],
    }
    if settings.nodes.ignore_preflight_errors:
        registration["ignorePreflightErrors"] = list(settings.nodes.ignore_preflight_errors)
    return registration


def _hours(days: int) -> str:
    return f"{days * 24}h0m0s"
