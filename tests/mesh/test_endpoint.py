"""The contract between stacks, and what is known of a peer."""

import json
from dataclasses import replace
from typing import Any

import pytest

from mesh.endpoint import Endpoint, EndpointError, peer, planned_endpoint
from tests.mesh.settings.written import changed, read, shipped

WEST = planned_endpoint(read(shipped("west")))


def test_the_output_is_the_contract() -> None:
    assert WEST.as_output() == {
        "schema": 1,
        "cluster": "west",
        "id": 2,
        "zone": "west.mesh.example",
        "etcd": {"ip": "10.11.84.31", "port": 2379},
        "dns": {"addresses": ["10.11.84.32"], "port": 53},
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
