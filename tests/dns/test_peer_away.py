"""A peer that is cut off: what its neighbour answers meanwhile, and how soon it is back."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import dns.exception
import pytest
from dns.rcode import NOERROR, NXDOMAIN, SERVFAIL, Rcode

from mesh.render.corefile import corefile
from tests.dns.conftest import VERSIONS, coredns_program
from tests.dns.fleets import Fleet, World, at, our_corefile, watching
from tests.dns.hosts import Host
from tests.dns.objects import endpoint, pod_address
from tests.dns.servers import Server, coredns
from tests.mesh.render.clusters import settings

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

NOTICED_WITHIN = 15
BACK_WITHIN = 5
AT_ONCE = 0.5
"""Seconds; on an idle machine 8, 2 and 0.002."""
POD = "db-0.db.shop.west.mesh.example."
PATIENCE = 10
_numbers = itertools.count(1000)
_hosts = itertools.count(30)


@dataclass(frozen=True)
class Answer:
    rcode: Rcode | None
    """None when there was no answer at all."""
    addresses: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Neighbours:
    """A CoreDNS of east, and the host of west's that it asks."""

    east: Server
    west: Host

    def ask(self, name: str) -> Answer:
        began = time.monotonic()
        try:
            reply = self.east.ask(name, "A", timeout=PATIENCE)
        except dns.exception.Timeout:
            return Answer(None, (), PATIENCE)
        found = tuple(record.to_text() for rrset in reply.answer for record in rrset)
        return Answer(reply.rcode(), found, time.monotonic() - began)


def fresh_name() -> str:
    """A name of west that nobody has asked for yet."""
    return f"db-{next(_numbers)}.db.shop.west.mesh.example."


def seconds_until(condition: Callable[[], bool], limit: float) -> float:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() < began + limit, f"not within {limit} s"
        time.sleep(0.1)
    return time.monotonic() - began


STARTING = """\
west.mesh.example:1053 {
    forward . 127.0.0.1:9
}
.:53 {
    template ANY ANY {
        rcode NXDOMAIN
    }
}
"""
"""As a CoreDNS answers before it has seen what its cluster has: SERVFAIL."""


@contextmanager
def neighbours(
    world: World, directory: Path, ours: Fleet, network: int, *dead: str
) -> Iterator[Neighbours]:
    """Two clusters of their own beside the fleet's north; `dead` addresses are west's too."""
    east, west = (world.network.host(f"10.11.87.{network + last}") for last in (1, 2))
    peers = [at("west", *dead, west.address), at("north", ours["north"].host.address)]
    texts = {
        east: watching(corefile(settings("east"), peers), world.apis["east"]),
        west: our_corefile(world, "west", {}),
    }
    with ExitStack() as ends:
        servers = {}
        for host, text in texts.items():
            (directory / host.address).mkdir()
            started = coredns(host, directory / host.address, text, world.site.host.address)
            servers[host.address] = ends.enter_context(started)
        yield Neighbours(servers[east.address], west)


@pytest.fixture(scope="module")
def cut_off(
    world: World, ours: Fleet, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Neighbours]:
    """West is away, east has noticed it, and has asked for one pod before."""
    with neighbours(world, tmp_path_factory.mktemp("cut"), ours, 0) as pair:
        assert pair.ask(POD).rcode == NOERROR
        pair.west.cut_off(pair.east.host)
        seconds_until(lambda: pair.ask(fresh_name()).seconds < AT_ONCE, NOTICED_WITHIN)
        yield pair


def test_a_name_of_the_peer_fails_at_once(cut_off: Neighbours) -> None:
    answers = [cut_off.ask(fresh_name()) for _ in range(20)]
    assert {answer.rcode for answer in answers} == {SERVFAIL}
    assert max(answer.seconds for answer in answers) < AT_ONCE


def test_what_was_known_before_is_still_answered(cut_off: Neighbours) -> None:
    # Its five seconds are over: what is answered is stale.
    answer = cut_off.ask(POD)
    assert answer.addresses == (pod_address("west", 10),)
    assert answer.seconds < AT_ONCE


