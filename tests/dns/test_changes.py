"""How soon a change in one cluster is seen in another."""

import time
from collections.abc import Iterator

import pytest
from dns.rcode import NXDOMAIN

from tests.dns.fleets import Fleet, World
from tests.dns.objects import endpoint, pod_address
from tests.dns.servers import Server

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

NAME = "late-0.late.shop.west.mesh.example."
ARRIVES_WITHIN, CHANGES_WITHIN = 4, 7
"""Seconds: two and five in the cache of the asker, and what the owner needs to hear of it."""
FIRST, SECOND = (pod_address("west", last) for last in (24, 25))


@pytest.fixture
def east(world: World, ours: Fleet) -> Iterator[Server]:
    yield ours["east"]
    world.apis["west"].set_endpoints("shop", "late", [])


def seconds_until(east: Server, addresses: list[str]) -> float:
    began = time.monotonic()
    while True:
        reply = east.ask(NAME, "A")
        found = [record.to_text() for rrset in reply.answer for record in rrset]
        if found == addresses:
            return time.monotonic() - began
        assert time.monotonic() < began + 30, f"{found} after 30 s"
        time.sleep(0.1)


def test_a_member_that_starts_late_is_seen_soon_and_so_is_its_end(
    world: World, east: Server
) -> None:
    west = world.apis["west"]
    # The asker has just heard that there is none.
    assert east.ask(NAME, "A").rcode() == NXDOMAIN
    for addresses, limit in (
        ([FIRST], ARRIVES_WITHIN),
        ([SECOND], CHANGES_WITHIN),
        ([], CHANGES_WITHIN),
    ):
        west.set_endpoints("shop", "late", [endpoint(one, "late-0") for one in addresses])
        assert seconds_until(east, addresses) < limit
