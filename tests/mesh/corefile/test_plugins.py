from collections.abc import Iterator

import pytest

from mesh.corefile.main_block import MAIN_PLUGINS
from mesh.corefile.plugins import NEWEST, OLDEST, OPTIONS, PLUGINS, first_with, known, unknown
from mesh.corefile.reader import server_blocks
from mesh.render.corefile import corefile
from mesh.versions import CORE_DNS, OLDEST_CORE_DNS, numbers
from tests.mesh.render.clusters import peers, settings

SUPPORTED = [
    version for version in CORE_DNS.values() if numbers(version) >= numbers(OLDEST_CORE_DNS)
]
EXTRA = {
    "plugins": "log\nhosts {\n  10.9.9.9 a.corp.example\n  fallthrough\n}",
    "servers": "corp.example {\n  cache 30\n  forward . 10.0.0.53\n}",
}


def every_corefile() -> Iterator[str]:
    """One of each mode, exposure and knob."""
    for dns in (
        {},
        {"forwarding": False},
        {"mode": "domain"},
        {"mode": "namespaces", "namespaces": ["shop"]},
        {"exposure": "nodePort"},
        {"serveStaleSeconds": 0, "cacheSeconds": 30, "denialCacheSeconds": 30, "expireSeconds": 1},
        {"extra": EXTRA},
    ):
        yield corefile(settings("east", dns=dns), peers("west", "north"))


@pytest.mark.parametrize("version", [*SUPPORTED, NEWEST])
def test_every_supported_coredns_knows_all_that_is_rendered(version: str) -> None:
    for text in every_corefile():
        for block in server_blocks(text):
            assert [*unknown(block, version)] == []


def test_the_table_begins_with_the_oldest_coredns_and_reaches_all_others() -> None:
    assert OLDEST == OLDEST_CORE_DNS
    assert all(numbers(version) <= numbers(NEWEST) for version in SUPPORTED)


def test_the_plugins_of_the_first_block_are_those_a_user_may_not_add() -> None:
    first, *_ = server_blocks(corefile(settings("east"), []))
    rendered = {plugin.name for plugin in first.inner()}
    assert rendered == {*MAIN_PLUGINS.split(), "rewrite"}


def test_the_versions_of_a_table_ascend() -> None:
    for table in (PLUGINS, *OPTIONS.values()):
        assert [*table] == sorted(table, key=numbers)
        names = " ".join(table.values()).split()
        assert len({*names}) == len(names)


def test_a_name_is_known_from_its_release_on() -> None:
    assert first_with("failover", OPTIONS["forward"]) == "1.13.0"
    assert "failover" not in known(OPTIONS["forward"], "1.12.4")
    assert "failover" in known(OPTIONS["forward"], "1.13.0")
    assert first_with("kubernetai", PLUGINS) is None


def test_a_coredns_that_is_refused_anyway_is_taken_for_the_oldest() -> None:
    assert known(PLUGINS, "1.11.3") == known(PLUGINS, OLDEST)
