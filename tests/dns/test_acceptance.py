"""Acceptance fails when it should, with the right cause: real DNS, real packets, no lab."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from dns.rcode import NXDOMAIN

from mesh.render.corefile import EXPOSED_PORT, corefile
from tests.dns.fleets import Fleet, World, fleet, watching
from tests.dns.hosts import PREFIX_LENGTH, Host
from tests.dns.pods import NAMESPACE, Pods, losing, pods, with_west
from tests.dns.servers import Server, coredns
from tests.mesh.render.clusters import settings

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

NAMES = ("name by UDP", "name by TCP")


@pytest.fixture(scope="module")
def both(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pods]:
    # CoreDNS of its own: what is broken here is nobody else's.
    with (
        fleet(world, "acceptance", 6) as own,
        pods(world, own, tmp_path_factory.mktemp("pods")) as made,
    ):
        yield made


@contextmanager
def without_its_address(host: Host) -> Iterator[None]:
    """Nobody answers for the host's address any more, as for one that no speaker announces."""

    def change(verb: str) -> None:
        address = f"{host.address}/{PREFIX_LENGTH}"
        command = host.command("ip", "address", verb, address, "dev", "eth0")
        subprocess.run(command, check=True, timeout=60)

    change("del")
    try:
        yield
    finally:
        change("add")


def results(both: Pods) -> dict[tuple[str, str], str]:
    return {(one.to, one.check): one.result for one in both.found()}


def test_a_mesh_that_works_passes_every_check(both: Pods) -> None:
    found = results(both)
    assert found.pop(("west", "mesh etcd")) == "skipped"
    assert set(found.values()) == {"pass"}, found
    asked = {"name by UDP", "name by TCP", "headless Service", "pod by TCP", "global Service"}
    asked |= {"large by TCP, out", "large by TCP, back", "large by UDP"}
    assert {check for _, check in found} == asked
    assert {to for to, _ in found} == {"east", "west"}


def test_a_corefile_that_does_not_forward_is_named(
    both: Pods, world: World, tmp_path: Path
) -> None:
    # What an upgrade by kubeadm leaves.
    text = watching(corefile(settings("east", dns={"forwarding": False}), []), world.apis["east"])
    host = world.network.host("10.11.87.211")
    with coredns(host, tmp_path, text, world.site.host.address) as resolver:
        found = both.about_west(resolver=resolver)
    for name in NAMES:
        assert found[name].result == "fail"
        assert "Corefile of east doesn't forward west.mesh.example" in found[name].cause
        assert "NXDOMAIN" in found[name].seen
    # Its address is known from its owner, so that the datapath is asked all the same.
    assert found["pod by TCP"].result == "pass"
    assert found["large by TCP, back"].result == "pass"


def test_the_rewriting_of_the_first_article_is_seen_as_what_it_is(
    both: Pods, the_articles: Fleet
) -> None:
    found = both.about_west(resolver=the_articles["east"])
    for name in NAMES:
        assert "without `answer auto`" in found[name].cause
        assert "glibc throws it away" in found[name].cause


def test_a_load_balancer_address_that_is_gone_is_named(both: Pods) -> None:
    with without_its_address(both.fleet["west"].host):
        found = both.about_west()
    for name in NAMES:
        assert found[name].result == "fail"
        assert both.fleet["west"].host.address in found[name].cause
    assert "LoadBalancer address of west is not announced" in found["name by UDP"].cause


def test_dns_by_udp_alone_is_told_from_dns(both: Pods) -> None:
    with losing(both.fleet["west"].host, "tcp", "dport", str(EXPOSED_PORT)):
        found = both.about_west()
    assert found["name by UDP"].result == "pass"
    assert "port 53/TCP is closed on the way" in found["name by TCP"].cause


def test_a_blocked_tunnel_is_told_from_dns_and_from_the_mtu(both: Pods) -> None:
    with losing(both.hosts["west"], "ip", "saddr", both.hosts["east"].address):
        found = both.about_west()
    assert found["name by UDP"].result == "pass"
    assert "tunnel between the nodes is blocked" in found["pod by TCP"].cause
    assert "UDP 8223 (vxlan)" in found["pod by TCP"].remedy
    assert found["large by TCP, out"].result == "skipped"


@pytest.mark.parametrize(
    ("way", "checks", "passing"),
    [
        ("out", ("large by TCP, out", "large by UDP"), "large by TCP, back"),
        ("back", ("large by TCP, back",), "large by TCP, out"),
    ],
)
def test_large_packets_that_are_lost_are_the_mtu_or_the_offload(
    both: Pods, way: str, checks: tuple[str, ...], passing: str
) -> None:
    side = both.hosts["west" if way == "out" else "east"]
    other = both.hosts["east" if way == "out" else "west"]
    with losing(side, "ip", "saddr", other.address, "meta", "length", ">", "1000"):
        found = both.about_west()
    assert found["pod by TCP"].result == "pass"
    assert found[passing].result == "pass"
    for check in checks:
        assert "packets of full size are lost" in found[check].cause
        assert "mesh.tunnelPort: 8223" in found[check].remedy


def test_a_peer_that_was_never_brought_up_is_pending(both: Pods) -> None:
    with without_its_address(both.fleet["west"].host):
        found = both.about_west(plan=with_west(both.plan, there=False))
    assert {found[name].result for name in NAMES} == {"pending"}
    assert "fail" not in {one.result for one in found.values()}


def until_unknown(resolver: Server, name: str) -> None:
    """Wait until an answer that was kept is forgotten."""
    ends = time.monotonic() + 60
    while resolver.ask(name, "A").rcode() != NXDOMAIN:
        assert time.monotonic() < ends, f"{name} is still known"
        time.sleep(0.2)


def test_a_peer_without_a_target_is_pending_unless_it_was_made(both: Pods, world: World) -> None:
    west = world.apis["west"]
    address = both.hosts["west"].address
    west.set_endpoints(NAMESPACE, "target", [])
    try:
        until_unknown(both.fleet["east"], f"target-0.target.{NAMESPACE}.west.mesh.example.")
        found = both.about_west(plan=replace(both.plan, patience=12))
        made = both.about_west(plan=replace(both.plan, targets_made=True))
    finally:
        ready = {"addresses": [address], "hostname": "target-0", "conditions": {"ready": True}}
        west.set_endpoints(NAMESPACE, "target", [ready])
    assert found["name by UDP"].result == "pending"
    assert "fail" not in {one.result for one in found.values()}
    assert "west answers for west.mesh.example" in made["name by UDP"].cause
