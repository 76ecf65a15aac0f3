"""The table of mesh/corefile/plugins.py, held against CoreDNS itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.paths import cache
from mesh.corefile.plugin_rules import ONCE
from mesh.corefile.plugins import NEWEST, OLDEST, OPTIONS, PLUGINS, known
from tests.dns.conftest import VERSIONS
from tests.dns.plugin_examples import EXAMPLES, HEADS, NEEDED, PASSED_OVER
from tests.dns.verdicts import CoreDns
from tests.lab.conftest import located

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]


@pytest.fixture(scope="module", params=VERSIONS)
def core_dns(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CoreDns:
    program = located("LAB_BIN", cache() / "bin", request.param) / request.param
    return CoreDns(str(program), tmp_path_factory.mktemp("table"))


def lines(plugin: str, option: str) -> str:
    """The plugin with the option, and what else it isn't taken without."""
    inner = dict.fromkeys(filter(None, (NEEDED.get(plugin), EXAMPLES[plugin].get(option, option))))
    return f" {HEADS[plugin]} {{\n" + "".join(f"  {line}\n" for line in inner) + " }\n"


def options(version: str, *, there: bool) -> Iterator[tuple[str, str]]:
    """Every option of the table that CoreDNS has, or hasn't yet."""
    for plugin, table in OPTIONS.items():
        of_it = known(table, version)
        for option in known(table, NEWEST):
            if (option in of_it) is there:
                yield plugin, option


def test_every_option_of_the_table_has_an_example() -> None:
    assert {
        plugin: {*known(table, NEWEST)} - {*EXAMPLES[plugin]} for plugin, table in OPTIONS.items()
    } == {plugin: set() for plugin in EXAMPLES}


def test_the_oldest_and_the_newest_are_asked(core_dns: CoreDns) -> None:
    expected = {"coredns-oldest": OLDEST, "coredns-newest": NEWEST}
    name = Path(core_dns.program).name
    assert core_dns.version == expected.get(name, core_dns.version)


def test_the_plugins_are_those_of_the_table(core_dns: CoreDns) -> None:
    # The last is of CoreDNS's own framework.
    of_it = {*core_dns.said("-plugins").split()} - {"on"}
    assert of_it == {*known(PLUGINS, core_dns.version)}


def test_every_option_is_taken_that_the_table_has(core_dns: CoreDns) -> None:
    there = [lines(plugin, option) for plugin, option in options(core_dns.version, there=True)]
    assert len(there) > 60
    assert core_dns.takes(*there), core_dns.said_last


def test_no_option_is_taken_that_the_table_has_not_yet(core_dns: CoreDns) -> None:
    taken = {
        (plugin, option)
        for plugin, option in options(core_dns.version, there=False)
        if core_dns.takes(lines(plugin, option))
    }
    assert taken <= PASSED_OVER


def test_an_option_that_nobody_knows_is_refused_by_every_plugin(core_dns: CoreDns) -> None:
    # Whatever `hosts` does not know is an entry to it; the others pass it over in some releases.
    taken = {plugin for plugin in OPTIONS if core_dns.takes(lines(plugin, "nobody_knows"))}
    assert taken <= {"hosts", "loadbalance", "ready"}


def test_a_plugin_that_may_be_there_once_is_refused_twice(core_dns: CoreDns) -> None:
    once = [name for name in ONCE.split() if name in HEADS]
    assert len(once) == 8
    for plugin in once:
        twice = 2 * lines(plugin, NEEDED.get(plugin, ""))
        assert not core_dns.takes(twice), plugin
