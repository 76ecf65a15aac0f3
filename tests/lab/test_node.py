"""What a node's disks and records are, with processes that are no systemd."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import cgroups, network, node
from lab.node import Node
from lab.node_disk import Template
from lab.process import Process, write_record

NAME = "east-worker-1"


@pytest.fixture(autouse=True)
def own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "NODES", tmp_path / "nodes")
    monkeypatch.setattr(node, "RUN", tmp_path / "run")
    monkeypatch.setattr(cgroups, "processes", lambda _: set())
    for function in ("create", "remove", "leave"):
        monkeypatch.setattr(cgroups, function, lambda *_: None)


@pytest.fixture
def template(tmp_path: Path) -> Template:
    """A template whose unpacked images are one file."""
    made = Template(tmp_path / "template", tmp_path / "template" / "containerd")
    made.containerd.mkdir(parents=True)
    (made.containerd / "image").touch()
    return made


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "300"]) as started:
        yield started
        started.kill()


def known(pid: int) -> Node:
    """A node that is recorded under a process that runs."""
    process = Process.of(pid)
    made = Node(process.pid, process.started, NAME, "1")
    write_record(node.record(NAME), made)
    return made


def use(name: str) -> Path:
    """Write something to a node's disk, as a node that has joined its cluster."""
    written = node.directory(name) / "upper" / "joined"
    written.touch()
    return written


def test_new_disks_are_empty_but_for_the_templates_images(template: Template) -> None:
    node.prepare_disks(NAME, "1", template)
    home = node.directory(NAME)
    assert {path.name for path in home.iterdir()} == {*node.DIRECTORIES, "containerd", "machine"}
    assert (home / "containerd" / "image").exists()
    assert node.names_with_disks() == {NAME}


def test_a_machine_keeps_its_disks_when_it_starts_again(template: Template) -> None:
    node.prepare_disks(NAME, "1", template)
    written = use(NAME)
    node.prepare_disks(NAME, "1", template)
    assert written.exists()


def test_another_machine_of_the_same_name_never_gets_its_predecessors_disks(
    template: Template,
) -> None:
    node.prepare_disks(NAME, "1", template)
    written = use(NAME)
    node.prepare_disks(NAME, "2", template)
    assert not written.exists()
    assert written.parent.exists()


def test_disks_that_were_half_made_are_made_again(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "copy_store", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        node.prepare_disks(NAME, "1", template)
    monkeypatch.undo()
    monkeypatch.setattr(node, "NODES", template.root.parent / "nodes")
    node.prepare_disks(NAME, "1", template)
    assert (node.directory(NAME) / "containerd" / "image").exists()


def test_wiped_disks_are_gone_and_the_others_stay(template: Template) -> None:
    assert node.names_with_disks() == set()
    for name in (NAME, "east-worker-2"):
        node.prepare_disks(name, "1", template)
    node.wipe_disks(NAME)
    assert node.names_with_disks() == {"east-worker-2"}


def test_a_node_is_known_by_its_record_while_its_process_runs(
    child: subprocess.Popen[bytes],
) -> None:
    made = known(child.pid)
    assert node.running(NAME) == node.recorded(NAME) == made
    assert node.all_recorded() == [made]
    child.kill()
    child.wait()
    assert node.running(NAME) is None
    assert node.recorded(NAME) == made


@pytest.mark.parametrize("left", ["", '{"pid": 47'])
def test_a_record_that_was_half_written_is_no_node(left: str) -> None:
    path = node.record(NAME)
    path.parent.mkdir(parents=True)
    path.write_text(left)
    assert node.all_recorded() == []
    assert node.recorded(NAME) is None


@pytest.mark.parametrize("wipe", [True, False])
def test_a_node_that_is_stopped_has_no_process_and_no_record(
    child: subprocess.Popen[bytes], template: Template, wipe: bool
) -> None:
    node.prepare_disks(NAME, "1", template)
    node.stop(known(child.pid), wipe=wipe)
    assert child.wait(10) == -9
    assert node.recorded(NAME) is None
    assert (NAME in node.names_with_disks()) is not wipe


def test_a_start_that_fails_after_its_process_can_still_be_ended(
    child: subprocess.Popen[bytes], template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no cable")

    node.prepare_disks(NAME, "1", template)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: child)
    monkeypatch.setattr(node, "_await_own_network", lambda _: None)
    monkeypatch.setattr(network, "connect", refuse)
    with pytest.raises(OSError, match="no cable"):
        node.start(NAME, "1", template)
    [started] = node.all_recorded()
    node.stop(started, wipe=False)
    assert child.wait(10) == -9


def test_a_node_without_a_first_process_has_ended(child: subprocess.Popen[bytes]) -> None:
    made = known(child.pid)
    with pytest.raises(ProcessLookupError, match=f"{NAME} has ended"):
        node.first_process(made)
    child.kill()
    child.wait()
    with pytest.raises(OSError, match=str(made.pid)):
        node.first_process(made)
