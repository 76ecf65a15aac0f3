import csv
import io

import pytest

from mesh.render.firewall import Rule, firewall
from mesh.render.firewall_table import firewall_csv, firewall_markdown
from mesh.topology import Topology
from tests.mesh.render.topologies import cluster, topology

NATIVE = {"authority": "east", "routingMode": "native"}


def between(rules: tuple[Rule, ...], one: str, other: str) -> list[tuple[str, int | None]]:
    """Protocol and port of every rule from one cluster to another."""
    return [(r.protocol, r.port) for r in rules if (r.source, r.destination) == (one, other)]


def of(rules: tuple[Rule, ...], port: int | None, protocol: str = "UDP") -> list[Rule]:
    return [rule for rule in rules if rule.port == port and rule.protocol == protocol]


def test_two_clusters_need_etcd_dns_a_tunnel_and_health_checks_in_both_directions() -> None:
    rules = firewall(topology(2))
    needed = [("TCP", 2379), ("UDP", 53), ("TCP", 53), ("UDP", 6081), ("TCP", 4240), ("ICMP", None)]
    assert between(rules, "east", "west") == needed
    assert between(rules, "west", "east") == needed


def test_a_rule_names_subnets_that_dial_and_the_one_address_that_is_dialled() -> None:
    [etcd, _] = of(firewall(topology(2)), 2379, "TCP")
    assert etcd.as_output() == {
        "kind": "mesh",
        "source": "east",
        "destination": "west",
        "sources": ["10.11.85.0/24"],
        "destinations": ["10.11.86.20"],
        "protocol": "TCP",
        "port": 2379,
        "why": "mesh etcd, mutual TLS",
    }


def test_a_worker_more_changes_no_rule() -> None:
    more = [f"10.11.85.{last}" for last in (12, 13, 14, 15)]
    grown = {"controlPlane": {"addresses": ["10.11.85.11"]}, "worker": {"addresses": more}}
    clusters = {"east": cluster("east", 1, nodes=grown), "west": cluster("west", 2)}
    assert firewall(Topology(clusters)) == firewall(topology(2))


@pytest.mark.parametrize("silent", ["east", "west"])
def test_dns_passes_only_where_both_clusters_forward(silent: str) -> None:
    clusters = dict(topology(2).clusters)
    clusters[silent] = cluster(silent, 1 + (silent == "west"), dns={"forwarding": False})
    rules = [rule for rule in firewall(Topology(clusters)) if rule.kind == "mesh"]
    assert not [rule for rule in rules if rule.port == 53]


def test_a_cluster_that_is_asked_at_its_nodes_has_rows_to_them_that_say_who_must_refuse() -> None:
    asked = cluster("west", 2, dns={"exposure": "nodePort", "nodePort": 30153})
    rules = firewall(Topology({"east": cluster("east", 1), "west": asked}))
    both = [*of(rules, 30153), *of(rules, 30153, "TCP")]
    assert [(rule.source, rule.destination, rule.destinations) for rule in both] == [
        ("east", "west", ("10.11.86.0/24",))
    ] * 2
    [why] = {rule.why for rule in both}
    warning = "a NodePort lets in whoever reaches a node: refuse all others"
    assert why == f"names below west.mesh.example; {warning}"
    assert [rule.destination for rule in of(rules, 53) if rule.kind == "mesh"] == ["east"]


def test_a_row_names_the_namespaces_that_are_asked_for() -> None:
    dns = {"mode": "namespaces", "namespaces": ["west-1", "shop"]}
    rules = firewall(Topology({"east": cluster("east", 1), "west": cluster("west", 2, dns=dns)}))
    [why] = {rule.why for rule in of(rules, 53) if rule.destination == "west"}
    assert why == "names below west-1.svc.cluster.local, shop.svc.cluster.local"


def test_the_tunnel_is_the_one_in_the_settings() -> None:
    tunnel = {"authority": "east", "tunnelProtocol": "vxlan", "tunnelPort": 8223}
    rules = firewall(topology(2, mesh=tunnel))
    assert len(of(rules, 8223)) == 2
    assert not of(rules, 6081)


def test_native_routing_needs_no_tunnel_and_lets_pods_pass_by_any_protocol() -> None:
    mesh = NATIVE | {"nativeRoutingCidr": "10.96.0.0/11"}
    rules = firewall(topology(2, mesh=mesh))
    assert not of(rules, 6081)
    [rule, _] = of(rules, None, "any")
    assert rule.sources == ("10.11.85.0/24", "10.101.0.0/16")
    assert rule.destinations == ("10.102.0.0/16",)
    [etcd, _] = of(rules, 2379, "TCP")
    assert etcd.sources == ("10.11.85.0/24",)


def test_pods_dial_under_their_own_addresses_what_lies_in_the_routed_range() -> None:
    rules = firewall(topology(2, mesh=NATIVE | {"nativeRoutingCidr": "10.0.0.0/8"}))
    for rule in (*of(rules, 2379, "TCP"), *(r for r in of(rules, 53) if r.kind == "mesh")):
        assert len(rule.sources) == 2
    assert all(len(rule.sources) == 1 for rule in of(rules, 4240, "TCP"))


