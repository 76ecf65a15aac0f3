"""The stretched etcd as rendered: real processes, real names, real TLS, one cluster."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from lab.paths import cache
from tests.lab.conftest import located
from tests.mesh.workloads.written import LEDGER, workload
from tests.workloads.etcds import StretchedEtcd
from tests.workloads.machines import machines

pytestmark = pytest.mark.engine
SECONDS = 180
EAST_0, EAST_1, WEST_0 = workload(LEDGER).members()


@pytest.fixture(scope="module")
def etcd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StretchedEtcd]:
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: members on machines of their own need network namespaces: be root")
    programs = located("LAB_BIN", cache() / "bin", "etcd")
    directory = tmp_path_factory.mktemp("etcd")
    with machines(workload(LEDGER), directory) as made, ExitStack() as ends:
        etcd = StretchedEtcd(made, programs)
        ends.callback(etcd.end)
        yield etcd


def until(answers: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while True:
        try:
            if answers():
                return
        except OSError:
            pass
        assert time.monotonic() < end
        time.sleep(0.3)


def takes(etcd: StretchedEtcd, name: str, value: str) -> bool:
    return "header" in etcd.ask(name, "/v3/kv/put", key="greeting", value=value)


def serves(etcd: StretchedEtcd, name: str) -> bool:
    return "header" in etcd.ask(name, "/v3/kv/range", key="greeting")


def test_one_site_alone_waits_for_its_peer(etcd: StretchedEtcd) -> None:
    etcd.start(WEST_0)
    time.sleep(3)
    with pytest.raises(OSError, match=r"refused|timed out"):
        etcd.ask(WEST_0, "/v3/kv/range", key="greeting")


def test_the_members_of_both_sites_form_one_cluster(etcd: StretchedEtcd) -> None:
    etcd.start(EAST_0)
    etcd.start(EAST_1)
    for name in (EAST_0, EAST_1, WEST_0):
        until(lambda name=name: serves(etcd, name))  # type: ignore[misc]
    members = etcd.ask(WEST_0, "/v3/cluster/member/list")["members"]
    assert {one["name"] for one in members} == {EAST_0, EAST_1, WEST_0}
    assert {url for one in members for url in one["clientURLs"]} == {
        f"https://{name}:2379" for name in (EAST_0, EAST_1, WEST_0)
    }


def test_what_one_site_writes_the_other_reads(etcd: StretchedEtcd) -> None:
    assert takes(etcd, EAST_1, "from east")
    [found] = etcd.ask(WEST_0, "/v3/kv/range", key="greeting")["kvs"]
    assert found["value"] == "ZnJvbSBlYXN0"


def test_the_job_that_verifies_ends_well_when_all_are_in(etcd: StretchedEtcd) -> None:
    located("LAB_BIN", cache() / "bin", "etcdctl")
    for name in (EAST_0, WEST_0):
        subprocess.run(etcd.task(name, "verify"), check=True, timeout=60)
    etcd.stop(EAST_1)
    assert subprocess.run(etcd.task(WEST_0, "verify"), timeout=60, check=False).returncode
    etcd.start(EAST_1)
    until(lambda: serves(etcd, EAST_1))


def test_a_member_that_was_killed_comes_back_with_its_data(etcd: StretchedEtcd) -> None:
    etcd.stop(EAST_0)
    until(lambda: takes(etcd, WEST_0, "while east-0 was away"))  # if it was the leader, later
    etcd.start(EAST_0)
    until(lambda: serves(etcd, EAST_0))
    [found] = etcd.ask(EAST_0, "/v3/kv/range", key="greeting")["kvs"]
    assert found["value"] == "d2hpbGUgZWFzdC0wIHdhcyBhd2F5"


def test_the_smaller_side_refuses_while_the_sites_are_apart(etcd: StretchedEtcd) -> None:
    for name in (EAST_0, EAST_1):
        etcd.machines.hosts[WEST_0].cut_off(etcd.machines.hosts[name])
    until(lambda: serves(etcd, EAST_0))
    until(lambda: takes(etcd, EAST_0, "from the majority"))
    try:
        answer = etcd.ask(WEST_0, "/v3/kv/put", key="greeting", value="from the minority")
    except OSError:
        answer = {}
    assert "header" not in answer
    for name in (EAST_0, EAST_1):
        etcd.machines.hosts[WEST_0].join(etcd.machines.hosts[name])
    until(lambda: serves(etcd, WEST_0))
    [found] = etcd.ask(WEST_0, "/v3/kv/range", key="greeting")["kvs"]
    assert found["value"] == "ZnJvbSB0aGUgbWFqb3JpdHk="
