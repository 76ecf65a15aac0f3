import base64
import itertools
import json
import re
from dataclasses import replace
from typing import Any

import pytest
import yaml

from mesh.peer import Peer, peer
from mesh.render.cilium_values import IMAGES, cilium_values
from tests.mesh.render import charts
from tests.mesh.render.clusters import peers, settings

PEERS: list[list[Peer]] = [[], peers("west"), peers("west", "north")]
EVERYTHING = {
    "extraValues": {
        "clustermesh": {"mcsapi": {"enabled": True, "corednsAutoConfigure": {"enabled": True}}},
        "hubble": {"relay": {"enabled": True}, "ui": {"enabled": True}},
        "nodeinit": {"enabled": True},
        "preflight": {"enabled": True},
    }
}
HIDDEN = "clustermesh.disableKubernetesHostAliases"


def installed(values: dict[str, Any]) -> list[charts.Manifest]:
    return charts.rendered(charts.cilium_chart(), values, "kube-system")


def etcd_clients(manifests: list[charts.Manifest], secret: str) -> dict[str, Any]:
    data = charts.one(manifests, "Secret", secret).get("data") or {}
    return {peer: yaml.safe_load(base64.b64decode(text)) for peer, text in data.items()}


def test_the_values_of_east_with_one_peer(snapshot: Any) -> None:
    assert snapshot == yaml.safe_dump(cilium_values(settings(), peers("west")), sort_keys=False)


def test_peers_come_in_one_order_however_they_were_found() -> None:
    orders = itertools.permutations(peers("north", "west"))
    texts = {yaml.safe_dump(cilium_values(settings(), order), sort_keys=False) for order in orders}
    assert len(texts) == 1


def test_a_user_value_wins_and_its_neighbours_stay() -> None:
    extra = {"extraValues": {"hubble": {"tls": {"auto": {"method": "helm"}}}, "l7Proxy": False}}
    values = cilium_values(settings(cilium=extra), [])
    assert values["hubble"]["tls"]["auto"]["method"] == "helm"
    assert values["hubble"]["tls"]["auto"]["certValidityDuration"] == 365
    assert values["l7Proxy"] is False


def test_the_settings_are_not_changed_by_rendering() -> None:
    extra = {"extraValues": {"clustermesh": {"apiserver": {"tls": {"auto": {"schedule": "x"}}}}}}
    chosen = settings(cilium=extra)
    assert cilium_values(chosen, peers("west")) == cilium_values(chosen, peers("west"))
    assert chosen == settings(cilium=extra)


def test_a_lone_node_runs_a_lone_operator() -> None:
    alone = {"controlPlane": {"addresses": ["10.11.85.11"]}, "worker": {"addresses": []}}
    assert cilium_values(settings(nodes=alone), [])["operator"]["replicas"] == 1
    assert cilium_values(settings(), [])["operator"]["replicas"] == 2


def test_a_tunnel_port_is_named_only_when_it_is_not_the_protocols_own() -> None:
    assert "tunnelPort" not in cilium_values(settings(), [])
    moved = settings(mesh={"tunnelProtocol": "vxlan", "tunnelPort": 8223})
    assert cilium_values(moved, [])["tunnelPort"] == 8223


@pytest.mark.parametrize("known", PEERS, ids=len)
def test_the_chart_leaves_the_ca_and_the_exposed_service_to_us(known: list[Peer]) -> None:
    manifests = installed(cilium_values(settings(), known))
    assert charts.names(manifests, "Secret") == {"cilium-clustermesh", "cilium-kvstoremesh"}
    assert "clustermesh-apiserver" not in charts.names(manifests, "Service")
    assert "clustermesh-apiserver" in charts.names(manifests, "Deployment")


@pytest.mark.parametrize("known", PEERS, ids=len)
def test_every_peer_is_dialled_by_the_name_its_certificate_has(known: list[Peer]) -> None:
    manifests = installed(cilium_values(settings(), known))
    dialled = {
        peer: (client["endpoints"], client["cilium-host-aliases"])
        for peer, client in etcd_clients(manifests, "cilium-kvstoremesh").items()
    }
    assert dialled == {
        one.endpoint.cluster: (
            [f"https://{one.endpoint.cluster}.mesh.cilium.io:2379"],
            [
                {
                    "hostname": f"{one.endpoint.cluster}.mesh.cilium.io",
                    "ips": [str(one.endpoint.etcd and one.endpoint.etcd.ip)],
                }
            ],
        )
        for one in known
    }


