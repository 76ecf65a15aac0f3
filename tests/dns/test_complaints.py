"""What users of others complained about in DNS, by issue: none of it happens here."""

import hashlib
import re
import shutil
import subprocess
import time
from pathlib import Path

import dns.flags
import dns.message
import pytest
from dns.rcode import NOERROR, NXDOMAIN
from dns.rdatatype import RdataType

from lab.programs import program
from mesh.render.corefile import EXPOSED_PORT, corefile
from tests.dns.fleets import Fleet, World, our_corefile
from tests.dns.objects import endpoint, pod_address
from tests.dns.resolvers import PROGRAMS, Resolvers
from tests.dns.servers import coredns
from tests.mesh.render.clusters import peers, settings
from tests.mocks import run_program

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

POD = "db-0.db.shop.west.mesh.example."
PORT = "_sql._tcp.db.shop.west.mesh.example."
CHANGES_SEEN = 7
DOMAIN: dict[str, object] = {"mode": "domain"}
NAMESPACES: dict[str, object] = {"mode": "namespaces", "namespaces": ["west-1", "shop"]}
TWO_PEERS = corefile(settings(), peers("west", "north"))


@pytest.mark.parametrize("resolver", ["glibc", "dnspython"])
def test_coredns_1313_and_2041_the_answer_is_of_the_name_that_was_asked_for(
    ours: Fleet, resolvers: Resolvers, resolver: str
) -> None:
    found = resolvers.addresses(resolver, ours["east"].host, POD)
    assert found == {pod_address("west", 10)}


def test_coredns_4834_and_4840_the_question_comes_back_as_it_was(every_version: Fleet) -> None:
    # Without an answer rule, `continue` left the rewritten question in the reply.
    assert " continue " not in TWO_PEERS
    asked = dns.message.make_query(POD, "A")
    west = every_version["west"]
    for port in (53, EXPOSED_PORT):
        assert west.send(west.host, asked, port=port).question == asked.question


def test_coredns_2770_addresses_beside_the_answer_are_of_the_zone_too(every_version: Fleet) -> None:
    reply = every_version["east"].ask(PORT, "SRV")
    beside = {rrset.name.to_text() for rrset in reply.additional}
    assert beside == {f"db-{number}.db.shop.west.mesh.example." for number in range(3)}


def test_coredns_2770_a_missing_name_is_missing_by_the_clusters_own_zone(ours: Fleet) -> None:
    # Not rewritten, and harmless but behind BIND and its like: docs/how-names-work.md.
    reply = ours["east"].ask("db-9.db.shop.west.mesh.example.", "A")
    assert [rrset.name.to_text() for rrset in reply.authority] == ["cluster.local."]


def test_coredns_1394_and_2389_a_named_port_leads_into_the_zone(every_version: Fleet) -> None:
    [records] = every_version["east"].ask(PORT, "SRV").answer
    assert records.name.to_text() == PORT
    targets = {record.target.to_text() for record in records}
    assert targets == {f"db-{number}.db.shop.west.mesh.example." for number in range(3)}


def test_coredns_2539_and_2552_search_lists_and_zones_go_together(
    ours: Fleet, resolvers: Resolvers
) -> None:
    # Where `autopath` answers for the search list, names of a peer get lost.
    assert "autopath" not in TWO_PEERS
    host = ours["east"].host
    assert resolvers.addresses("glibc", host, "db-0.db") == {pod_address("east", 10)}
    assert resolvers.addresses("glibc", host, POD.rstrip(".")) == {pod_address("west", 10)}


def test_coredns_6210_and_6607_a_pod_is_named_when_its_endpoint_is_ready(
    world: World, ours: Fleet
) -> None:
    # For a Service with publishNotReadyAddresses Kubernetes calls every endpoint ready.
    west, name = world.apis["west"], "slow-0.slow.shop.west.mesh.example."
    slow = endpoint(pod_address("west", 26), "slow-0")
    west.set_endpoints("shop", "slow", [slow | {"conditions": {"ready": False}}])
    assert ours["east"].ask(name, "A").rcode() == NXDOMAIN
    west.set_endpoints("shop", "slow", [slow])
    end = time.monotonic() + CHANGES_SEEN
    while ours["east"].ask(name, "A").rcode() != NOERROR:
        assert time.monotonic() < end
        time.sleep(0.2)


