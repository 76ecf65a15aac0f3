"""The stretched Galera as rendered: real MariaDB, names by glibc, one cluster and never two."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.mesh.workloads.written import spread, workload
from tests.workloads.galeras import StretchedGalera, root_file_system
from tests.workloads.machines import machines

pytestmark = pytest.mark.drill
GALERA = spread({"kind": "galera"}, east=2, west=1)
EAST_0, EAST_1, WEST_0 = workload(GALERA).members()
SECONDS = 240
SIZE = "SHOW STATUS LIKE 'wsrep_cluster_size'"


@pytest.fixture(scope="module")
def galera(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StretchedGalera]:
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: members on machines of their own need network namespaces: be root")
    directory = tmp_path_factory.mktemp("galera")
    with machines(workload(GALERA), directory) as made, ExitStack() as ends:
        galera = StretchedGalera(made, root_file_system(directory / "root"))
        galera.prepare()
        ends.callback(galera.end)
        yield galera


def until(galera: StretchedGalera, name: str, sql: str, answer: str) -> None:
    end = time.monotonic() + SECONDS
    while (found := galera.ask(name, sql)) != answer:
        assert time.monotonic() < end, (found, galera.log(name)[-3000:])
        time.sleep(1)


def test_no_member_makes_a_cluster_while_another_is_not_there(galera: StretchedGalera) -> None:
    galera.start(EAST_0)
    galera.start(EAST_1)
    status = "SHOW STATUS LIKE 'wsrep_cluster_status'"
    until(galera, EAST_0, status, "wsrep_cluster_status\tDisconnected")
    until(galera, EAST_1, status, "wsrep_cluster_status\tDisconnected")
    time.sleep(5)
    assert "making the cluster" not in galera.log(EAST_0)
    assert galera.verified(EAST_0).returncode == 1


def test_the_members_of_both_sites_form_one_cluster(galera: StretchedGalera) -> None:
    galera.start(WEST_0)
    for name in (EAST_0, EAST_1, WEST_0):
        until(galera, name, SIZE, "wsrep_cluster_size\t3")
    made = [name for name in (EAST_0, EAST_1, WEST_0) if "making the cluster" in galera.log(name)]
    assert made == [EAST_0]
    assert galera.verified(WEST_0).stdout == "all 3 members are in and have the same data\n"


def test_what_one_site_writes_the_other_reads(galera: StretchedGalera) -> None:
    galera.ask(EAST_1, "CREATE DATABASE shop; CREATE TABLE shop.sold (id INT PRIMARY KEY)")
    galera.ask(WEST_0, "INSERT INTO shop.sold VALUES (7)")
    until(galera, EAST_0, "SELECT id FROM shop.sold", "7")


def test_a_first_member_that_lost_its_volume_joins_the_others(galera: StretchedGalera) -> None:
    galera.stop(EAST_0)
    for path in galera.volume(EAST_0).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    galera.start(EAST_0)
    until(galera, EAST_0, "SELECT id FROM shop.sold", "7")
    until(galera, WEST_0, SIZE, "wsrep_cluster_size\t3")
    assert "making the cluster" not in galera.log(EAST_0)


def test_a_first_member_that_lost_its_volume_and_its_peers_waits(galera: StretchedGalera) -> None:
    galera.stop(EAST_0)
    for path in galera.volume(EAST_0).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in (EAST_1, WEST_0):
        galera.machines.hosts[EAST_0].cut_off(galera.machines.hosts[name])
    galera.start(EAST_0)
    status = "SHOW STATUS LIKE 'wsrep_cluster_status'"
    until(galera, EAST_0, status, "wsrep_cluster_status\tDisconnected")
    time.sleep(15)
    assert "making the cluster" not in galera.log(EAST_0)
    for name in (EAST_1, WEST_0):
        galera.machines.hosts[EAST_0].join(galera.machines.hosts[name])
    until(galera, EAST_0, "SELECT id FROM shop.sold", "7")