def test_agents_ask_their_own_api_server_about_a_peer() -> None:
    manifests = installed(cilium_values(settings(), peers("west")))
    clients = etcd_clients(manifests, "cilium-clustermesh")
    own = ["https://clustermesh-apiserver.kube-system.svc:2379"]
    assert {peer: client["endpoints"] for peer, client in clients.items()} == {"west": own}


def test_adding_a_peer_restarts_nothing() -> None:
    before, after, more = (
        charts.pod_templates(installed(cilium_values(settings(), known))) for known in PEERS
    )
    assert before == after == more


def test_agents_learn_who_they_are_and_how_packets_travel() -> None:
    config = charts.one(
        installed(cilium_values(settings(), peers("west"))), "ConfigMap", "cilium-config"
    )["data"]
    expected = {
        "cluster-name": "east",
        "cluster-id": "1",
        "max-connected-clusters": "255",
        "cluster-pool-ipv4-cidr": "10.101.0.0/16",
        "cluster-pool-ipv4-mask-size": "24",
        "kube-proxy-replacement": "true",
        "routing-mode": "tunnel",
        "tunnel-protocol": "geneve",
        "enable-lb-ipam": "false",
        "default-lb-service-ipam": "none",
    }
    assert {key: config[key] for key in expected} == expected


NATIVE = {"routingMode": "native", "nativeRoutingCidr": "10.96.0.0/11"}
DATAPATHS: list[tuple[dict[str, Any], dict[str, str | None]]] = [
    (
        {},
        {
            "routing-mode": "tunnel",
            "tunnel-protocol": "geneve",
            "tunnel-port": None,
            "ipv4-native-routing-cidr": None,
            "auto-direct-node-routes": "false",
            "enable-wireguard": None,
            "mtu": None,
            "max-connected-clusters": "255",
        },
    ),
    (
        {"tunnelProtocol": "vxlan", "tunnelPort": 8223, "maxConnectedClusters": 511},
        {
            "routing-mode": "tunnel",
            "tunnel-protocol": "vxlan",
            "tunnel-port": "8223",
            "max-connected-clusters": "511",
        },
    ),
    (
        NATIVE,
        {
            "routing-mode": "native",
            "tunnel-port": None,
            "ipv4-native-routing-cidr": "10.96.0.0/11",
            "auto-direct-node-routes": "false",
            "direct-routing-skip-unreachable": "false",
        },
    ),
    (
        {**NATIVE, "autoDirectNodeRoutes": True},
        {"auto-direct-node-routes": "true", "direct-routing-skip-unreachable": "true"},
    ),
    (
        {"encryption": "wireguard", "mtu": 1400},
        {"enable-wireguard": "true", "encrypt-node": None, "enable-ipsec": None, "mtu": "1400"},
    ),
    ({"mtu": 9000}, {"mtu": "9000", "enable-wireguard": None}),
]


@pytest.mark.parametrize(("written", "expected"), DATAPATHS)
def test_agents_are_told_the_way_of_a_packet(
    written: dict[str, Any], expected: dict[str, str | None]
) -> None:
    manifests = installed(cilium_values(settings(mesh=written), peers("west")))
    config = charts.one(manifests, "ConfigMap", "cilium-config")["data"]
    assert {key: config.get(key) for key in expected} == expected


@pytest.mark.parametrize("written", [written for written, _ in DATAPATHS if written])
def test_another_way_of_a_packet_restarts_the_agents_and_nothing_else(
    written: dict[str, Any],
) -> None:
    before, after = (
        charts.pod_templates(installed(cilium_values(settings(mesh=mesh), [])))
        for mesh in ({}, written)
    )
    changed = {name for name in after if after[name] != before[name]}
    # Only the mesh's own etcd has to know how many clusters there may be.
    most = {"Deployment/clustermesh-apiserver"} if "maxConnectedClusters" in written else set()
    assert changed - most == {"DaemonSet/cilium"}


def test_native_routing_names_no_tunnel() -> None:
    values = cilium_values(settings(mesh=NATIVE), [])
    assert not {"tunnelProtocol", "tunnelPort"} & values.keys()


def test_numbers_reach_the_chart_as_the_engine_sends_them() -> None:
    chosen = settings(mesh={"tunnelPort": 8223, "mtu": 9000, "maxConnectedClusters": 511})
    values = json.loads(json.dumps(cilium_values(chosen, peers("west"))), parse_int=float)
    config = charts.one(installed(values), "ConfigMap", "cilium-config")["data"]
    keys = ("tunnel-port", "mtu", "max-connected-clusters", "cluster-id")
    assert [config[key] for key in keys] == ["8223", "9000", "511", "1"]


