"""What `mesh doctor` asks CoreDNS, asked of a real one that forwards to a real peer."""

import socket
from functools import partial
from typing import Any

import pytest

from cli.doctor.asking.dns import answers
from cli.doctor.facts import Answer, Unanswered
from tests.dns.fleets import Fleet
from tests.dns.hosts import Host

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

EAST, WEST, NORTH = (f"{name}.mesh.example" for name in ("east", "west", "north"))


class StandIn:
    """Stands in for the port-forward into a CoreDNS pod: a connection beside its process."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def run(self, pod: str, container: str, *command: str) -> str:
        raise NotImplementedError

    def dial(self, pod: str, port: int, question: bytes) -> bytes:
        with socket.create_connection((self._host.address, port), timeout=10) as channel:
            channel.sendall(question)
            answer = b""
            while len(answer) < 2 or len(answer) - 2 < int.from_bytes(answer[:2]):
                answer += channel.recv(4096)
        return answer


def kube_dns(address: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "kube-dns", "namespace": "kube-system"},
        "spec": {"clusterIP": address, "ports": [{"name": "dns", "port": 53, "protocol": "UDP"}]},
    }


@pytest.fixture(scope="module")
def fleet(ours: Fleet) -> Fleet:
    for number, api in enumerate(ours.world.apis.values(), 1):
        api.create([kube_dns(f"10.20{number}.0.10")])
    return ours


def asked_in_east(fleet: Fleet, *zones: str) -> dict[str, Answer]:
    host = fleet["east"].host
    # Threads that are started in a network stay in it.
    found = host.run(partial(answers, StandIn(host), ["coredns"], zones))["coredns"]
    assert not isinstance(found, Unanswered)
    return {one.zone: one for one in found}


def test_the_own_zone_and_the_peers_are_answered_rightly(fleet: Fleet) -> None:
    def right(zone: str, address: str) -> Answer:
        return Answer(zone=zone, code="NOERROR", addresses=(address,), unheard="NXDOMAIN")

    assert asked_in_east(fleet, EAST, WEST, NORTH) == {
        EAST: right(EAST, "10.201.0.10"),
        WEST: right(WEST, "10.202.0.10"),
        NORTH: right(NORTH, "10.203.0.10"),
    }


def test_a_peer_that_is_away_does_not_hide_behind_the_cache(fleet: Fleet) -> None:
    host, west = fleet["east"].host, fleet["west"].host
    assert asked_in_east(fleet, WEST)[WEST].unheard == "NXDOMAIN"
    host.cut_off(west)
    try:
        away = asked_in_east(fleet, WEST)[WEST]
    finally:
        host.join(west)
    assert away.unheard != "NXDOMAIN"
    assert away.addresses == ("10.202.0.10",)


def test_a_zone_nobody_serves_is_no_answer_of_a_peer(fleet: Fleet) -> None:
    assert asked_in_east(fleet, "south.mesh.example")["south.mesh.example"].addresses == ()
