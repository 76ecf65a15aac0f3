"""Cgroups of nodes, below a level of the test's own: a running lab's are never touched."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import cgroups

NAME = f"mesh-test-{os.getpid()}"
NODE = "east-worker-1"


@pytest.fixture
def level(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(cgroups, "NAME", NAME)
    yield NAME
    cgroups.remove_all()
    assert not any((hierarchy / NAME).exists() for hierarchy in cgroups.hierarchies())


@pytest.fixture
def inhabitant(level: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process in the node's cgroups."""
    cgroups.create(NODE)
    joined = f"{cgroups.join_script(NODE)}; echo joined; exec sleep 60"
    with subprocess.Popen(["bash", "-ec", joined], stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"joined\n"
        yield process
        process.kill()


def unified(root: Path) -> None:
    """Make a directory look like a cgroup v2 machine."""
    for path in (root, root / NAME, root / NAME / NODE):
        path.mkdir(exist_ok=True)
        (path / "cgroup.controllers").write_text("cpu memory pids\n")
        (path / "cgroup.subtree_control").touch()


@pytest.fixture
def version_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cgroups, "ROOT", tmp_path)
    monkeypatch.setattr(cgroups, "NAME", NAME)
    unified(tmp_path)
    return tmp_path


@pytest.fixture
def version_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cgroups, "ROOT", tmp_path)
    monkeypatch.setattr(cgroups, "NAME", NAME)
    for name in ("cpu,cpuacct", "cpuset", "memory", "unified"):
        (tmp_path / name).mkdir()
    # Distributions link each controller of a common hierarchy to it.
    (tmp_path / "cpu").symlink_to("cpu,cpuacct")
    return tmp_path


def test_on_version_2_a_node_has_one_cgroup_with_all_controllers(version_2: Path) -> None:
    assert cgroups.create(NODE) == [version_2 / NAME / NODE]
    for parent in (version_2, version_2 / NAME):
        assert (parent / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"


def test_on_version_2_a_visitor_joins_a_group_that_holds_processes(version_2: Path) -> None:
    script = cgroups.join_script(NODE, cgroups.visiting_part())
    assert script == f"echo $$ > {version_2}/{NAME}/{NODE}/init.scope/cgroup.procs"


def test_on_version_2_who_started_the_node_leaves_its_top_group(version_2: Path) -> None:
    cgroups.leave(NODE, 4711)
    assert (version_2 / NAME / f"{NODE}.launcher" / "cgroup.procs").read_text() == "4711"


def test_on_version_1_a_node_has_a_cgroup_in_every_hierarchy_once(version_1: Path) -> None:
    made = cgroups.create(NODE)
    assert [path.relative_to(version_1).parts[0] for path in made] == [
        "cpu,cpuacct",
        "cpuset",
        "memory",
        "unified",
    ]
    assert cgroups.nodes() == {NODE}


def test_on_version_1_nobody_leaves_and_a_visitor_joins_every_hierarchy(version_1: Path) -> None:
    cgroups.leave(NODE, 4711)
    assert not any(version_1.rglob("*.launcher"))
    assert cgroups.join_script(NODE, cgroups.visiting_part()).count("echo $$ > ") == 4


@pytest.mark.lab
@pytest.mark.usefixtures("level")
def test_a_node_has_cgroups_that_can_be_made_twice_and_removed_twice() -> None:
    made = cgroups.create(NODE)
    assert cgroups.create(NODE) == made
    assert all(path.is_dir() for path in made)
    assert cgroups.nodes() == {NODE}
    for _ in range(2):
        cgroups.remove(NODE)
    assert not any(path.exists() for path in made)
    assert cgroups.nodes() == set()


@pytest.mark.lab
def test_a_process_that_joined_is_seen_as_the_nodes(inhabitant: subprocess.Popen[bytes]) -> None:
    assert cgroups.processes(NODE) == {inhabitant.pid}
    lines = Path(f"/proc/{inhabitant.pid}/cgroup").read_text().splitlines()
    assert sum(line.endswith(f"/{NAME}/{NODE}") for line in lines) == len(cgroups.hierarchies())


@pytest.mark.lab
def test_a_process_in_a_part_of_a_node_is_the_nodes_too(
    inhabitant: subprocess.Popen[bytes],
) -> None:
    for group in cgroups.create(f"{NODE}/kubepods"):
        (group / "cgroup.procs").write_text(str(inhabitant.pid))
    assert cgroups.processes(NODE) == {inhabitant.pid}


@pytest.mark.lab
@pytest.mark.usefixtures("level")
def test_a_node_without_cgroups_has_no_processes() -> None:
    assert cgroups.processes("nobody") == set()


@pytest.mark.lab
def test_cgroups_that_still_hold_processes_are_named_with_them(
    inhabitant: subprocess.Popen[bytes],
) -> None:
    with pytest.raises(TimeoutError, match=rf"{NAME}.*still holds processes.*{inhabitant.pid}"):
        cgroups.remove(NODE, seconds=0.1)


@pytest.mark.lab
def test_the_end_of_the_last_process_is_waited_for(inhabitant: subprocess.Popen[bytes]) -> None:
    inhabitant.kill()
    started = time.monotonic()
    cgroups.remove(NODE)
    assert cgroups.nodes() == set()
    assert time.monotonic() - started < 5
