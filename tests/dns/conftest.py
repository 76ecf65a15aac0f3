"""Three clusters' worth of real API servers and CoreDNS, made once for all the DNS tests."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from lab.paths import cache
from tests.dns import kubernetes_api
from tests.dns.fleets import Fleet, World, fleet
from tests.dns.hosts import Network
from tests.dns.objects import NUMBERS, objects
from tests.dns.resolvers import Resolvers, built
from tests.dns.servers import site_resolver
from tests.lab.conftest import located

VERSIONS = ["coredns", "coredns-oldest", "coredns-newest"]
"""The lab's, that of the oldest Kubernetes we know, and the newest there is."""


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with ExitStack() as ends:
        network = ends.enter_context(Network())
        apis = {}
        for name, number in NUMBERS.items():
            host = network.host(f"10.11.85.{number}")
            directory = tmp_path_factory.mktemp(name)
            serving = kubernetes_api.serving(host, directory, f"10.20{number}.0.0/16")
            apis[name] = ends.enter_context(serving)
        resolver = network.host("10.11.84.2")
        site = ends.enter_context(site_resolver(resolver, tmp_path_factory.mktemp("site")))
        for name, api in apis.items():
            kubernetes_api.wait(api)
            api.create(objects(name))
        yield World(network, apis, site, tmp_path_factory.mktemp("fleets"))


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
    program = located("LAB_BIN", cache() / "bin", request.param) / request.param
    with fleet(world, request.param, number + 1, program=str(program)) as started:
        yield started
