"""The clusters of the tests, ready to be asked: their API servers and what is in them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.dns import kubernetes_api
from tests.dns.fleets import World
from tests.dns.hosts import Network
from tests.dns.objects import NUMBERS, objects
from tests.dns.servers import site_resolver


@contextmanager
def running_world(directory: Path, *clusters: str) -> Iterator[World]:
    """The clusters with their Services, and the site's resolver; nothing of it outlives the block.

    Only root may make it: PermissionError for others.
    """
    with ExitStack() as ends:
        network = ends.enter_context(Network())
        apis = {}
        for name in clusters:
            number = NUMBERS[name]
            (directory / name).mkdir()
            host = network.host(f"10.11.85.{number}")
            serving = kubernetes_api.serving(host, directory / name, f"10.20{number}.0.0/16")
            apis[name] = ends.enter_context(serving)
        (directory / "site").mkdir()
        resolver = network.host("10.11.84.2")
        site = ends.enter_context(site_resolver(resolver, directory / "site"))
        for name, api in apis.items():
            kubernetes_api.wait(api)
            api.create(objects(name))
        (directory / "fleets").mkdir()
        yield World(network, apis, site, directory / "fleets")
