"""The contract between stacks, and what is known of a peer."""

import json
from dataclasses import replace
from ipaddress import IPv4Address
from typing import Any

import pytest

from mesh.endpoint import Endpoint, EndpointError, planned_endpoint
from mesh.peer import peer
from tests.mesh.settings.written import changed, read, shipped

WEST = planned_endpoint(read(shipped("west")))


def test_the_output_is_the_contract() -> None:
    assert WEST.as_output() == {
        "schema": 1,
        "cluster": "west",
        "id": 2,
        "zone": "west.mesh.example",
        "etcd": {"ip": "10.11.84.31", "port": 2379},
        "dns": {"addresses": ["10.11.84.32"], "port": 53, "mode": "zones", "namespaces": []},
        "podCidrs": ["10.102.0.0/16"],
        "serviceCidr": "10.202.0.0/16",
        "nodeCidrs": ["10.11.84.0/22"],
        "ciliumVersion": "1.20.2",
        "datapath": {
            "tunnelProtocol": "geneve",
            "tunnelPort": 6081,
            "maxConnectedClusters": 255,
            "routingMode": "tunnel",
            "nativeRoutingCidr": None,
            "encryption": "none",
        },
    }


def test_an_endpoint_survives_the_engine_which_makes_every_number_a_float() -> None:
    exported = json.loads(json.dumps(WEST.as_output()), parse_int=float)
    assert Endpoint.from_output(exported) == WEST


def test_a_field_a_later_program_adds_is_passed_over() -> None:
    assert Endpoint.from_output(WEST.as_output() | {"color": "blue"}) == WEST


def test_a_cluster_that_forwards_nothing_offers_no_dns() -> None:
    config = changed("dns.forwarding", False)
    assert planned_endpoint(read(config)).dns.addresses == ()


@pytest.mark.parametrize(
    ("protocol", "port", "used"), [("geneve", 0, 6081), ("vxlan", 0, 8472), ("vxlan", 4789, 4789)]
)
def test_the_datapath_names_the_port_the_tunnel_takes(protocol: str, port: int, used: int) -> None:
    config = changed("mesh.tunnelProtocol", protocol)
    config["mesh"]["tunnelPort"] = port
    assert planned_endpoint(read(config)).datapath.tunnel_port == used


def test_native_routing_has_no_tunnel_to_agree_on() -> None:
    native = {"authority": "east", "routingMode": "native", "nativeRoutingCidr": "10.96.0.0/11"}
    datapath = planned_endpoint(read(changed("mesh", native, "west"))).as_output()["datapath"]
    assert datapath == {
        "tunnelProtocol": None,
        "tunnelPort": None,
        "maxConnectedClusters": 255,
        "routingMode": "native",
        "nativeRoutingCidr": "10.96.0.0/11",
        "encryption": "none",
    }


def test_an_export_from_before_a_datapath_key_means_its_default() -> None:
    old = WEST.as_output()
    for key in ("routingMode", "nativeRoutingCidr", "encryption"):
        del old["datapath"][key]
    assert Endpoint.from_output(old) == WEST
    assert peer("west", WEST, Endpoint.from_output(old)).warning is None


def exporting(stack: str = "west", **dns: Any) -> Endpoint:
    """A cluster with these settings of its DNS, and no address for it where it has no use."""
    config = changed("dns", dns, stack)
    if dns.get("exposure") == "nodePort":
        del config["loadBalancer"]["dnsAddress"]
    return planned_endpoint(read(config))


def test_a_zone_is_all_that_is_answered_for_peers() -> None:
    assert WEST.zones == ("west.mesh.example",)
    assert WEST.dns_domain == "cluster.local"


def test_namespaces_are_answered_for_peers_under_the_domain_of_all() -> None:
    west = exporting(mode="namespaces", namespaces=["west-1", "shop"])
    assert west.zones == ("west-1.svc.cluster.local", "shop.svc.cluster.local")
    assert west.dns_domain == "cluster.local"
    assert west.as_output()["dns"] == {
        "addresses": ["10.11.84.32"],
        "port": 53,
        "mode": "namespaces",
        "namespaces": ["west-1", "shop"],
    }


