"""The rules between settings of one cluster, each with a name of its own.

A rule sees whole groups and yields what breaks it. It runs when all its groups could be read.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mesh.settings import (
    address_rules,
    announcement_rules,
    datapath_rules,
    dns_rules,
    node_rules,
    own_workload_rules,
    workload_rules,
)
from mesh.settings.cluster import CiliumSettings, ClusterSettings
from mesh.settings.mesh import MeshSettings
from mesh.settings.network import NetworkSettings
from mesh.settings.nodes import NodesSettings
from mesh.settings.problems import Broken

_COMPUTED_VALUES = {
    "cluster": "set cluster.name and cluster.id instead",
    "autoDirectNodeRoutes": "set mesh.autoDirectNodeRoutes instead",
    "clustermesh.config": "set peers instead",
    "clustermesh.maxConnectedClusters": "set mesh.maxConnectedClusters instead",
    "encryption.enabled": "set mesh.encryption instead",
    "encryption.type": "set mesh.encryption instead",
    "ipam": "set network.podCidr and network.podCidrMaskSize instead",
    "ipv4NativeRoutingCIDR": "set mesh.nativeRoutingCidr instead",
    "MTU": "set mesh.mtu instead",
    "k8sServiceHost": "set nodes.controlPlane.addresses instead",
    "k8sServicePort": "leave it out, it is 6443 in every cluster",
    "routingMode": "set mesh.routingMode instead",
    "tunnelPort": "set mesh.tunnelPort instead",
    "tunnelProtocol": "set mesh.tunnelProtocol instead",
}
"""Values of the Cilium chart that peers rely on, and the setting each is computed from."""
_OWN_VALUES = {
    "clustermesh.apiserver.service": "leave it out, the program makes that Service itself",
    "clustermesh.apiserver.tls.authMode": "leave it out, a peer may connect before it is listed",
    "clustermesh.useAPIServer": "leave it out, peers dial it",
    "defaultLBServiceIPAM": "leave it out, MetalLB has the addresses",
    "enableLBIPAM": "leave it out, MetalLB has the addresses",
    "kubeProxyReplacement": "leave it out, no kube-proxy runs beside Cilium",
    "tls.ca": "leave it out, all clusters have one CA: mesh.authority makes it",
}
"""Values of the Cilium chart without which what this program builds beside it does not work."""


def id_fits_the_mesh(cluster: ClusterSettings, mesh: MeshSettings) -> Iterator[Broken]:
    """A cluster's id is at most the number of clusters the mesh can hold."""
    most = mesh.max_connected_clusters
    if cluster.id > most:
        reason = f"is more than mesh.maxConnectedClusters, {most}"
        yield Broken("cluster.id", cluster.id, reason, f"write 1 to {most}")


def peers_differ(peers: tuple[str, ...] | None) -> Iterator[Broken]:
    """A stack is a peer once."""
    for place, stack in enumerate(peers or ()):
        if (first := (peers or ()).index(stack)) < place:
            reason = f"is peers[{first}] too"
            yield Broken(f"peers[{place}]", stack, reason, "leave one of them out")


def every_node_gets_a_piece_of_the_pod_range(
    network: NetworkSettings, nodes: NodesSettings
) -> Iterator[Broken]:
    """Cilium cuts the pod range into pieces and gives one to each node."""
    wide, size = network.pod_cidr, network.pod_cidr_mask_size
    needed = len([*nodes.keyed_addresses()])
    pieces = 2 ** (size - wide.prefixlen) if size >= wide.prefixlen else 0
    if pieces >= needed:
        return
    reason = f"cuts network.podCidr, {wide}, into {pieces} pieces for {needed} nodes"
    if not pieces:
        reason = f"is a larger piece than network.podCidr, {wide}, is"
    # The least number of further bits that tells so many nodes apart.
    least = wide.prefixlen + (needed - 1).bit_length()
    instead = f"write {least} or more" if least <= 30 else "write a larger network.podCidr"
    yield Broken("network.podCidrMaskSize", size, reason, instead)


