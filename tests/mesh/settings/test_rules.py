"""The rules between settings, each broken once."""

import pytest

from tests.mesh.settings.written import changed, line, problems


def test_an_id_beyond_the_mesh_is_refused() -> None:
    assert line(changed("cluster.id", 256)) == (
        "Pulumi.east.yaml: cluster.id: 256 is more than mesh.maxConnectedClusters, 255: "
        "write 1 to 255"
    )


def test_a_gateway_outside_the_node_network_is_refused() -> None:
    assert line(changed("network.gateway", "10.11.88.1")) == (
        "Pulumi.east.yaml: network.gateway: '10.11.88.1' is not in network.nodeCidr, "
        "10.11.84.0/22: write an address of it"
    )


def test_a_node_outside_the_node_network_is_refused_by_its_place() -> None:
    assert line(changed("nodes.worker.addresses", ["10.11.85.12", "10.12.0.1"])) == (
        "Pulumi.east.yaml: nodes.worker.addresses[1]: '10.12.0.1' is not in network.nodeCidr, "
        "10.11.84.0/22: write another address of network.nodeCidr"
    )


@pytest.mark.parametrize("address", ["10.11.84.0", "10.11.84.1", "10.11.87.255"])
def test_a_node_may_not_take_the_gateways_or_the_networks_own_address(address: str) -> None:
    says = line(changed("nodes.worker.addresses", [address]))
    assert "is the gateway's or no node's address" in says


def test_two_nodes_with_one_address_are_refused() -> None:
    assert line(changed("nodes.worker.addresses", ["10.11.85.11"])) == (
        "Pulumi.east.yaml: nodes.worker.addresses[0]: '10.11.85.11' is "
        "nodes.controlPlane.addresses[0] too: write an address of its own"
    )


def test_an_announced_address_that_is_a_nodes_is_refused() -> None:
    says = line(changed("loadBalancer.etcdAddress", "10.11.85.12"))
    assert "loadBalancer.etcdAddress: '10.11.85.12' is nodes.worker.addresses[0] too" in says


def test_a_range_may_not_hold_a_pinned_address() -> None:
    says = line(changed("loadBalancer.addresses", ["10.11.84.21-10.11.84.30"]))
    assert says == (
        "Pulumi.east.yaml: loadBalancer.addresses[0]: '10.11.84.21-10.11.84.30' holds "
        "10.11.84.21, which is loadBalancer.dnsAddress: write a range without it"
    )


def test_ranges_that_overlap_are_refused() -> None:
    ranges = ["10.11.84.22-10.11.84.30", "10.11.84.64/28", "10.11.84.30-10.11.84.40"]
    says = line(changed("loadBalancer.addresses", ranges))
    assert "loadBalancer.addresses[2]: '10.11.84.30-10.11.84.40' overlaps" in says


def test_rules_among_sound_groups_speak_while_another_group_is_wrong() -> None:
    config = changed("network.gateway", "10.11.88.1")
    config["cluster"]["name"] = "-"
    assert {problem.key for problem in problems(config)} == {"cluster.name", "network.gateway"}
