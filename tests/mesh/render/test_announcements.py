"""How pools are announced, and that an API server with MetalLB's kinds takes every object."""

from copy import deepcopy
from typing import Any

import pytest
import yaml

from mesh.render.announcements import announcements
from mesh.render.metallb import address_pools
from mesh.settings import Settings
from tests.cli.conftest import kubernetes
from tests.mesh.render.clusters import settings
from tests.mesh.render.metallb_api import MetalLbApi, metallb_api

__all__ = ["kubernetes", "metallb_api"]

BGP: dict[str, Any] = {
    "asn": 64512,
    "peers": [
        {"address": "10.11.84.1", "asn": 64512},
        {"address": "192.0.2.1", "asn": 4200000000, "port": 1179, "multiHop": True},
    ],
    "aggregationLength": 28,
    "communities": ["64512:100"],
}
ROUTED = {"etcdAddress": "10.12.0.20", "dnsAddress": "10.12.0.21", "addresses": ["10.12.0.32/27"]}


def by_bgp(**changes: Any) -> Settings:
    return settings(loadBalancer={**ROUTED, "bgp": BGP | changes})


def of_kind(chosen: Settings, kind: str) -> dict[str, dict[str, Any]]:
    return {
        it["metadata"]["name"]: it["spec"] for it in announcements(chosen) if it["kind"] == kind
    }


def test_pools_routers_and_routes(snapshot: Any) -> None:
    manifests = [*address_pools(by_bgp()), *announcements(by_bgp())]
    assert snapshot == yaml.safe_dump_all(manifests, sort_keys=False)


def test_with_bgp_nobody_answers_by_arp() -> None:
    assert of_kind(by_bgp(), "L2Advertisement") == {}
    assert of_kind(settings(), "BGPPeer") == {}


def test_pinned_addresses_are_announced_each_on_its_own() -> None:
    lengths = {
        name: spec["aggregationLength"]
        for name, spec in of_kind(by_bgp(), "BGPAdvertisement").items()
    }
    assert lengths == {"reserved-routes": 32, "workloads-routes": 28}


def test_a_router_taken_out_leaves_the_other_as_it_is() -> None:
    both, one = of_kind(by_bgp(), "BGPPeer"), of_kind(by_bgp(peers=BGP["peers"][1:]), "BGPPeer")
    assert set(both) - set(one) == {"router-10.11.84.1"}
    assert one["router-192.0.2.1"] == both["router-192.0.2.1"]


CHOSEN = {
    "layer 2": settings(),
    "bgp": by_bgp(),
    "bgp with defaults": settings(
        loadBalancer={
            **ROUTED,
            "bgp": {"asn": 1, "peers": [{"address": "10.11.84.1", "asn": 4294967295}]},
        }
    ),
    "all addresses chosen": settings(loadBalancer={"etcdAddress": "auto", "dnsAddress": "auto"}),
}


@pytest.mark.parametrize("chosen", CHOSEN.values(), ids=CHOSEN)
def test_an_api_server_takes_every_object(metallb_api: MetalLbApi, chosen: Settings) -> None:
    manifests = [*address_pools(chosen), *announcements(chosen)]
    assert {it["metadata"]["name"]: metallb_api.refusal(it) for it in manifests} == {
        it["metadata"]["name"]: "" for it in manifests
    }


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("BGPPeer", "myASN", 4294967296),
        ("BGPPeer", "peerPort", 65536),
        ("BGPPeer", "holdTime", 90),
        ("BGPPeer", "multiHop", True),
        ("BGPAdvertisement", "aggregationLength", "28"),
        ("BGPAdvertisement", "communities", "64512:100"),
        ("IPAddressPool", "addresses", None),
    ],
)
def test_an_api_server_refuses_a_wrong_object(
    metallb_api: MetalLbApi, kind: str, field: str, value: object
) -> None:
    manifests = [*address_pools(by_bgp()), *announcements(by_bgp())]
    spoilt = deepcopy(next(it for it in manifests if it["kind"] == kind))
    spoilt["spec"][field] = value
    assert field in metallb_api.refusal(spoilt)