def test_coredns_4427_and_5348_all_who_are_asked_for_a_zone_say_the_same() -> None:
    forwards = re.findall(r"^(\S+):53 {\n(?:.*\n)*?    forward \. (.*) {", TWO_PEERS, re.MULTILINE)
    expected = {
        peer.endpoint.zone: [f"{address}:53" for address in peer.endpoint.dns.addresses]
        for peer in peers("west", "north")
    }
    assert {zone: to.split() for zone, to in forwards if zone != "."} == expected


def test_kubernetai_25_nobody_watches_another_clusters_api() -> None:
    watching = [line.strip() for line in TWO_PEERS.splitlines() if "kubernetes" in line]
    assert watching == ["kubernetes cluster.local in-addr.arpa ip6.arpa {"]


def test_aks_2689_and_coredns_1706_another_corefile_starts_other_pods() -> None:
    run = run_program("east")
    text = run.one("east-core-dns-corefile").inputs["data"]["Corefile"]
    template = run.one("east-core-dns-roll-out").inputs["spec"]["template"]
    digest = hashlib.sha256(text.encode()).hexdigest()
    annotations = {"vsphere-cluster-mesh/corefile-sha256": digest}
    assert template["metadata"]["annotations"] == annotations


def test_coredns_2339_and_2920_a_broken_file_leaves_the_old_one_answering(
    world: World, tmp_path: Path
) -> None:
    host = world.network.host("10.11.87.101")
    text = our_corefile(world, "west", {}).replace("reload 10s 2s", "reload 2s 1s")
    with coredns(host, tmp_path, text, world.site.host.address) as server:
        broken = text.replace("loadbalance\n", "loadbalanse\n")
        assert broken != text
        (tmp_path / "Corefile").write_text(broken)
        end = time.monotonic() + 120
        while "Unknown directive 'loadbalanse'" not in server.log.read_text():
            assert time.monotonic() < end, server.log.read_text()
            time.sleep(0.2)
        assert server.ask(POD, "A").answer[0][0].to_text() == pod_address("west", 10)


MIGRATIONS = pytest.mark.parametrize(
    ("before", "after"), [("1.12.1", "1.12.4"), ("1.12.1", "1.14.2"), ("1.13.1", "1.14.2")]
)


@MIGRATIONS
def test_kurl_4449_kubeadm_2830_and_kubernetes_82889_an_upgrade_has_nothing_to_refuse(
    before: str, after: str
) -> None:
    assert migrated(before, after).stderr == ""


@MIGRATIONS
def test_kubernetes_96833_an_upgrade_leaves_our_corefile_as_it_is(before: str, after: str) -> None:
    assert lines(migrated(before, after).stdout) == lines(TWO_PEERS)


@pytest.mark.parametrize("mode", [DOMAIN, NAMESPACES], ids=["domain", "namespaces"])
def test_kubernetes_96833_an_upgrade_leaves_the_corefile_of_every_mode(
    mode: dict[str, object],
) -> None:
    others = [*peers("west", dns={**NAMESPACES, "exposure": "nodePort"}), *peers("north")]
    text = corefile(settings(dns=mode), others)
    done = migrated("1.12.1", "1.14.2", text)
    assert (done.stderr, lines(done.stdout)) == ("", lines(text))


@pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
def test_cockroach_69847_a_peer_is_answered_by_both_transports(
    every_version: Fleet, tcp: bool
) -> None:
    query = dns.message.make_query(POD, "A")
    west, east = every_version["west"], every_version["east"].host
    reply = west.send(east, query, port=EXPOSED_PORT, tcp=tcp)
    assert [rrset.rdtype for rrset in reply.answer] == [RdataType.A]


def test_cockroach_69847_one_address_and_one_port_for_both_transports() -> None:
    ports = run_program("east").one("east-exposure-mesh-dns").inputs["spec"]["ports"]
    assert {(port["protocol"], port["port"]) for port in ports} == {("UDP", 53), ("TCP", 53)}


def migrated(before: str, after: str, text: str = TWO_PEERS) -> "subprocess.CompletedProcess[str]":
    """What kubeadm's own library makes of our Corefile, from the module the lab's kubeadm is of."""
    if not shutil.which("go"):
        pytest.skip("NOT TESTED: go is missing, with which kubeadm's migration is built")
    command = ["go", "run", str(PROGRAMS / "migration.go"), before, after]
    module = program("kubeadm").directory
    return subprocess.run(
        command, cwd=module, input=text, capture_output=True, text=True, check=True
    )


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
