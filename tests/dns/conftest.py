"""Three clusters' worth of real API servers and CoreDNS, made once for all the DNS tests."""

import os
from collections.abc import Iterator

import pytest

from lab.paths import cache
from tests.dns.fleets import Fleet, World, fleet
from tests.dns.mixed import mixed_fleet
from tests.dns.objects import NUMBERS
from tests.dns.resolvers import Resolvers, built
from tests.dns.worlds import running_world
from tests.lab.conftest import located

VERSIONS = ["coredns", "coredns-oldest", "coredns-newest"]
"""The lab's, that of the oldest Kubernetes we know, and the newest there is."""


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: the DNS tests make network namespaces: run them as root")
    with running_world(tmp_path_factory.mktemp("world"), *NUMBERS) as running:
        yield running


@pytest.fixture(scope="session")
def ours(world: World) -> Iterator[Fleet]:
    with fleet(world, "ours", 0) as started:
        yield started


@pytest.fixture(scope="session")
def the_articles(world: World) -> Iterator[Fleet]:
    with fleet(world, "articles", 1, ours=False) as started:
        yield started


@pytest.fixture(scope="session")
def resolvers(tmp_path_factory: pytest.TempPathFactory) -> Resolvers:
    return built(tmp_path_factory.mktemp("resolvers"))


@pytest.fixture(scope="session", params=VERSIONS)
def every_version(request: pytest.FixtureRequest, world: World) -> Iterator[Fleet]:
    number = VERSIONS.index(request.param)
    if number == 0:
        yield request.getfixturevalue("ours")
        return
    with fleet(world, request.param, number + 1, program=coredns_program(request.param)) as started:
        yield started


@pytest.fixture(scope="session")
def mixed(world: World) -> Iterator[Fleet]:
    with mixed_fleet(world, "mixed", 4) as started:
        yield started


@pytest.fixture(scope="session", params=VERSIONS)
def every_mixed(request: pytest.FixtureRequest, world: World) -> Iterator[Fleet]:
    number = VERSIONS.index(request.param)
    if number == 0:
        yield request.getfixturevalue("mixed")
        return
    name = f"mixed-{request.param}"
    with mixed_fleet(world, name, number + 4, coredns_program(request.param)) as started:
        yield started


def coredns_program(name: str) -> str:
    return str(located("LAB_BIN", cache() / "bin", name) / name)
