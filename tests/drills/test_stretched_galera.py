"""A MariaDB with Galera over both clusters: its members are glibc programs with a list of names."""

import time
from collections.abc import Iterator

import pytest

from lab import kubectl
from lab.link import Link
from tests.whole import clone as clones
from tests.whole import lab_command, stretched
from tests.whole.figures import keep, until
from tests.whole.galera import (
    ALL,
    EAST,
    SETTINGS,
    TABLE,
    WEST,
    WORKLOAD,
    all_synced,
    log,
    start_clients,
)
from tests.whole.names import broken_link

pytestmark = [pytest.mark.drill, pytest.mark.timeout(5000)]

# Galera gives up a member after 30 s of silence, and its own side after 60.
CUT_SECONDS = 90
SUSPECT_SECONDS = 65


@pytest.fixture(scope="module", autouse=True)
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Both clusters with the database, a client in each, and the table they write to."""
    clone = clones.clone(tmp_path_factory.mktemp("clone"))
    stretched.add(clone, SETTINGS)
    lab_command.run("down")
    assert lab_command.run("up", clone=clone, seconds=5000).returncode == 0
    keep("Galera is whole after the last up, at most", until(_verified, 600, pause=1))
    start_clients()
    until(all_synced, 120, pause=1)
    database, _, _ = TABLE.partition(".")
    EAST[0].run(f"CREATE DATABASE IF NOT EXISTS {database}", seconds=30)
    EAST[0].run(f"CREATE TABLE IF NOT EXISTS {TABLE} (thing VARCHAR(60) PRIMARY KEY)", seconds=30)
    yield
    lab_command.run("down")


def _verified() -> bool:
    return stretched.verified(WORKLOAD)


@pytest.mark.parametrize("asked_from", stretched.CLUSTERS)
def test_every_member_answers_both_clusters_by_its_name_in_the_mesh(asked_from: str) -> None:
    for member in ALL:
        named = member.run("SELECT @@wsrep_node_address", asked_from=asked_from)
        assert named == [member.name]


def test_a_member_without_data_got_all_of_it_from_another_clusters_member() -> None:
    assert "State transfer" in log(WEST[0]) or "SST received" in log(WEST[0])


def test_what_is_written_in_one_cluster_is_read_in_the_other() -> None:
    assert EAST[1].write("from-east")
    assert WEST[0].write("from-west")
    for member in ALL:
        assert {"from-east", "from-west"} <= member.rows(asked_from="west")


def test_a_lost_site_refuses_and_the_other_goes_on_and_all_is_there_when_it_is_back() -> None:
    with broken_link(Link.CUT):
        decided = time.monotonic() + SUSPECT_SECONDS
        east, west = stretched.write_on_both_sides(EAST[0].write, WEST[0].write, CUT_SECONDS)
    keep("Galera is one again after a cut link", until(all_synced, 240, pause=1))
    kept = [member.rows() for member in ALL]
    told = stretched.judge_a_cut(east, west, decided, kept)
    print(f"{told} rows were acknowledged while the link was cut, and all are there")


def test_a_region_scaled_to_zero_comes_back_with_what_was_written_meanwhile() -> None:
    stretched.scale("west", WORKLOAD, 0)
    assert EAST[0].write("without-west")
    stretched.scale("west", WORKLOAD, 1)
    keep("Galera has a scaled region back", until(all_synced, 180, pause=1))
    assert "without-west" in WEST[0].rows()


def test_a_member_that_left_for_good_is_started_anew() -> None:
    # As Galera leaves it that finds its data inconsistent: it runs, and never comes back.
    EAST[1].run("SET GLOBAL wsrep_cluster_address = ''")
    until(lambda: not EAST[1].is_synced(), 30)
    keep("Galera has a member back that had left", until(all_synced, 240, pause=1))
    pod = kubectl.get("east", "pod", EAST[1].pod, f"--namespace={WORKLOAD}")
    [container] = pod["status"]["containerStatuses"]
    assert container["restartCount"] == 1
