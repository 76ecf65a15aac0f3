"""How much of CoreDNS one peer can have: a number of questions under way, and no more."""

import socket
import time
from functools import partial
from pathlib import Path

import dns.message
import pytest
from dns.rcode import NOERROR, REFUSED

from mesh.render.corefile import EXPOSED_PORT
from tests.dns.conftest import VERSIONS, coredns_program
from tests.dns.fleets import World, our_corefile
from tests.dns.objects import pod_address
from tests.dns.servers import coredns

pytestmark = [pytest.mark.dns, pytest.mark.timeout(300)]

LIMIT = 1000
MORE = 200
NOBODY = "10.11.87.250"


def refused(address: str, questions: int) -> int:
    """How many of so many questions, all under way at once, are refused within a second."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        for number in range(questions):
            query = dns.message.make_query(f"db-{number}.db.shop.west.mesh.example.", "A")
            peer.sendto(query.to_wire(), (address, EXPOSED_PORT))
            time.sleep(0.0002)  # no buffer between them may overflow
        peer.settimeout(1)
        answers = []
        while True:
            try:
                answers.append(dns.message.from_wire(peer.recv(4096)).rcode())
            except TimeoutError:
                return answers.count(REFUSED)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_peer_may_have_a_thousand_questions_under_way_and_no_more(
    world: World, tmp_path: Path, version: str
) -> None:
    number = 70 + 2 * VERSIONS.index(version)
    west, peer = (world.network.host(f"10.11.87.{number + last}") for last in (0, 1))
    text = our_corefile(world, "west", {})
    inside = "    forward . 127.0.0.1:53 {\n"
    assert text.count(inside) == 1
    # An answer that never comes keeps each question under way.
    stuck = text.replace(inside, inside.replace("127.0.0.1", NOBODY))
    program = coredns_program(version)
    with coredns(west, tmp_path, stuck, world.site.host.address, program) as server:
        assert 0 < peer.run(partial(refused, west.address, LIMIT + MORE)) <= MORE
        own = server.ask("db-0.db.shop.svc.cluster.local.", "A")
        assert own.rcode() == NOERROR
        assert own.answer[0][0].to_text() == pod_address("west", 10)