def extra_values_leave_alone_what_peers_rely_on(cilium: CiliumSettings) -> Iterator[Broken]:
    """What a peer computes from our settings is so in our cluster too."""
    extra = cilium.extra_values
    if not isinstance(extra.get("clustermesh", {}), dict):
        reason, instead = "takes the mesh away", "write a group, or leave it out"
        yield Broken("cilium.extraValues.clustermesh", None, reason, instead)
    for values, reason in (
        (_COMPUTED_VALUES, "overrides what the peers rely on"),
        (_OWN_VALUES, "overrides what the rest of this cluster relies on"),
    ):
        for key, instead in values.items():
            if (written := _deciding(extra, key)) and written != "clustermesh":
                yield Broken(f"cilium.extraValues.{written}", None, reason, instead)


def _deciding(values: Mapping[str, Any], key: str) -> str | None:
    """The written key that decides about a dotted one: itself, or a group above without it."""
    written: list[str] = []
    inner: Any = values
    for part in key.split("."):
        if not isinstance(inner, dict):
            break
        if part not in inner:
            return None
        inner = inner[part]
        written.append(part)
    return ".".join(written)


_RULES: tuple[tuple[Callable[..., Iterator[Broken]], tuple[str, ...]], ...] = (
    (id_fits_the_mesh, ("cluster", "mesh")),
    (peers_differ, ("peers",)),
    (address_rules.gateway_is_in_the_node_network, ("network",)),
    (address_rules.nodes_are_in_the_node_network, ("network", "nodes")),
    (address_rules.node_addresses_differ, ("nodes",)),
    (address_rules.announced_addresses_are_free, ("load_balancer", "network")),
    (address_rules.announced_addresses_differ, ("load_balancer", "nodes")),
    (address_rules.announced_ranges_are_apart, ("load_balancer",)),
    (announcement_rules.an_address_can_be_chosen, ("load_balancer",)),
    (announcement_rules.bgp_announces_outside_the_node_network, ("load_balancer", "network")),
    (announcement_rules.bgp_announces_nothing_of_the_sites, ("load_balancer", "network")),
    (announcement_rules.routers_are_no_nodes, ("load_balancer", "nodes")),
    (announcement_rules.bgp_peers_differ, ("load_balancer",)),
    (announcement_rules.only_another_system_is_many_hops_away, ("load_balancer",)),
    (announcement_rules.announcements_are_no_wider_than_ranges, ("load_balancer",)),
    (dns_rules.keys_belong_to_the_mode_and_the_exposure, ("dns",)),
    (dns_rules.namespaces_are_named_once, ("dns",)),
    (dns_rules.the_address_goes_with_the_exposure, ("dns", "load_balancer")),
    (datapath_rules.keys_belong_to_the_routing_mode, ("mesh",)),
    (datapath_rules.native_routing_names_its_range, ("mesh",)),
    (datapath_rules.native_routing_holds_the_pods, ("mesh", "network")),
    (node_rules.kubeadm_takes_the_control_plane, ("nodes",)),
    (workload_rules.own_keys_are_of_own_workloads, ("workloads",)),
    (workload_rules.own_workloads_name_image_and_port, ("workloads",)),
    (workload_rules.licences_are_for_those_who_ask, ("workloads",)),
    (workload_rules.replica_sets_have_room, ("workloads",)),
    (workload_rules.clients_are_elsewhere, ("workloads",)),
    (workload_rules.namespaces_are_their_own, ("workloads",)),
    (workload_rules.localities_can_be_told, ("workloads",)),
    (own_workload_rules.ports_differ, ("workloads",)),
    (own_workload_rules.variables_are_not_the_programs, ("workloads",)),
    (own_workload_rules.mounts_are_apart, ("workloads",)),
    (every_node_gets_a_piece_of_the_pod_range, ("network", "nodes")),
    (extra_values_leave_alone_what_peers_rely_on, ("cilium",)),
)


def broken_rules(groups: Mapping[str, Any]) -> Iterator[Broken]:
    """What breaks a rule among the groups that could be read, by their names in Settings."""
    for rule, needed in _RULES:
        if all(name in groups for name in needed):
            yield from rule(*(groups[name] for name in needed))