def test_a_domain_of_its_own_is_its_zone() -> None:
    west = exporting(mode="domain")
    assert west.zones == ("west.mesh.example",)
    assert west.dns_domain == "west.mesh.example"


def test_nodes_are_asked_at_their_port_workers_first() -> None:
    dns = exporting(exposure="nodePort", nodePort=30153).dns
    workers = [f"10.11.85.2{last}" for last in (2, 3, 4)]
    assert [str(one) for one in dns.addresses] == [*workers, "10.11.85.21"]
    assert dns.port == 30153


def test_no_more_nodes_are_asked_than_coredns_takes_and_a_new_worker_changes_none_of_them() -> None:
    def asked(workers: int) -> list[str]:
        config = changed("dns", {"exposure": "nodePort"}, "west")
        del config["loadBalancer"]["dnsAddress"]
        config["nodes"]["worker"]["addresses"] = [f"10.11.86.{n}" for n in range(1, workers + 1)]
        return [str(one) for one in planned_endpoint(read(config)).dns.addresses]

    assert asked(14) == [*(f"10.11.86.{n}" for n in range(1, 15)), "10.11.85.21"]
    assert asked(15) == [f"10.11.86.{n}" for n in range(1, 16)]
    assert asked(40) == asked(15)


def test_a_cluster_that_forwards_nothing_is_asked_at_no_node() -> None:
    assert exporting(exposure="nodePort", forwarding=False).dns.addresses == ()


def test_an_export_from_before_there_were_modes_is_of_a_zone() -> None:
    old = WEST.as_output()
    for key in ("mode", "namespaces"):
        del old["dns"][key]
    assert Endpoint.from_output(old) == WEST
    assert peer("west", WEST, Endpoint.from_output(old)).warning is None


def test_a_peer_that_exports_other_names_than_planned_is_told() -> None:
    planned = exporting(mode="namespaces", namespaces=["west-1", "shop"])
    warning = peer("west", planned, WEST).warning
    assert warning
    assert "dns.mode is zones, planned namespaces; dns.namespaces is " in warning


def test_a_mode_this_program_does_not_know_is_refused_by_its_field() -> None:
    output = WEST.as_output()
    output["dns"]["mode"] = "views"
    with pytest.raises(EndpointError, match=r"endpoint\.dns\.mode: "):
        Endpoint.from_output(output)


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ({}, "endpoint.schema is None and this program reads 1"),
        ({"schema": 2}, "endpoint.schema is 2 and this program reads 1"),
        ("elided", "endpoint.schema is None and this program reads 1"),
        (WEST.as_output() | {"etcd": {"ip": "10.1", "port": 2379}}, "endpoint.etcd.ip: "),
        ({"schema": 1}, "endpoint.cluster: "),
    ],
)
def test_an_output_that_is_no_endpoint_is_refused_by_its_field(output: Any, says: str) -> None:
    with pytest.raises(EndpointError, match=says):
        Endpoint.from_output(output)


def test_a_peer_that_exported_nothing_is_planned_and_names_the_next_command() -> None:
    known = peer("west", WEST, None)
    assert (known.status, known.endpoint) == ("planned", WEST)
    assert (known.next_command, known.warning) == ("pulumi up -s west", None)


def test_a_peer_that_exported_what_its_file_plans_needs_nothing() -> None:
    known = peer("west", WEST, WEST)
    assert (known.status, known.next_command, known.warning) == ("exported", "", None)


def test_what_a_peer_exported_wins_and_the_difference_is_a_warning() -> None:
    exported = replace(WEST, zone="old.mesh.example")
    known = peer("west", WEST, exported)
    assert known.endpoint == exported
    assert known.warning == (
        "west is not what Pulumi.west.yaml plans "
        "(zone is old.mesh.example, planned west.mesh.example): run pulumi up -s west"
    )


