"""An etcd over both clusters: two members in east, one in west."""

import time

import pytest

from lab.link import Link
from tests.whole import stretched
from tests.whole.etcd import ALL, EAST, WEST, WORKLOAD
from tests.whole.figures import keep, until
from tests.whole.names import broken_link

pytestmark = [pytest.mark.lab, pytest.mark.timeout(600)]

CUT_SECONDS = 30
# etcd misses its leader for five seconds before it chooses another; some more for the machine.
ELECTION_SECONDS = 12


def all_serve() -> bool:
    """Whether a majority is read through every member."""
    return all(member.serves() for member in ALL)


def test_what_is_written_in_one_cluster_is_read_in_the_other() -> None:
    assert EAST[0].write("hello/from-east")
    assert WEST[0].write("hello/from-west")
    for member in ALL:
        assert member.keys("hello/") == {"hello/from-east", "hello/from-west"}


def test_a_killed_member_is_missed_by_nobody_and_comes_back_with_its_data() -> None:
    stretched.kill("east", WORKLOAD, EAST[1].pod)
    meanwhile = {f"killed/{number}" for number in range(5)}
    assert all(WEST[0].write(key) for key in meanwhile)
    keep("a killed member of etcd serves again", until(EAST[1].serves, 120))
    assert meanwhile | {"hello/from-east"} <= EAST[1].own_keys()


def test_a_cut_link_stops_the_minority_alone_and_loses_nothing() -> None:
    with broken_link(Link.CUT):
        settled = time.monotonic() + ELECTION_SECONDS
        east, west = stretched.write_on_both_sides(EAST[0].write, WEST[0].write, CUT_SECONDS)
    keep("etcd is one again after a cut link", until(all_serve, 120))
    kept = [member.keys("cut/") for member in ALL]
    told = stretched.judge_a_cut(east, west, settled, kept)
    print(f"{told} writes were acknowledged while the link was cut, and all are there")


def test_a_region_without_members_is_missed_by_nobody_when_it_was_the_smaller() -> None:
    stretched.scale("west", WORKLOAD, 0)
    assert EAST[0].write("scaled/without-west")
    stretched.scale("west", WORKLOAD, 1)
    until(all_serve, 60)
    assert "scaled/without-west" in WEST[0].own_keys()


def test_a_region_without_members_stops_the_other_when_it_had_most() -> None:
    stretched.scale("east", WORKLOAD, 0)
    assert not WEST[0].write("scaled/without-east")
    assert not WEST[0].serves()
    stretched.scale("east", WORKLOAD, 2)
    keep("etcd serves again when the larger region is back", until(all_serve, 120))
    assert WEST[0].write("scaled/with-all")
    assert "scaled/without-west" in EAST[0].keys("scaled/")
