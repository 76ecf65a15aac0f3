"""Names between the clusters, through all that happens to them."""

import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lab import kubectl, probe
from lab.link import Link
from tests.whole import lab_command
from tests.whole.answers import (
    COREDNS,
    PATIENCE,
    Answer,
    asked_over_a_cut,
    every_coredns_is_ready,
    known_everywhere,
)
from tests.whole.clone import replace
from tests.whole.figures import keep, until
from tests.whole.names import (
    BOTH_WAYS,
    all_fresh,
    broken_link,
    cluster,
    dig,
    found,
    is_fresh,
    pod_name,
    reached,
)

pytestmark = [pytest.mark.lab, pytest.mark.timeout(600)]

CUT_SECONDS = 60
MOVED = "10.11.84.42"


@pytest.mark.parametrize(("asking", "asked"), BOTH_WAYS)
def test_a_pod_is_found_by_glibc_and_reached_by_its_name(asking: str, asked: str) -> None:
    name = pod_name(asked)
    assert found(asking, name) == probe.pod_address(asked)
    assert reached(asking, name) == asked


def test_names_are_found_again_when_every_coredns_pod_was_deleted() -> None:
    before = {each: kubectl.get(each, *COREDNS)["items"] for each in ("east", "west")}
    for each in before:
        kubectl.run(each, "delete", *COREDNS, "--grace-period=1")
    keep("names are found again after all pods of CoreDNS were deleted", until(all_fresh, 90))
    for each, pods in before.items():
        old = {pod["metadata"]["uid"] for pod in pods}
        assert old.isdisjoint(p["metadata"]["uid"] for p in kubectl.get(each, *COREDNS)["items"])


@dataclass
class Cut:
    """What was seen of a link that was cut for a minute, and after it was mended."""

    known: dict[str, str | None]
    first: list[Answer] = field(default_factory=list)
    later: list[Answer] = field(default_factory=list)
    traffic: set[str | None] = field(default_factory=set)
    at_home: bool = False
    recovered: float = 0.0


@pytest.fixture(scope="module")
def cut() -> Cut:
    """Cut the link for a minute, in which a pod of west gets another address; then mend it."""
    seen = Cut(known=known_everywhere())
    with broken_link(Link.CUT):
        ends = time.monotonic() + CUT_SECONDS
        seen.first, seen.later = asked_over_a_cut(ends - 15, pause=1)
        seen.traffic = {reached(asking, pod_name(asked)) for asking, asked in BOTH_WAYS}
        kubectl.run("west", "delete", "pod", probe.POD, f"--namespace={probe.NAMESPACE}")
        until(lambda: found("west", pod_name("west")) not in (None, seen.known["east"]), 60)
        seen.at_home = reached("west", pod_name("west")) == "west"
        time.sleep(max(0.0, ends - time.monotonic()))
    seen.recovered = until(all_fresh, 240, pause=0.5)
    keep(f"fresh answers and traffic after the link was cut for {CUT_SECONDS} s", seen.recovered)
    return seen


def test_a_cut_link_leaves_the_answers_that_were_known(cut: Cut) -> None:
    assert len(cut.later) >= 3 * 6
    for answer in [*cut.first, *cut.later]:
        assert answer.address == cut.known[answer.asking] is not None


def test_a_cut_link_leaves_no_wrong_answer(cut: Cut) -> None:
    for answer in [*cut.first, *cut.later]:
        assert answer.address in {cut.known[answer.asking], None, ""}


def test_only_the_first_answer_over_a_cut_link_takes_longer_than_a_resolver_waits(cut: Cut) -> None:
    first, later = (max(each.took for each in answers) for answers in (cut.first, cut.later))
    keep("longest wait for a name when the link is cut, with kubectl's own time", first)
    keep("... and for the next ones", later)
    # glibc asks twice.
    assert first < 2 * PATIENCE + 2
    assert later < PATIENCE


def test_a_cut_link_lets_nothing_pass_and_leaves_each_cluster_its_own(cut: Cut) -> None:
    assert cut.traffic == {None}
    assert cut.at_home


def test_a_mended_link_gives_fresh_answers_for_what_changed_meanwhile(cut: Cut) -> None:
    assert cut.recovered < 120
    assert found("east", pod_name("west")) == probe.pod_address("west") != cut.known["east"]


def test_a_member_that_comes_late_is_found_soon_by_who_asked_before() -> None:
    late = pod_name("west", 1)
    scale = ("scale", "statefulset", probe.SERVICE, f"--namespace={probe.NAMESPACE}")
    assert found("east", late) is None
    kubectl.run("west", *scale, "--replicas=2")
    try:
        # Asked again and again, as a database asks for a member that is to come.
        until(lambda: found("west", late), 90)
        visible = until(lambda: found("east", late), 30)
        keep("a late member is visible in the other cluster", visible)
        # It has its name before it listens.
        until(lambda: reached("east", late) == "west", 60)
    finally:
        kubectl.run("west", *scale, "--replicas=1")


def test_names_outlast_a_peer_whose_address_moves(clone: Path) -> None:
    old = cluster("west").dns_address
    assert old is not None
    until(every_coredns_is_ready, 120)
    replace(clone, "west", f"dnsAddress: {old}", f"dnsAddress: {MOVED}")
    assert lab_command.run("up", "west", clone=clone, seconds=400).returncode == 0
    # East has not been told yet: what it knew holds.
    assert found("east", pod_name("west")) == probe.pod_address("west")
    assert lab_command.run("up", "east", clone=clone, seconds=400).returncode == 0
    keep("fresh answers after an address moved and both stacks were upped", until(all_fresh, 60))
    for protocol in ("+notcp", "+tcp"):
        assert dig("east", MOVED, pod_name("west"), protocol) == probe.pod_address("west")
        assert dig("east", old, pod_name("west"), protocol) == ""
    assert is_fresh("west", "east")
