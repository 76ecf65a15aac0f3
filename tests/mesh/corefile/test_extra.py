from hypothesis import given
from hypothesis import strategies as st

from mesh.corefile.block import text
from mesh.corefile.extra import extra_parts, extra_servers, wrong_in_plugins, wrong_in_servers
from mesh.corefile.plugins import NEWEST, OLDEST, OPTIONS, PLUGINS, known
from mesh.corefile.reader import blocks
from mesh.corefile.server_rules import HeldZones
from mesh.corefile.words import CorefileError

HELD = HeldZones(
    {"east.mesh.example": "which is cluster.zone", "cluster.local": "Kubernetes' own"},
    {"west.mesh.example": "which is asked of west"},
)
ZONES = st.sampled_from(
    [".", "a.b", "a.b:53", "east.mesh.example", "10.0.0.0/9", "::/3", "a.b:1053", "tls://a.b", '""']
)
WORDS = 'stop continue name suffix . answer auto 127.0.0.1 /etc/hosts 5 :53 :9153 IN A é ٣ ""'
ARGUMENTS = st.sampled_from([*WORDS.split(), f":{5000 * '9'}"])
NAMES = st.sampled_from([*known(PLUGINS, NEWEST), *known(OPTIONS["forward"], NEWEST), "10.9.9.9"])
LINES = st.tuples(NAMES, st.lists(ARGUMENTS, max_size=4)).map(
    lambda line: " ".join([line[0], *line[1]])
)


def braced(heads: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(heads, st.lists(LINES, max_size=3)).map(
        lambda found: f"{found[0]} {{\n" + "".join(f"{line}\n" for line in found[1]) + "}"
    )


PLUGIN_TEXTS = st.lists(st.one_of(LINES, braced(LINES)), max_size=5).map("\n".join)
SERVER_TEXTS = st.lists(
    st.tuples(ZONES, PLUGIN_TEXTS).map(lambda one: f"{one[0]} {{\n{one[1]}\n}}"), max_size=3
).map("\n".join)
VERSIONS = st.sampled_from([OLDEST, NEWEST])


@given(PLUGIN_TEXTS | SERVER_TEXTS, VERSIONS)
def test_whatever_is_added_is_taken_or_refused_in_words(written: str, version: str) -> None:
    for look in (wrong_in_plugins, wrong_in_servers):
        try:
            found = look(written, HELD, version)
        except CorefileError:
            continue
        assert all(1 <= wrong.line <= written.count("\n") + 1 for wrong in found)
        assert [wrong.line for wrong in found] == sorted(wrong.line for wrong in found)
        assert all(wrong.reason and wrong.instead for wrong in found)


@given(SERVER_TEXTS, VERSIONS)
def test_what_is_taken_is_rendered_with_its_ports_and_means_the_same(
    written: str, version: str
) -> None:
    if not wrong_in_servers(written, HELD, version):
        rendered = extra_servers(written)
        assert blocks("".join(map(text, rendered))) == rendered
        assert [one.body for one in rendered] == [one.body for one in blocks(written)]
        assert all(":" in zone for one in rendered for zone in one.head.split())


def test_lines_keep_their_braces_and_order() -> None:
    assert [*map(str, extra_parts("log\nnsid a"))] == ["log", "nsid a"]
