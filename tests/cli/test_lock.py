import json
import os
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cli.failure import Failure
from cli.repair import lock
from cli.repair.lock import Holder, Lock, reason_to_keep, state_directory

MADE = datetime(2026, 11, 30, 15, 54, 54, 999999, UTC)
LOCK = Lock(Path("lock.json"), 21622, "ann", "laptop", MADE)
ENGINE = Holder("/usr/bin/pulumi up -s east", MADE - timedelta(seconds=2))
REAL = (
    '{"pid":21622,"username":"root","hostname":"vm","timestamp":"2026-11-30T15:54:54.965704311Z"}'
)


def test_a_lock_whose_process_is_gone_may_go() -> None:
    assert reason_to_keep(LOCK, "laptop", None) is None


def test_a_lock_whose_pid_is_another_programs_now_may_go() -> None:
    assert reason_to_keep(LOCK, "laptop", replace(ENGINE, command="/usr/bin/vim")) is None


def test_a_lock_whose_pid_is_a_later_engines_now_may_go() -> None:
    later = replace(ENGINE, started=MADE + timedelta(minutes=1))
    assert reason_to_keep(LOCK, "laptop", later) is None


def test_a_living_engine_keeps_its_lock_and_is_named() -> None:
    reason = reason_to_keep(LOCK, "laptop", ENGINE) or ""
    assert "pid 21622 of ann on laptop" in reason
    assert "is running" in reason


def test_another_machines_lock_is_kept_and_the_way_out_is_told() -> None:
    reason = reason_to_keep(LOCK, "desktop", None) or ""
    assert "ann on laptop" in reason
    assert "this is desktop" in reason
    assert "`pulumi cancel`" in reason


@pytest.mark.parametrize(
    ("backend", "directory"),
    [
        ("file:///srv/state", "/srv/state/.pulumi"),
        ("file:///srv/my%20state?no_tmp_dir=true", "/srv/my state/.pulumi"),
        ("file://../state", "/project/../state/.pulumi"),
        ("file://~", f"{Path.home()}/.pulumi"),
        ("s3://bucket", None),
        ("https://api.pulumi.com", None),
    ],
)
def test_the_state_of_a_file_backend_is_found(backend: str, directory: str | None) -> None:
    found = state_directory(backend, Path("/project"))
    assert found == (Path(directory) if directory else None)


@pytest.mark.parametrize(
    ("timestamp", "hour"),
    [
        ("2026-11-30T12:06:40.950889148-05:00", 17),
        ("2026-11-30T12:06:40.950889148+02:00", 10),
        ("2026-11-30T12:06:40.950889148Z", 12),
        ("2026-11-30T12:06:40.95-05:00", 17),
        ("2026-11-30T12:06:40+02:00", 10),
    ],
)
def test_a_living_engine_keeps_its_lock_in_every_time_zone(
    tmp_path: Path, timestamp: str, hour: int
) -> None:
    place = tmp_path / "locks/organization/p/east"
    place.mkdir(parents=True)
    written = {"pid": 1, "username": "ann", "hostname": "laptop", "timestamp": timestamp}
    (place / "one.json").write_text(json.dumps(written))
    [found] = lock.locks(tmp_path, "p", "east")
    made = datetime(2026, 11, 30, hour, 6, 40, 950889, UTC)
    before, after = made - timedelta(seconds=2), made + timedelta(seconds=2)
    assert reason_to_keep(found, "laptop", replace(ENGINE, started=before))
    assert reason_to_keep(found, "laptop", replace(ENGINE, started=after)) is None


def test_a_real_lock_is_read_and_removed_with_what_lies_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "locks/organization/vsphere-cluster-mesh/east"
    place.mkdir(parents=True)
    for name in ("one.json", "one.json.attrs"):
        (place / name).write_text(REAL)
    [found] = lock.locks(tmp_path, "vsphere-cluster-mesh", "east")
    assert (found.pid, found.user, found.host) == (21622, "root", "vm")
    assert found.made == MADE
    lock.remove(found)
    assert list(place.iterdir()) == []


def test_a_lock_of_an_unknown_kind_is_left_to_the_engine(tmp_path: Path) -> None:
    place = tmp_path / "locks/organization/p/east"
    place.mkdir(parents=True)
    (place / "one.json").write_text('{"owner": 1}')
    with pytest.raises(Failure, match="pulumi cancel"):
        list(lock.locks(tmp_path, "p", "east"))


def test_a_living_process_is_seen_with_its_command_and_a_dead_one_is_not() -> None:
    command = ["sh", "-c", "echo ready; read word"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout
        process.stdout.readline()
        found = lock.holder(process.pid)
        process.kill()
        process.wait()
        assert lock.holder(process.pid) is None
    assert found
    assert found.command == " ".join(command)
    assert abs(found.started - datetime.now(UTC)) < timedelta(seconds=30)
    assert lock.host() == os.uname().nodename
