"""The rules about addresses MetalLB chooses or announces by BGP, each broken once."""

from typing import Any

import pytest

from tests.mesh.settings.written import Config, changed, line, problems, read

ROUTER = {"address": "10.11.84.1", "asn": 64512}
ROUTED = {"etcdAddress": "10.12.0.20", "dnsAddress": "10.12.0.21", "addresses": ["10.12.0.32/27"]}


def routed(addresses: dict[str, Any] | None = None, **bgp: Any) -> Config:
    """East, with addresses outside its node network and BGP to one router."""
    group = {"asn": 64513, "peers": [ROUTER], **bgp}
    return changed("loadBalancer", {**ROUTED, **(addresses or {}), "bgp": group})


def first(config: Config) -> str:
    """The first line, where pydantic calls a list with a wrong member an empty one too."""
    return str(problems(config)[0])


def chosen(**fields: Any) -> Config:
    auto = {"etcdAddress": "auto", "dnsAddress": "auto", "addresses": ["10.11.84.22-10.11.84.30"]}
    return changed("loadBalancer", auto | fields)


def test_addresses_left_to_metallb_are_taken_and_none_is_pinned() -> None:
    load_balancer = read(chosen()).load_balancer
    assert (load_balancer.etcd_address, load_balancer.dns_address) == ("auto", "auto")
    assert list(load_balancer.pinned()) == []


def test_one_address_may_be_pinned_beside_a_chosen_one() -> None:
    [(key, address)] = read(chosen(dnsAddress="10.11.84.21")).load_balancer.pinned()
    assert (key, str(address)) == ("loadBalancer.dnsAddress", "10.11.84.21")


def test_an_address_is_chosen_out_of_a_range_only() -> None:
    lines = [str(problem) for problem in problems(chosen(addresses=[]))]
    assert lines == [
        f"Pulumi.east.yaml: loadBalancer.{key}: 'auto' has no range to come from: "
        "write one into loadBalancer.addresses"
        for key in ("etcdAddress", "dnsAddress")
    ]


def test_each_chosen_address_needs_one_in_the_ranges() -> None:
    one = ["10.11.84.22-10.11.84.22"]
    [problem] = problems(chosen(addresses=one))
    assert str(problem) == (
        "Pulumi.east.yaml: loadBalancer.dnsAddress: 'auto' finds none left in "
        "loadBalancer.addresses: write more there"
    )
    assert read(chosen(addresses=["10.11.84.22-10.11.84.23"]))
    assert read(chosen(dnsAddress="10.11.84.21", addresses=one))


@pytest.mark.parametrize("value", ["automatic", "10.11.84", 7, "Auto"])
def test_what_is_neither_an_address_nor_the_word_is_refused(value: object) -> None:
    assert line(chosen(etcdAddress=value)) == (
        f"Pulumi.east.yaml: loadBalancer.etcdAddress: {value!r} is not an IPv4 address: "
        "write one like 10.11.84.20, or auto"
    )


def test_addresses_outside_the_node_network_are_announced_by_bgp() -> None:
    assert read(routed()).load_balancer.bgp


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("etcdAddress", "10.11.84.20", "etcdAddress: '10.11.84.20'"),
        ("addresses", ["10.11.84.32/28"], "addresses[0]: '10.11.84.32-10.11.84.47'"),
        ("addresses", ["10.11.87.200-10.11.88.9"], "addresses[0]: '10.11.87.200-10.11.88.9'"),
    ],
)
def test_an_address_of_the_node_network_is_not_announced_by_bgp(
    key: str, value: object, named: str
) -> None:
    assert line(routed({key: value})) == (
        f"Pulumi.east.yaml: loadBalancer.{named} is in network.nodeCidr, 10.11.84.0/22, where BGP "
        "announces nothing: write one outside it, or leave loadBalancer.bgp out"
    )


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("etcdAddress", "10.12.0.40", "etcdAddress: '10.12.0.40' is"),
        ("addresses", ["10.12.0.40/30"], "addresses[0]: '10.12.0.40-10.12.0.43' holds 10.12.0.40,"),
    ],
)
@pytest.mark.parametrize("whose", ["network.nameServers[1]", "loadBalancer.bgp.peers[0].address"])
def test_an_address_that_the_site_has_elsewhere_is_not_announced_by_bgp(
    key: str, value: object, says: str, whose: str
) -> None:
    config = routed({"addresses": [], key: value}, peers=[ROUTER | {"address": "10.12.0.40"}])
    if whose.startswith("network"):
        config = routed({"addresses": [], key: value})
        config["network"]["nameServers"] = ["10.11.84.2", "10.12.0.40"]
    assert line(config) == (
        f"Pulumi.east.yaml: loadBalancer.{says} {whose}: write others, which are nobody's"
    )