def test_wireguard_has_a_port_of_its_own_when_it_is_on() -> None:
    assert not of(firewall(topology(2)), 51871)
    encrypted = firewall(topology(2, mesh={"authority": "east", "encryption": "wireguard"}))
    assert len(of(encrypted, 51871)) == 2


def test_hubble_relay_reads_the_flows_of_every_node_its_cluster_dials() -> None:
    clusters = dict(topology(2).clusters)
    relay = {"extraValues": {"hubble": {"relay": {"enabled": True}}}}
    clusters["east"] = cluster("east", 1, cilium=relay)
    [rule] = of(firewall(Topology(clusters)), 4244, "TCP")
    assert (rule.source, rule.destination) == ("east", "west")
    assert (rule.sources, rule.destinations) == (("10.11.85.0/24",), ("10.11.86.0/24",))


@pytest.mark.parametrize("hubble", [{}, {"relay": None}, {"relay": {"enabled": False}}])
def test_without_hubble_relay_its_port_stays_shut(hubble: dict[str, object]) -> None:
    rules = firewall(topology(2, cilium={"extraValues": {"hubble": hubble}}))
    assert not of(rules, 4244, "TCP")


def test_a_cluster_that_is_not_dialled_back_gets_no_traffic_of_pods() -> None:
    clusters = {"east": cluster("east", 1), "west": cluster("west", 2, peers=[])}
    rules = firewall(Topology(clusters))
    assert between(rules, "east", "west") == [("TCP", 2379), ("UDP", 53), ("TCP", 53)]
    assert between(rules, "west", "east") == []


def test_an_address_metallb_chooses_is_one_of_its_pool() -> None:
    clusters = dict(topology(2).clusters)
    clusters["west"] = cluster("west", 2, loadBalancer={"etcdAddress": "auto"})
    [etcd] = [r for r in of(firewall(Topology(clusters)), 2379, "TCP") if r.source == "east"]
    assert etcd.destinations == ("10.11.86.22-10.11.86.30",)


def test_a_cluster_needs_its_site_and_the_operator_needs_the_cluster() -> None:
    network = {"ntpServers": ["ntp.example.com"]}
    router = {"address": "10.11.85.1", "asn": 64512}
    load_balancer = {
        "bgp": {"asn": 64513, "peers": [router]},
        "etcdAddress": "192.168.50.1",
        "dnsAddress": "192.168.50.2",
        "addresses": [],
    }
    lone = cluster("east", 1, network=network, loadBalancer=load_balancer)
    rules = firewall(Topology({"east": lone}))
    assert {rule.kind for rule in rules} == {"site"}
    assert [(rule.source, rule.destination, rule.protocol, rule.port) for rule in rules] == [
        ("operator", "east", "TCP", 6443),
        ("operator", "vcenter.example.com", "TCP", 443),
        ("east", "name servers", "UDP", 53),
        ("east", "name servers", "TCP", 53),
        ("east", "time servers", "UDP", 123),
        ("east", "router", "TCP", 179),
    ]


def test_a_vcenter_of_two_clusters_is_listed_once_and_with_its_own_port() -> None:
    rules = firewall(topology(2, vsphere={"server": "vcenter.example.com:8443"}))
    [vcenter] = [rule for rule in rules if rule.destination == "vcenter.example.com"]
    assert vcenter.port == 8443


def test_a_stack_exports_what_concerns_its_own_cluster() -> None:
    rules = firewall(topology(3), "west")
    assert rules
    assert all("west" in (r.source, r.destination) for r in rules if r.kind == "mesh")
    assert {r.destination for r in rules if r.source == "operator"} == {
        "west",
        "vcenter.example.com",
    }


def test_the_csv_has_a_row_for_every_rule_under_its_columns() -> None:
    rules = firewall(topology(3))
    rows = list(csv.DictReader(io.StringIO(firewall_csv(rules))))
    assert len(rows) == len(rules)
    assert rows[0] == {
        "kind": "mesh",
        "from": "east",
        "to": "north",
        "source ranges": "10.11.85.0/24",
        "destination ranges": "10.11.87.20",
        "protocol": "TCP",
        "port": "2379",
        "why": "mesh etcd, mutual TLS",
    }


def test_the_markdown_has_a_row_for_every_rule_in_one_of_two_tables() -> None:
    rules = firewall(topology(2, network={"ntpServers": ["odd|name"]}))
    text = firewall_markdown(rules)
    rows = [line for line in text.splitlines() if line.startswith("| ") and "from |" not in line]
    assert len(rows) == len(rules)
    assert "| east | time servers | 10.11.85.0/24 | odd\\|name | UDP | 123 |" in text
    assert "No cluster has a peer." in firewall_markdown(firewall(topology(1)))
