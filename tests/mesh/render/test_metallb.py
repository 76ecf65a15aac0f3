from typing import Any

import yaml

from mesh.render.announcements import announcements
from mesh.render.metallb import address_pools, metallb_values
from mesh.settings import Settings
from tests.mesh.render import charts
from tests.mesh.render.clusters import settings

ALONE = {
    "controlPlane": {"addresses": ["10.11.85.11"]},
    "worker": {"addresses": []},
}


def installed(chosen: Settings) -> list[charts.Manifest]:
    return charts.rendered(charts.metallb_chart(), metallb_values(chosen), "metallb-system")


def speaker_arguments(chosen: Settings) -> list[str]:
    speaker = charts.one(installed(chosen), "DaemonSet", "metallb-speaker")
    arguments: list[str] = speaker["spec"]["template"]["spec"]["containers"][0]["args"]
    return arguments


def test_pools_and_their_announcement(snapshot: Any) -> None:
    manifests = [*address_pools(settings()), *announcements(settings())]
    assert snapshot == yaml.safe_dump_all(manifests, sort_keys=False)


def test_a_pinned_address_goes_to_nobody_by_chance() -> None:
    reserved, workloads = address_pools(settings())
    assert reserved["spec"] == {
        "addresses": ["10.11.84.20/32", "10.11.84.21/32"],
        "autoAssign": False,
    }
    assert workloads["spec"]["autoAssign"] is True


def test_without_addresses_for_workloads_there_is_only_the_pinned_pool() -> None:
    bare = settings(loadBalancer={"addresses": []})
    assert [pool["metadata"]["name"] for pool in address_pools(bare)] == ["reserved"]
    [announcement] = announcements(bare)
    assert announcement["spec"] == {"ipAddressPools": ["reserved"]}


def test_a_broken_controller_does_not_block_its_own_repair() -> None:
    webhooks = charts.one(
        installed(settings()), "ValidatingWebhookConfiguration", "metallb-webhook-configuration"
    )["webhooks"]
    assert {webhook["failurePolicy"] for webhook in webhooks} == {"Ignore"}


def test_no_bgp_daemon_runs_for_layer_2() -> None:
    manifests = installed(settings())
    assert charts.names(manifests, "DaemonSet") == {"metallb-speaker"}
    assert charts.names(manifests, "Deployment") == {"metallb-controller"}
    assert not any("frr" in image for image in charts.images(manifests))


def test_a_control_plane_announces_only_when_there_is_no_worker() -> None:
    assert "--ignore-exclude-lb" in speaker_arguments(settings(nodes=ALONE))
    assert "--ignore-exclude-lb" not in speaker_arguments(settings())


def test_a_site_registry_serves_every_image() -> None:
    mirror = settings(images={"registry": "registry.example.com/mirror"})
    assert charts.images(installed(mirror)) == {
        "registry.example.com/mirror/metallb/controller:v0.16.1",
        "registry.example.com/mirror/metallb/speaker:v0.16.1",
    }


def test_the_chart_knows_every_key_we_set() -> None:
    chart = charts.metallb_chart()
    chosen = settings(nodes=ALONE, images={"registry": "registry.example.com/mirror"})
    places = charts.places(metallb_values(chosen))
    assert [place for place in places if not charts.knows(chart, place)] == []
