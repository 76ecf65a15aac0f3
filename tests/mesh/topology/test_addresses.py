"""Addresses that two clusters want."""

import pytest

from tests.mesh.topology.written import lines, together

OWN = "write addresses of its own"


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (
            "loadBalancer.etcdAddress",
            "10.11.84.20",
            (
                "loadBalancer.etcdAddress: '10.11.84.20' is loadBalancer.etcdAddress of east too, "
                f"so each would dial itself: {OWN}"
            ),
        ),
        (
            "loadBalancer.dnsAddress",
            "10.11.84.20",
            f"loadBalancer.dnsAddress: '10.11.84.20' is loadBalancer.etcdAddress of east: {OWN}",
        ),
        (
            "loadBalancer.etcdAddress",
            "10.11.85.12",
            f"loadBalancer.etcdAddress: '10.11.85.12' is nodes.worker.addresses[0] of east: {OWN}",
        ),
        (
            "loadBalancer.etcdAddress",
            "10.11.84.25",
            (
                "loadBalancer.etcdAddress: '10.11.84.25' is in 10.11.84.22-10.11.84.30, "
                f"loadBalancer.addresses[0] of east: {OWN}"
            ),
        ),
        (
            "nodes.worker.addresses",
            ["10.11.85.99", "10.11.85.11"],
            (
                "nodes.worker.addresses[1]: '10.11.85.11' is "
                "nodes.controlPlane.addresses[0] of east: "
                f"{OWN}"
            ),
        ),
        (
            "nodes.worker.addresses",
            ["10.11.84.22"],
            (
                "nodes.worker.addresses[0]: '10.11.84.22' is in 10.11.84.22-10.11.84.30, "
                f"loadBalancer.addresses[0] of east: {OWN}"
            ),
        ),
        (
            "loadBalancer.addresses",
            ["10.11.84.28-10.11.84.30"],
            (
                "loadBalancer.addresses[0]: '10.11.84.28-10.11.84.30' is in "
                "10.11.84.22-10.11.84.30, "
                f"loadBalancer.addresses[0] of east: {OWN}"
            ),
        ),
        (
            "loadBalancer.addresses",
            ["10.11.84.33-10.11.84.41", "10.11.84.30-10.11.84.30"],
            (
                "loadBalancer.addresses[1]: '10.11.84.30-10.11.84.30' is in "
                "10.11.84.22-10.11.84.30, "
                f"loadBalancer.addresses[0] of east: {OWN}"
            ),
        ),
        (
            "loadBalancer.addresses",
            ["10.11.85.12-10.11.85.12"],
            (
                "loadBalancer.addresses[0]: '10.11.85.12-10.11.85.12' is "
                "nodes.worker.addresses[0] of "
                f"east: {OWN}"
            ),
        ),
    ],
)
def test_an_address_of_another_cluster_is_refused(path: str, value: object, says: str) -> None:
    assert lines(together(west={path: value})) == [f"Pulumi.west.yaml: {says}"]


def test_ranges_that_overlap_in_part_are_refused_with_both() -> None:
    assert lines(together(west={"loadBalancer.addresses": ["10.11.84.16/29"]})) == [
        f"Pulumi.west.yaml: loadBalancer.addresses[0]: '10.11.84.16-10.11.84.23' {meets}: {OWN}"
        for meets in (
            "holds 10.11.84.20, loadBalancer.etcdAddress of east",
            "holds 10.11.84.21, loadBalancer.dnsAddress of east",
            "overlaps 10.11.84.22-10.11.84.30, loadBalancer.addresses[0] of east",
        )
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [("network.gateway", "10.11.84.20"), ("network.nameServers", ["10.11.84.20"])],
)
def test_a_gateway_or_name_server_of_another_cluster_is_not_to_be_announced(
    path: str, value: object
) -> None:
    key = path if path == "network.gateway" else f"{path}[0]"
    assert lines(together(west={path: value})) == [
        (
            f"Pulumi.east.yaml: loadBalancer.etcdAddress: '10.11.84.20' is {key} of west: "
            "write another address"
        )
    ]


def test_a_range_with_another_clusters_name_server_in_it_is_refused() -> None:
    assert lines(together(west={"network.nameServers": ["10.11.84.25"]})) == [
        (
            "Pulumi.east.yaml: loadBalancer.addresses[0]: '10.11.84.22-10.11.84.30' holds "
            "10.11.84.25, "
            "network.nameServers[0] of west: write another address"
        )
    ]


def test_a_router_of_another_cluster_is_no_node_and_both_may_talk_to_it() -> None:
    bgp = {"asn": 64513, "peers": [{"address": "10.11.85.12", "asn": 64512}]}
    routed = {"etcdAddress": "192.0.2.1", "dnsAddress": "192.0.2.2", "addresses": [], "bgp": bgp}
    assert lines(together(west={"loadBalancer": routed})) == [
        (
            "Pulumi.east.yaml: nodes.worker.addresses[0]: '10.11.85.12' is "
            "loadBalancer.bgp.peers[0].address of west: write another address"
        )
    ]
    bgp["peers"] = [{"address": "10.13.0.1", "asn": 64512}]
    other = {**routed, "etcdAddress": "192.0.2.3", "dnsAddress": "192.0.2.4"}
    assert lines(together({"loadBalancer": other}, {"loadBalancer": routed})) == []


def test_clusters_may_have_gateway_and_name_servers_in_common() -> None:
    assert lines(together()) == []
