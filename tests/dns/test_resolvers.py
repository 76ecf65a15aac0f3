from collections.abc import Mapping

import pytest

from tests.dns.fleets import Fleet
from tests.dns.objects import CROWD, LONG, MANY, pod_address, service_address
from tests.dns.resolvers import RESOLVERS, Resolvers

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

NORTH_POD = pod_address("north", 10)
WEST_POD = pod_address("west", 10)
WEST_PODS = {pod_address("west", last) for last in (10, 11, 12)}
ALL_MANY = {pod_address("west", 40 + n) for n in range(MANY)}
ALL_CROWD = {pod_address("west", 100 + n) for n in range(CROWD)}

NAMES: Mapping[str, set[str]] = {
    # What only the own cluster knows, as before any mesh.
    "db-0.db": {pod_address("east", 10)},
    "db-0.db.shop.svc.cluster.local": {pod_address("east", 10)},
    # The same words in every cluster.
    "db-0.db.shop.east.mesh.example": {pod_address("east", 10)},
    "db-0.db.shop.svc.east.mesh.example": {pod_address("east", 10)},
    "db-0.db.shop.west.mesh.example": {WEST_POD},
    "db-0.db.shop.svc.west.mesh.example": {WEST_POD},
    "db-0.db.shop.west.mesh.example.": {WEST_POD},
    "DB-0.Db.Shop.wEsT.mEsH.eXaMpLe": {WEST_POD},
    "db.shop.west.mesh.example": WEST_PODS,
    "front.shop.west.mesh.example": {service_address("west")},
    f"{LONG}.{LONG}.shop.west.mesh.example": {pod_address("west", 20)},
    # Answers that pass 512 bytes, and those that pass every datagram.
    "many.shop.west.mesh.example": ALL_MANY,
    "crowd.shop.west.mesh.example": ALL_CROWD,
    # Services that are another name.
    "inside.shop.west.mesh.example": {WEST_POD},
    "elsewhere.shop.west.mesh.example": {NORTH_POD},
    "outside.shop.west.mesh.example": {"192.0.2.10"},
    # Names that hold a zone once more.
    "west.mesh.example.east.mesh.example": {pod_address("east", 21)},
    "east.mesh.example.east.mesh.example": {pod_address("east", 22)},
    "east.mesh.example.west.mesh.example": {pod_address("west", 22)},
    "db-0.west.east.west.mesh.example": {pod_address("west", 23)},
    # Nothing there.
    "db-9.db.shop.west.mesh.example": set(),
    "db-0.db.shop.nowhere.mesh.example": set(),
}
STRICT = {"glibc", "dnspython"}
"""Resolvers that look at whose answer it is; musl, Go and c-ares do not, and dig says anything."""
ARTICLES_FAIL: Mapping[str, set[str]] = {
    # The second shape of a name is made into one that no cluster has.
    "db-0.db.shop.svc.east.mesh.example": set(RESOLVERS),
    "db-0.db.shop.svc.west.mesh.example": set(RESOLVERS),
    # Every occurrence of the zone is rewritten, not just the last.
    "east.mesh.example.east.mesh.example": set(RESOLVERS),
    # glibc follows an alias without looking whose it is.
    "inside.shop.west.mesh.example": {"dnspython"},
    "outside.shop.west.mesh.example": {"dnspython"},
    # No mesh in these.
    "db-0.db": set(),
    "db-0.db.shop.svc.cluster.local": set(),
    "db-9.db.shop.west.mesh.example": set(),
    "db-0.db.shop.nowhere.mesh.example": set(),
}
"""Who does not find a name with the articles' Corefile, where that is not just the strict ones."""
WHOLE_DATAGRAM = 20
"""Fewer addresses than what is left of a datagram of 512 bytes holds."""

EACH_NAME = pytest.mark.parametrize("name", NAMES, ids=lambda name: name.replace(LONG, "63-bytes"))


@pytest.mark.parametrize("resolver", RESOLVERS)
@EACH_NAME
def test_every_resolver_finds_what_there_is(
    ours: Fleet, resolvers: Resolvers, resolver: str, name: str
) -> None:
    found = resolvers.addresses(resolver, ours["east"].host, name)
    assert is_right(resolver, name, found), found


@EACH_NAME
def test_the_articles_corefile_fails_where_we_say_so(
    the_articles: Fleet, resolvers: Resolvers, name: str
) -> None:
    host = the_articles["east"].host
    failing = {
        resolver
        for resolver in RESOLVERS
        if not is_right(resolver, name, resolvers.addresses(resolver, host, name))
    }
    assert failing == ARTICLES_FAIL.get(name, STRICT)


def is_right(resolver: str, name: str, found: set[str]) -> bool:
    """Whether that is what the name stands for; musl before 1.2.4 knows no TCP and takes a part."""
    if resolver == "musl" and len(NAMES[name]) > WHOLE_DATAGRAM:
        return found <= NAMES[name] and len(found) >= WHOLE_DATAGRAM
    return found == NAMES[name]