def test_a_router_with_the_address_of_a_node_is_refused() -> None:
    assert line(routed(peers=[ROUTER, ROUTER | {"address": "10.11.85.12"}])) == (
        "Pulumi.east.yaml: loadBalancer.bgp.peers[1].address: '10.11.85.12' is "
        "nodes.worker.addresses[0] too: write the router's own address"
    )


def test_a_router_answers_at_a_port_that_metallb_takes() -> None:
    assert read(routed(peers=[ROUTER | {"port": 16384}]))
    says = first(routed(peers=[ROUTER | {"port": 16385}]))
    assert says.endswith("peers[0].port: 16385 is too large: write 16384 or less")


def test_two_sessions_with_one_router_are_refused() -> None:
    assert line(routed(peers=[ROUTER, ROUTER | {"port": 1179}])) == (
        "Pulumi.east.yaml: loadBalancer.bgp.peers[1].address: '10.11.84.1' is another peer's too: "
        "take one of them out"
    )


def test_a_router_of_the_own_system_is_never_many_hops_away() -> None:
    assert line(routed(asn=64512, peers=[ROUTER | {"multiHop": True}])) == (
        "Pulumi.east.yaml: loadBalancer.bgp.peers[0].multiHop: true is for a router of another "
        "autonomous system: take it out"
    )
    assert read(routed(peers=[ROUTER | {"multiHop": True}]))


def test_an_announcement_wider_than_a_range_is_refused() -> None:
    assert line(routed({"addresses": ["10.12.0.33-10.12.0.40"]}, aggregationLength=29)) == (
        "Pulumi.east.yaml: loadBalancer.bgp.aggregationLength: 29 is wider than all blocks of "
        "10.12.0.33-10.12.0.40: write 30 to 32"
    )
    assert read(routed({"addresses": ["10.12.0.33-10.12.0.40"]}, aggregationLength=30))


@pytest.mark.parametrize("asn", [0, 4294967296])
def test_a_number_that_is_no_autonomous_system_is_refused(asn: int) -> None:
    assert "loadBalancer.bgp.asn" in line(routed(asn=asn))
    assert "loadBalancer.bgp.peers[0].asn" in first(routed(peers=[ROUTER | {"asn": asn}]))


@pytest.mark.parametrize("community", ["64512", "64512:65536", "large:1:2:3", "no-export", ""])
def test_a_community_the_native_mode_does_not_know_is_refused(community: str) -> None:
    assert line(routed(communities=["64512:100", community])) == (
        f"Pulumi.east.yaml: loadBalancer.bgp.communities[1]: {community!r} is not a community: "
        "write one like 64512:100, in quotes"
    )


def test_the_hold_time_is_as_short_as_the_protocol_allows() -> None:
    assert read(routed(peers=[ROUTER | {"holdTimeSeconds": 3}]))
    says = first(routed(peers=[ROUTER | {"holdTimeSeconds": 2}]))
    assert says.endswith("peers[0].holdTimeSeconds: 2 is too small: write 3 or more")


def test_a_key_nobody_knows_is_named_deep_inside_too() -> None:
    assert first(routed(peers=[ROUTER | {"adress": "x"}])) == (
        "Pulumi.east.yaml: loadBalancer.bgp.peers[0].adress: is not a setting: "
        "did you mean address?"
    )
    assert line(routed(aggregation=28)).endswith(
        "loadBalancer.bgp.aggregation: is not a setting: did you mean aggregationLength?"
    )


def test_bgp_without_a_router_is_refused() -> None:
    assert line(routed(peers=[])).endswith(
        "loadBalancer.bgp.peers: is an empty list: "
        "write one like [{address: 10.11.84.1, asn: 64512}]"
    )