def test_a_peer_whose_address_is_yet_to_be_chosen_is_not_dialled() -> None:
    unknown = replace(peers("west")[0].endpoint, etcd=None)
    pending = peer("west", unknown, None)
    values = cilium_values(settings(), [pending, *peers("north")])
    assert set(values["clustermesh"]["config"]["clusters"]) == {"north"}


def test_a_peer_that_got_its_address_restarts_nothing() -> None:
    pending = peer("west", replace(peers("west")[0].endpoint, etcd=None), None)
    before, after = (
        charts.pod_templates(installed(cilium_values(settings(), known)))
        for known in ([pending], peers("west"))
    )
    assert before == after


def test_agents_reach_the_api_server_without_kube_proxy() -> None:
    agent = charts.pod_templates(installed(cilium_values(settings(), [])))["DaemonSet/cilium"]
    container = agent["spec"]["containers"][0]
    environment = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert environment["KUBERNETES_SERVICE_HOST"] == "10.11.85.11"
    assert environment["KUBERNETES_SERVICE_PORT"] == "6443"


def test_certificates_are_renewed_every_month() -> None:
    manifests = installed(cilium_values(settings(), []))
    jobs = [it for it in manifests if it["kind"] == "CronJob"]
    assert {job["metadata"]["name"] for job in jobs} == {
        "clustermesh-apiserver-generate-certs",
        "hubble-generate-certs",
    }
    assert {job["spec"]["schedule"] for job in jobs} == {"0 0 1 * *"}


def test_the_lifetime_of_certificates_is_the_settings_one() -> None:
    manifests = installed(cilium_values(settings(lifetimes={"meshCertificateDays": 100}), []))
    renewals = [yaml.safe_dump(it) for it in manifests if it["kind"] == "CronJob"]
    validities = {found for text in renewals for found in re.findall(r"validity: (\w+)", text)}
    assert validities == {"2400h"}


def test_a_site_registry_serves_every_image() -> None:
    mirror = settings(images={"registry": "registry.example.com/mirror"}, cilium=EVERYTHING)
    images = charts.images(installed(cilium_values(mirror, peers("west"))))
    assert not [image for image in images if not image.startswith("registry.example.com/mirror/")]
    names = {image.partition("@")[0] for image in images}
    assert "registry.example.com/mirror/cilium/cilium:v1.20.2" in names


def test_without_digests_no_image_is_asked_for_by_digest() -> None:
    plain = settings(images={"digests": False}, cilium=EVERYTHING)
    images = charts.images(installed(cilium_values(plain, peers("west"))))
    assert not [image for image in images if "@" in image]


def test_we_know_every_image_of_the_chart() -> None:
    chart = charts.cilium_chart()
    repositories = (it for it in charts.places(chart.values) if it.endswith(".repository"))
    known = {
        place.removesuffix(".repository"): _value(chart.values, place) for place in repositories
    }
    # Off by default, and no image of its own until somebody names one.
    assert known.pop("standaloneDnsProxy.image") == ""
    assert known == IMAGES


def test_the_chart_knows_every_key_we_set() -> None:
    chart = charts.cilium_chart()
    images = {"registry": "registry.example.com/mirror", "digests": False}
    tunnel = {"tunnelPort": 8223, "encryption": "wireguard", "mtu": 1400}
    for mesh in (tunnel, {**NATIVE, "autoDirectNodeRoutes": True}):
        values = cilium_values(settings(mesh=mesh, images=images), [])
        assert values.pop("podAnnotations")  # the chart has a map here, whose keys are ours
        assert [it for it in charts.places(values) if not charts.knows(chart, it)] == [HIDDEN]


def test_hubble_relay_finds_the_agents_in_a_domain_of_its_own() -> None:
    relay = {"extraValues": {"hubble": {"relay": {"enabled": True}}}}
    values = cilium_values(settings(dns={"mode": "domain"}, cilium=relay), [])
    assert charts.knows(charts.cilium_chart(), "hubble.peerService.clusterDomain")
    asked = charts.one(installed(values), "ConfigMap", "hubble-relay-config")["data"]["config.yaml"]
    assert "hubble-peer.kube-system.svc.east.mesh.example" in asked
    assert "cluster.local" not in asked


def test_envoy_can_be_left_out_by_a_user_value() -> None:
    without = settings(cilium={"extraValues": {"envoy": {"enabled": False}}})
    assert charts.names(installed(cilium_values(settings(), [])), "DaemonSet") == {
        "cilium",
        "cilium-envoy",
    }
    assert charts.names(installed(cilium_values(without, [])), "DaemonSet") == {"cilium"}


def _value(values: Any, place: str) -> Any:
    for key in place.split("."):
        values = values[key]
    return values
