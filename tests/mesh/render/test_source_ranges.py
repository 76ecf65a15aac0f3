from mesh.render.source_ranges import source_ranges
from tests.mesh.render.clusters import peers, settings

NATIVE = {"routingMode": "native", "nativeRoutingCidr": "10.96.0.0/11"}


def test_the_node_networks_of_the_mesh_are_let_in_each_once() -> None:
    assert source_ranges(settings(), peers("west", "north")) == ["10.11.84.0/22"]


def test_a_cluster_alone_lets_its_own_nodes_in() -> None:
    assert source_ranges(settings(), []) == ["10.11.84.0/22"]


def test_pods_stay_behind_their_nodes_where_the_native_range_ends() -> None:
    chosen = settings(mesh=NATIVE)
    assert source_ranges(chosen, peers("west")) == ["10.11.84.0/22"]


def test_pods_come_as_themselves_inside_the_native_range() -> None:
    chosen = settings(mesh={**NATIVE, "nativeRoutingCidr": "10.0.0.0/8"})
    expected = ["10.101.0.0/16", "10.102.0.0/16", "10.11.84.0/22"]
    assert source_ranges(chosen, peers("west")) == expected


def test_an_address_metallb_may_choose_counts_too() -> None:
    routed = {
        "etcdAddress": "auto",
        "dnsAddress": "auto",
        "addresses": ["10.127.0.0/28"],
        "bgp": {"asn": 64512, "peers": [{"address": "10.11.84.1", "asn": 64512}]},
    }
    chosen = settings(mesh=NATIVE, loadBalancer=routed)
    assert "10.102.0.0/16" in source_ranges(chosen, peers("west"))