@pytest.mark.parametrize(
    "name",
    [
        "db-0.db.shop.svc.cluster.local.",
        "db-0.db.shop.east.mesh.example.",
        "db-0.db.shop.north.mesh.example.",
        "db.example.org.",
    ],
)
def test_all_other_names_are_as_quick_as_ever(cut_off: Neighbours, name: str) -> None:
    answer = cut_off.ask(name)
    assert answer.rcode == NOERROR
    assert answer.seconds < AT_ONCE


def test_many_questions_about_the_peer_make_few_packets(cut_off: Neighbours) -> None:
    before = sent_packets(cut_off.east.host)
    for _ in range(200):
        cut_off.ask(fresh_name())
    assert sent_packets(cut_off.east.host) - before < 20


def test_the_peer_is_back_soon_with_what_changed_meanwhile(
    world: World, ours: Fleet, tmp_path: Path
) -> None:
    name = "moving-0.moving.shop.west.mesh.example."
    before, after = (pod_address("west", last) for last in (30, 31))
    west = world.apis["west"]
    west.set_endpoints("shop", "moving", [endpoint(before, "moving-0")])
    with neighbours(world, tmp_path, ours, 10) as pair:
        seconds_until(lambda: pair.ask(name).addresses == (before,), NOTICED_WITHIN)
        pair.west.cut_off(pair.east.host)
        west.set_endpoints("shop", "moving", [endpoint(after, "moving-0")])
        seconds_until(lambda: pair.ask(fresh_name()).seconds < AT_ONCE, NOTICED_WITHIN)
        assert pair.ask(name).addresses == (before,)
        pair.west.join(pair.east.host)
        seconds_until(lambda: pair.ask(name).addresses == (after,), BACK_WITHIN)
        assert pair.ask(fresh_name()).rcode == NXDOMAIN


@pytest.mark.parametrize("program", VERSIONS)
def test_what_was_known_is_answered_also_where_the_peer_failed_before(
    world: World, tmp_path: Path, program: str
) -> None:
    east, west = (world.network.host(f"10.11.87.{next(_hosts)}") for _ in range(2))
    text = watching(corefile(settings("east"), [at("west", west.address)]), world.apis["east"])
    site = world.site.host.address
    for each in ("east", "starting", "west"):
        (tmp_path / each).mkdir()
    with coredns(east, tmp_path / "east", text, site, coredns_program(program)) as server:
        pair = Neighbours(server, west)
        with coredns(west, tmp_path / "starting", STARTING, site):
            assert pair.ask(POD).rcode == SERVFAIL
        with coredns(west, tmp_path / "west", our_corefile(world, "west", {}), site):
            seconds_until(lambda: pair.ask(POD).rcode == NOERROR, NOTICED_WITHIN)
            west.cut_off(east)
            seconds_until(lambda: pair.ask(fresh_name()).seconds < AT_ONCE, NOTICED_WITHIN)
            assert pair.ask(POD).addresses == (pod_address("west", 10),)


def test_one_dead_address_of_two_delays_the_first_seconds_and_fails_nothing(
    world: World, ours: Fleet, tmp_path: Path
) -> None:
    with neighbours(world, tmp_path, ours, 20, "10.11.87.99") as pair:
        answers: list[Answer] = []

        def is_quick() -> bool:
            answers.append(pair.ask(fresh_name()))
            last = answers[-30:]
            return len(last) == 30 and max(answer.seconds for answer in last) < AT_ONCE

        seconds_until(is_quick, NOTICED_WITHIN)
        assert {answer.rcode for answer in answers} == {NXDOMAIN}
        # One attempt that nobody answers, and the other address.
        assert max(answer.seconds for answer in answers) < 4


def sent_packets(host: Host) -> int:
    lines = Path(f"/proc/{host.pid}/net/dev").read_text().splitlines()
    [counters] = [line.split() for line in lines if line.strip().startswith("eth0:")]
    return int(counters[10])
