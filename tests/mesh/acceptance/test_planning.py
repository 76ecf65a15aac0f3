from dataclasses import replace

from mesh.acceptance.findings import Report
from mesh.acceptance.planning import image, named, next_after, plan, tunnel
from mesh.acceptance.probe.plan import Plan
from tests.mesh.render.clusters import peers, settings


def planned(**more: object) -> Plan:
    return plan(settings(), peers("west", "north"), namespace="n", patience=1, **more)  # type: ignore[arg-type]


def result(run: str, after: str, outcome: str) -> Report:
    return Report(run=run, after=after, rows=({"to": "west", "check": "c", "outcome": outcome},))


def test_every_peer_is_asked_at_the_addresses_and_by_the_names_of_its_file() -> None:
    found = planned()
    assert found.own.pod_name(found) == "target-0.target.n.east.mesh.example"
    assert [peer.cluster for peer in found.peers] == ["north", "west"]
    north, west = found.peers
    assert west.service_name(found) == "target.n.west.mesh.example"
    assert (west.dns, west.dns_port, north.dns) == (("10.11.84.32",), 53, ("10.11.84.43",))


def test_a_peer_that_exported_nothing_is_later() -> None:
    [west] = peers("west")
    there = replace(west, status="exported")
    for peer, expected in ((west, False), (there, True)):
        found = plan(settings(), [peer], namespace="n", patience=1)
        assert [one.there for one in found.peers] == [expected]


def test_a_plan_arrives_in_the_job_as_it_left() -> None:
    found = named(planned(), "before", {})
    assert Plan.read(found.text()) == found


def test_a_run_has_another_name_when_anything_it_depends_on_is_another() -> None:
    first = named(planned(), "", {"corefile": "a"})
    assert named(planned(), "", {"corefile": "a"}) == first
    others = {
        named(planned(), "", {"corefile": "b"}).run,
        named(planned(), "failed", {"corefile": "a"}).run,
        named(planned(targets_made=True), "", {"corefile": "a"}).run,
    }
    assert len(others | {first.run}) == 4


def test_a_run_that_failed_is_tried_again_until_one_does_not() -> None:
    depends: dict[str, str] = {}
    first = named(planned(), next_after(None), depends)
    assert named(planned(), next_after(result(first.run, first.after, "passed")), depends) == first
    failed = result(first.run, first.after, "silence")
    second = named(planned(), next_after(failed), depends)
    assert second.run != first.run
    mended = result(second.run, second.after, "passed")
    assert named(planned(), next_after(mended), depends) == second
    failed_again = result(second.run, second.after, "silence")
    assert named(planned(), next_after(failed_again), depends).run not in {first.run, second.run}


def test_a_sites_own_registry_has_the_image_too() -> None:
    own = settings(images={"registry": "registry.example.com/mirror"})
    assert image(own) == "registry.example.com/mirror/library/python:3.13-slim"
    assert image(settings()) == "docker.io/library/python:3.13-slim"


def test_what_must_pass_between_nodes_is_named_by_its_port() -> None:
    assert tunnel(settings().mesh) == "UDP 6081 (geneve)"
    vxlan = {"tunnelProtocol": "vxlan", "tunnelPort": 8223}
    assert tunnel(settings(mesh=vxlan).mesh) == "UDP 8223 (vxlan)"
    assert tunnel(settings(mesh={"encryption": "wireguard"}).mesh) == "UDP 51871 (WireGuard)"
    native = {"routingMode": "native", "nativeRoutingCidr": "10.96.0.0/11"}
    assert "pod ranges" in tunnel(settings(mesh=native).mesh)
