"""The ranges of a mesh, each broken once."""

from typing import Any

import pytest

from tests.mesh.topology.written import lines, together

APART = "write a range apart from all others of the mesh"
BGP: dict[str, Any] = {
    "loadBalancer.bgp": {"asn": 64513, "peers": [{"address": "10.11.84.1", "asn": 64512}]},
    "loadBalancer.etcdAddress": "192.0.2.1",
    "loadBalancer.dnsAddress": "192.0.2.2",
    "loadBalancer.addresses": ["192.0.2.16/28"],
}
"""West with addresses outside its node network."""


@pytest.mark.parametrize("pods", ["10.101.0.0/16", "10.101.128.0/17", "10.96.0.0/11"])
def test_pod_ranges_of_two_clusters_that_overlap_are_refused_with_both(pods: str) -> None:
    assert lines(together(west={"network.podCidr": pods}))[-1] == (
        f"Pulumi.west.yaml: network.podCidr: '{pods}' overlaps network.podCidr of east, "
        f"10.101.0.0/16: {APART}"
    )


def test_a_pod_range_over_another_clusters_services_is_refused() -> None:
    assert lines(together(west={"network.podCidr": "10.201.0.0/16"})) == [
        (
            "Pulumi.west.yaml: network.podCidr: '10.201.0.0/16' overlaps "
            "network.serviceCidr of east, "
            f"10.201.0.0/16: {APART}"
        )
    ]


def test_a_pod_range_over_the_clusters_own_services_is_refused() -> None:
    assert lines(together(west={"network.podCidr": "10.202.0.0/16"})) == [
        (
            "Pulumi.west.yaml: network.podCidr: '10.202.0.0/16' overlaps network.serviceCidr, "
            f"10.202.0.0/16: {APART}"
        )
    ]


def test_a_pod_range_over_nodes_is_refused_once_and_with_the_clusters_own_network() -> None:
    assert lines(together(west={"network.podCidr": "10.11.0.0/16"})) == [
        (
            "Pulumi.west.yaml: network.podCidr: '10.11.0.0/16' overlaps network.nodeCidr, "
            f"10.11.84.0/22: {APART}"
        )
    ]


def test_a_pod_range_over_announced_addresses_is_refused() -> None:
    assert lines(together(west=BGP)) == []
    pods = {"network.podCidr": "192.0.0.0/20"}
    assert lines(together(east=pods, west=BGP)) == [
        f"Pulumi.east.yaml: network.podCidr: '192.0.0.0/20' overlaps {key} of west, {shown}: "
        f"{APART}"
        for key, shown in (
            ("loadBalancer.etcdAddress", "192.0.2.1"),
            ("loadBalancer.dnsAddress", "192.0.2.2"),
            ("loadBalancer.addresses[0]", "192.0.2.16-192.0.2.31"),
        )
    ]


def test_a_pod_range_with_a_name_server_in_it_is_refused() -> None:
    servers = {"network.nameServers": ["10.101.0.53", "10.11.84.2"]}
    assert lines(together(west=servers)) == [
        (
            "Pulumi.east.yaml: network.podCidr: '10.101.0.0/16' overlaps network.nameServers[0] of "
            f"west, 10.101.0.53: {APART}"
        )
    ]


def test_services_of_all_clusters_may_have_one_range() -> None:
    assert lines(together(west={"network.serviceCidr": "10.201.0.0/16"})) == []
    assert lines(together(west={"network.serviceCidr": "10.201.128.0/17"})) == []


def test_services_over_the_clusters_own_nodes_are_refused() -> None:
    assert lines(together(west={"network.serviceCidr": "10.11.0.0/16"})) == [
        (
            "Pulumi.west.yaml: network.serviceCidr: '10.11.0.0/16' overlaps network.nodeCidr, "
            f"10.11.84.0/22: {APART}"
        )
    ]


def elsewhere(cidr: str, start: str) -> dict[str, Any]:
    """West's nodes and addresses in another network, which begins with `start`."""
    return {
        "network.nodeCidr": cidr,
        "network.gateway": f"{start}.1",
        "nodes.controlPlane.addresses": [f"{start}.11"],
        "nodes.worker.addresses": [f"{start}.12"],
        "loadBalancer.etcdAddress": f"{start}.31",
        "loadBalancer.dnsAddress": f"{start}.32",
        "loadBalancer.addresses": [f"{start}.33-{start}.41"],
    }


def test_services_over_another_clusters_nodes_are_refused() -> None:
    there = elsewhere("10.12.84.0/22", "10.12.85")
    services = {"network.serviceCidr": "10.12.0.0/16"}
    assert lines(together(east=services, west=there)) == [
        (
            "Pulumi.east.yaml: network.serviceCidr: '10.12.0.0/16' overlaps "
            "network.nodeCidr of west, "
            f"10.12.84.0/22: {APART}"
        )
    ]


def test_services_over_another_clusters_announced_addresses_are_refused() -> None:
    assert lines(together(east={"network.serviceCidr": "192.0.2.0/28"}, west=BGP)) == [
        f"Pulumi.east.yaml: network.serviceCidr: '192.0.2.0/28' overlaps {key} of west, {shown}: "
        f"{APART}"
        for key, shown in (
            ("loadBalancer.etcdAddress", "192.0.2.1"),
            ("loadBalancer.dnsAddress", "192.0.2.2"),
        )
    ]


def test_services_over_the_clusters_own_name_server_are_refused() -> None:
    [says] = lines(together(east={"network.nameServers": ["10.201.0.10"]}))
    assert "network.serviceCidr: '10.201.0.0/16' overlaps network.nameServers[0]" in says


def test_node_networks_may_be_one_or_apart() -> None:
    assert lines(together(west=elsewhere("10.12.84.0/22", "10.12.85"))) == []


def test_node_networks_that_overlap_in_part_are_refused() -> None:
    assert lines(together(west=elsewhere("10.11.80.0/20", "10.11.81"))) == [
        (
            "Pulumi.west.yaml: network.nodeCidr: '10.11.80.0/20' overlaps a part of "
            "network.nodeCidr "
            "of east, 10.11.84.0/22: write the same network, or one apart from it"
        )
    ]


def test_addresses_announced_in_another_clusters_node_network_are_refused() -> None:
    there = elsewhere("10.12.84.0/22", "10.12.85") | BGP
    there["loadBalancer.etcdAddress"] = "10.11.87.200"
    assert lines(together(west=there)) == [
        (
            "Pulumi.west.yaml: loadBalancer.etcdAddress: '10.11.87.200' is in network.nodeCidr of "
            "east, 10.11.84.0/22: write addresses outside the node networks of the others"
        )
    ]
