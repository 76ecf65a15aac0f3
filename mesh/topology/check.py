"""Every rule between the clusters of a mesh."""

from collections.abc import Callable, Iterator

from mesh.settings import Problem
from mesh.topology import (
    addresses,
    chart_values,
    extra_dns,
    identity,
    namespaces,
    peers,
    ranges,
    releases,
    workloads,
    zones,
)
from mesh.topology.topology import Topology

RULES: tuple[Callable[[Topology], Iterator[Problem]], ...] = (
    identity.names_differ,
    identity.ids_differ,
    zones.zones_differ,
    zones.zones_are_not_nested,
    zones.zones_are_no_search_domains,
    namespaces.exported_namespaces_differ,
    namespaces.exported_namespaces_hide_no_workload,
    namespaces.members_are_in_exported_namespaces,
    ranges.pod_ranges_are_apart_from_all_else,
    ranges.service_ranges_are_apart_from_what_is_reached,
    ranges.node_networks_are_one_or_apart,
    ranges.announced_addresses_are_in_no_other_node_network,
    addresses.no_address_is_taken_twice,
    addresses.no_cluster_has_what_is_the_sites,
    identity.folders_are_apart,
    peers.peers_have_a_file,
    peers.the_authority_has_a_file,
    workloads.members_are_in_clusters_with_a_file,
    workloads.namespaces_have_one_workload,
    workloads.members_have_names,
    workloads.members_reach_each_other,
    releases.releases_go_together,
    releases.cilium_minors_are_within_one,
    chart_values.extra_values_were_not_removed,
    chart_values.extra_values_are_known_to_the_chart,
    chart_values.core_dns_knows_multicluster_services,
    extra_dns.added_dns_fits_the_corefile,
)
"""Each takes time like n log n for n clusters, as long as few rules are broken."""

NOTICES: tuple[Callable[[Topology], Iterator[str]], ...] = (
    peers.dialled_by_one_side_only,
    releases.releases_restart_something,
    chart_values.values_not_compared,
    workloads.no_majority_is_left,
)


def problems(topology: Topology) -> tuple[Problem, ...]:
    """Everything wrong between the clusters that only their files together can show, each once."""
    found = (problem for rule in RULES for problem in rule(topology))
    return tuple(dict.fromkeys(found))


def notices(topology: Topology) -> tuple[str, ...]:
    """What is allowed and worth a warning, one line each."""
    return tuple(line for notice in NOTICES for line in notice(topology))
