import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.corefile.block import Block, text
from mesh.corefile.reader import blocks, directives, server_blocks
from mesh.corefile.words import CorefileError, quoted
from mesh.render.corefile import corefile
from tests.mesh.render.clusters import peers, settings

PRINTABLE = st.characters(exclude_categories=("C", "Zl", "Zp"), exclude_characters="\n")


def is_a_word(word: str) -> bool:
    reserved = word in ("{", "}", "import") or "{$" in word or "{%" in word
    # A backslash before a quote or at the end could not be written in quotes.
    return not reserved and ("\\" not in word or quoted(word) == word)


WORDS = st.text(PRINTABLE, max_size=8).filter(is_a_word)
LINES = st.lists(WORDS, min_size=1, max_size=4).map(lambda found: " ".join(map(quoted, found)))
ZONES = st.from_regex(r"[a-z]{1,5}(\.[a-z]{1,5}){0,2}(:53)?", fullmatch=True)
OPTIONS = st.builds(Block, LINES, st.lists(LINES, max_size=3).map(tuple))
PLUGINS = st.builds(Block, LINES, st.lists(st.one_of(LINES, OPTIONS), max_size=4).map(tuple))
SERVERS = st.builds(
    Block,
    st.lists(ZONES, min_size=1, max_size=3).map(" ".join),
    st.lists(st.one_of(LINES, PLUGINS), max_size=4).map(tuple),
)


@given(st.lists(SERVERS, max_size=3))
def test_what_is_rendered_is_read_as_it_was(written: list[Block]) -> None:
    assert [*blocks("".join(map(text, written)))] == written


@given(st.text(max_size=60) | st.text(' \n\t{}"\\#$,.a:', max_size=30))
def test_any_text_is_read_or_refused_with_a_line_and_words(anything: str) -> None:
    read, refused = read_or_refused(anything)
    if refused:
        assert 1 <= refused.line <= anything.count("\n") + 1
        assert refused.reason
        assert refused.instead
    assert blocks("".join(map(text, read))) == read


def read_or_refused(anything: str) -> tuple[tuple[Block, ...], CorefileError | None]:
    try:
        return blocks(anything), None
    except CorefileError as error:
        return (), error


def test_our_own_corefile_is_read_as_it_was() -> None:
    ours = corefile(settings("east"), peers("west"))
    assert "".join(map(text, blocks(ours))) == ours


@pytest.mark.parametrize(
    "written",
    [
        "corp.example { forward . 10.0.0.53 }",
        "corp.example\n{\n  forward . 10.0.0.53\n}",
        "corp.example { # ours\n forward . 10.0.0.53 # theirs\n}",
        '"corp.example" { forward "." 10.0.0.53 }',
        "\n\n\tcorp.example   {\r\n\tforward    .   10.0.0.53\r\n }",
    ],
)
def test_people_write_braces_blanks_and_remarks_as_they_like(written: str) -> None:
    assert blocks(written) == (Block("corp.example", ("forward . 10.0.0.53",)),)


def test_a_block_may_have_many_zones_over_many_lines() -> None:
    [block] = server_blocks("a.example, b.example,\n c.example:53 d.example {\n  errors\n}")
    assert block.words == ("a.example", "b.example", "c.example:53", "d.example")


def test_quotes_keep_blanks_remarks_and_quotes_in_a_word() -> None:
    [line] = directives(r'answer "{{ .Name }} 60 IN TXT \"a # b\"" \d+')
    assert line.arguments == ('{{ .Name }} 60 IN TXT "a # b"', r"\d+")
    assert line.written() == r'answer "{{ .Name }} 60 IN TXT \"a # b\"" \d+'


def test_every_directive_knows_its_line() -> None:
    [block] = server_blocks("# first\na.example {\n  errors\n  hosts {\n    ttl 5\n  }\n}")
    errors, hosts = block.inner()
    assert (block.line, errors.line, hosts.line, hosts.inner()[0].line) == (2, 3, 4, 5)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("a.example {\n  errors\n", "line 1: has a { without its }"),
        ("a.example { errors }\n}", "line 2: has a } too many"),
        ("a.example {\n  { errors }\n}", "line 2: has a { without a name before it"),
        ("a.example\nerrors", "line 1: has no braces after a.example"),
        ('a.example {\n  log "x\n}', "line 2: has a quote without its end"),
        ('a.example {\n  log "x\ny"\n}', "line 2: has quotes over several lines"),
        ("a.example {\n  health{\n  }\n}", "line 2: has 'health{' for a brace"),
        ("a.example {\n  health {}\n}", "line 2: has '{}' for a brace"),
        ("(common) {\n  errors\n}", "line 1: defines a snippet"),
        ("a.example {\n  import common\n}", "line 2: imports a file or a snippet"),
        ("import /etc/coredns/custom/*.server", "line 1: imports a file or a snippet"),
        ("a.example {\n  forward . {$UPSTREAM}\n}", "line 2: takes a value from CoreDNS's"),
        ("a.example {\n  forward . {%UPSTREAM%}\n}", "line 2: takes a value from CoreDNS's"),
        ("a " + "{ b " * 2000, "line 1: has too many braces within braces"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(written: str, says: str) -> None:
    with pytest.raises(CorefileError) as caught:
        server_blocks(written)
    assert str(caught.value).startswith(says)
