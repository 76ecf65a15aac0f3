"""The rules about how packets travel between nodes."""

from collections.abc import Iterator

from mesh.settings.mesh import MeshSettings
from mesh.settings.network import NetworkSettings
from mesh.settings.problems import Broken

_OF_ONE_MODE = {
    "tunnel": ("tunnel_protocol", "tunnel_port"),
    "native": ("native_routing_cidr", "auto_direct_node_routes"),
}


def keys_belong_to_the_routing_mode(mesh: MeshSettings) -> Iterator[Broken]:
    """A key of the other mode would be read by nobody, and promise something all the same."""
    other = "tunnel" if mesh.routing_mode == "native" else "native"
    for name in _OF_ONE_MODE[other]:
        value = getattr(mesh, name)
        if name not in mesh.model_fields_set or value is None or value is False:
            continue
        reason = f"means nothing with mesh.routingMode: {mesh.routing_mode}"
        instead = f"take it out, or write mesh.routingMode: {other}"
        shown = value if isinstance(value, bool | int) else str(value)
        yield Broken(f"mesh.{MeshSettings.model_fields[name].alias}", shown, reason, instead)


def native_routing_names_its_range(mesh: MeshSettings) -> Iterator[Broken]:
    """Cilium must know which addresses the site routes, or it hides all pods behind nodes."""
    if mesh.routing_mode == "native" and mesh.native_routing_cidr is None:
        reason = "is missing, and mesh.routingMode is native"
        instead = "write a range that holds every network.podCidr of the mesh"
        yield Broken("mesh.nativeRoutingCidr", None, reason, instead)


def native_routing_holds_the_pods(mesh: MeshSettings, network: NetworkSettings) -> Iterator[Broken]:
    """A pod outside the native range would be hidden behind its node's address."""
    routed = mesh.native_routing_cidr
    if mesh.routing_mode == "native" and routed and not network.pod_cidr.subnet_of(routed):
        reason = f"is not in mesh.nativeRoutingCidr, {routed}"
        instead = "write a range of it, or a wider mesh.nativeRoutingCidr"
        yield Broken("network.podCidr", str(network.pod_cidr), reason, instead)
