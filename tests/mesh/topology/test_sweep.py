"""The sweep finds what comparing each with each would find."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from mesh.topology.sweep import Claim, clashes, shared

KINDS = ("pods", "nodes", "services")
APART = [("pods", "pods"), ("pods", "nodes"), ("nodes", "services")]


@st.composite
def claims(draw: st.DrawFn) -> list[Claim]:
    made = []
    for number in range(draw(st.integers(0, 12))):
        first, length = draw(st.integers(0, 40)), draw(st.integers(0, 12))
        kind = draw(st.sampled_from(KINDS))
        made.append(Claim(kind, first, first + length, str(number), {f"c{number}": kind}))
    return made


def compared(all_claims: list[Claim]) -> set[frozenset[str]]:
    return {
        frozenset((one.shown, other.shown))
        for one, other in combinations(all_claims, 2)
        if {(one.kind, other.kind), (other.kind, one.kind)} & {*APART}
        if one.first <= other.last and other.first <= one.last
    }


@settings(max_examples=300)
@given(claims())
def test_nothing_is_told_that_is_right_and_of_what_overlaps_one_is_always_told(
    all_claims: list[Claim],
) -> None:
    told = [frozenset((c.one.shown, c.other.shown)) for c in clashes(all_claims, APART)]
    right = compared(all_claims)
    assert len(told) == len({*told})
    assert {*told} <= right
    if len(all_claims) <= 4:
        assert {*told} == right
    named = {name for pair in told for name in pair}
    assert all(pair & named for pair in right)


def test_few_that_overlap_are_all_told() -> None:
    four = [Claim("pods", 0, 9 - number, str(number), {f"c{number}": ""}) for number in range(4)]
    assert len([*clashes(four, APART)]) == 6


def test_a_claim_of_several_is_one_and_is_told_of_the_one_that_meets_itself() -> None:
    nodes = [Claim("nodes", 0, 9, "x", {stack: "nodeCidr"}) for stack in ("a", "b", "c")]
    pods = Claim("pods", 5, 5, "y", {"b": "podCidr"})
    [clash] = clashes(shared([*nodes, pods], "nodes"), APART)
    assert (clash.stack, clash.other_stack) == ("b", "b")
    assert clash.turned().one.shown == "x"