@pytest.mark.parametrize(
    ("mesh", "says"),
    [
        ({"encryption": "wireguard"}, "datapath.encryption is wireguard, planned none"),
        ({"tunnelProtocol": "vxlan"}, "datapath.tunnelProtocol is vxlan, planned geneve; "),
        ({"tunnelPort": 8223}, "datapath.tunnelPort is 8223, planned 6081"),
        (
            {"routingMode": "native", "nativeRoutingCidr": "10.0.0.0/8"},
            (
                "datapath.tunnelProtocol is none, planned geneve; datapath.tunnelPort is none, "
                "planned 6081; datapath.routingMode is native, planned tunnel; "
                "datapath.nativeRoutingCidr is 10.0.0.0/8, planned none"
            ),
        ),
    ],
)
def test_each_way_in_which_a_packet_would_not_cross_is_named(
    mesh: dict[str, Any], says: str
) -> None:
    other = planned_endpoint(read(changed("mesh", {"authority": "east", **mesh}, "west")))
    warning = peer("west", WEST, other).warning
    assert warning
    assert f"({says}" in warning


ANSWERS = {"port": 53, "mode": "zones", "namespaces": []}
CHOSEN = {"etcdAddress": "auto", "dnsAddress": "auto", "addresses": ["10.11.84.33-10.11.84.41"]}
UNKNOWN = planned_endpoint(read(changed("loadBalancer", CHOSEN, "west")))
TOLD = UNKNOWN.with_chosen(IPv4Address("10.11.84.33"), IPv4Address("10.11.84.34"))
AND_HERE = "pulumi up -s west, then pulumi up here once more"


def test_an_address_left_to_metallb_is_no_part_of_the_plan() -> None:
    assert UNKNOWN.etcd is None
    assert UNKNOWN.dns.addresses == ()
    assert UNKNOWN.as_output()["dns"] == ANSWERS | {"addresses": []}


def test_what_metallb_chose_is_told_like_a_pinned_address() -> None:
    assert TOLD.as_output() == WEST.as_output() | {
        "etcd": {"ip": "10.11.84.33", "port": 2379},
        "dns": ANSWERS | {"addresses": ["10.11.84.34"]},
    }


def test_a_pinned_address_is_never_replaced_by_a_chosen_one() -> None:
    assert WEST.with_chosen(IPv4Address("10.11.84.40"), IPv4Address("10.11.84.41")) == WEST


def test_a_peer_without_an_address_yet_is_pending_and_asks_for_one_more_up_here() -> None:
    known = peer("west", UNKNOWN, None)
    assert (known.status, known.next_command, known.warning) == ("pending", AND_HERE, None)


@pytest.mark.parametrize("key", ["etcdAddress", "dnsAddress"])
def test_one_address_to_come_is_enough_to_be_pending(key: str) -> None:
    config = changed(f"loadBalancer.{key}", "auto", "west")
    assert peer("west", planned_endpoint(read(config)), None).status == "pending"


def test_a_peer_that_exported_its_chosen_addresses_needs_nothing() -> None:
    known = peer("west", UNKNOWN, Endpoint.from_output(TOLD.as_output()))
    assert (known.status, known.next_command, known.warning) == ("exported", "", None)
    assert known.endpoint.etcd
    assert str(known.endpoint.etcd.ip) == "10.11.84.33"


def test_another_difference_is_a_warning_beside_chosen_addresses() -> None:
    exported = replace(TOLD, cilium_version="1.19.6")
    known = peer("west", UNKNOWN, exported)
    assert known.status == "exported"
    assert known.warning == (
        "west is not what Pulumi.west.yaml plans (ciliumVersion is 1.19.6, planned 1.20.2): "
        "run pulumi up -s west"
    )


def test_a_peer_that_is_to_be_pinned_differs_from_what_it_was_given() -> None:
    warning = peer("west", WEST, TOLD).warning
    assert warning
    assert "etcd.ip is 10.11.84.33, planned 10.11.84.31; dns.addresses is 10.11.84.34" in warning


def test_a_peer_that_answered_nobody_and_shall_now_is_pending() -> None:
    silent = planned_endpoint(read(changed("dns.forwarding", False, "west")))
    known = peer("west", UNKNOWN, silent)
    assert (known.status, known.next_command) == ("pending", AND_HERE)


def test_a_chosen_dns_address_is_not_awaited_from_a_cluster_that_answers_nobody() -> None:
    config = changed("loadBalancer.dnsAddress", "auto", "west")
    config["dns"]["forwarding"] = False
    known = peer("west", planned_endpoint(read(config)), None)
    assert known.status == "planned"
