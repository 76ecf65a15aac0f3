"""The door of a node, asked by the node's own `vmware-rpctool`."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lab.template
from lab.guestinfo import GuestInfoServer

RPCTOOL = Path(lab.template.__file__).parent / "files" / "usr" / "bin" / "vmware-rpctool"
NO_VALUE = "No value found"
"""cloud-init compares the whole text of the error."""


class Machine:
    """A virtual machine's keys, which can be made to fail."""

    def __init__(self) -> None:
        self.keys = {"guestinfo.metadata": "instance-id: east-worker-1\nlocal-hostname: ä\n"}
        self.failure: Exception | None = None

    def read(self, key: str) -> str | None:
        if self.failure:
            raise self.failure
        return self.keys.get(key)

    def write(self, key: str, value: str) -> None:
        if self.failure:
            raise self.failure
        self.keys[key] = value


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def door(tmp_path: Path, machine: Machine, quick_doors: None) -> Iterator[GuestInfoServer]:
    server = GuestInfoServer(tmp_path, machine.read, machine.write)
    yield server
    server.close()


@pytest.fixture
def rpctool(tmp_path: Path) -> Path:
    """A copy of the node's program that asks at this test's door."""
    text = RPCTOOL.read_text()
    assert text.count('"/run/guestinfo/socket"') == 1
    copy = tmp_path / "vmware-rpctool"
    copy.write_text(text.replace("/run/guestinfo/socket", str(tmp_path / "socket")))
    return copy


def ask(rpctool: Path, request: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(rpctool), request],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


@pytest.mark.usefixtures("door")
def test_a_key_is_read_as_it_was_set(rpctool: Path, machine: Machine) -> None:
    answer = ask(rpctool, "info-get guestinfo.metadata")
    assert (answer.returncode, answer.stdout) == (0, machine.keys["guestinfo.metadata"])


@pytest.mark.usefixtures("door")
def test_user_data_of_the_largest_size_arrives_whole(rpctool: Path, machine: Machine) -> None:
    machine.keys["guestinfo.userdata"] = "H4sI" * 16384
    assert ask(rpctool, "info-get guestinfo.userdata").stdout == "H4sI" * 16384


@pytest.mark.usefixtures("door")
def test_an_unset_key_is_said_in_the_very_words_of_the_real_tool(rpctool: Path) -> None:
    answer = ask(rpctool, "info-get guestinfo.vendordata")
    assert (answer.returncode, answer.stdout, answer.stderr) == (1, "", NO_VALUE)


@pytest.mark.usefixtures("door")
def test_a_status_with_blanks_and_quotes_is_set_as_it_is(rpctool: Path, machine: Machine) -> None:
    status = '{"stage": "kubeadm-join", "state": "failed", "error": "no route  to host"}'
    assert ask(rpctool, f"info-set guestinfo.mesh.status {status}").returncode == 0
    assert machine.keys["guestinfo.mesh.status"] == status


@pytest.mark.usefixtures("door")
def test_a_value_of_several_lines_is_set_whole(rpctool: Path, machine: Machine) -> None:
    lines = "Traceback:\n  kubeadm join\n\nno route to host"
    assert ask(rpctool, f"info-set guestinfo.mesh.status {lines}").returncode == 0
    assert machine.keys["guestinfo.mesh.status"] == lines


@pytest.mark.usefixtures("door")
def test_a_request_that_is_no_text_is_answered_and_sets_nothing(
    tmp_path: Path, machine: Machine
) -> None:
    before = dict(machine.keys)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(tmp_path / "socket"))
        connection.sendall(b"info-set guestinfo.mesh.status \xff\n")
        connection.shutdown(socket.SHUT_WR)
        reply = json.loads(connection.makefile().read())
    assert reply["ok"] is False
    assert "0xff" in reply["value"]
    assert machine.keys == before


@pytest.mark.usefixtures("door")
def test_user_data_is_redacted_by_setting_it(rpctool: Path, machine: Machine) -> None:
    machine.keys["guestinfo.userdata"] = "secret"
    ask(rpctool, "info-set guestinfo.userdata ---")
    assert ask(rpctool, "info-get guestinfo.userdata").stdout == "---"
    assert "secret" not in machine.keys.values()


@pytest.mark.usefixtures("door")
def test_a_vcenter_that_fails_is_a_failure_in_the_node(rpctool: Path, machine: Machine) -> None:
    machine.failure = OSError("no answer from vCenter")
    for request in ("info-set guestinfo.mesh.status done", "info-get guestinfo.metadata"):
        answer = ask(rpctool, request)
        assert (answer.returncode, answer.stderr) == (1, "no answer from vCenter")
    machine.failure = None
    assert ask(rpctool, "info-get guestinfo.metadata").returncode == 0


@pytest.mark.usefixtures("door")
def test_an_unknown_command_is_refused(rpctool: Path) -> None:
    answer = ask(rpctool, "log hello")
    assert (answer.returncode, answer.stderr) == (1, "Unknown command")


@pytest.mark.usefixtures("door")
def test_a_node_that_asks_nothing_keeps_no_other_waiting(rpctool: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(tmp_path / "socket"))
        assert ask(rpctool, "info-get guestinfo.metadata").returncode == 0
        silent.shutdown(socket.SHUT_WR)
        assert json.loads(silent.recv(1024)) == {"ok": False, "value": "Unknown command"}


@pytest.mark.usefixtures("quick_doors")
def test_a_door_is_opened_again_where_an_earlier_one_was_left(
    tmp_path: Path, machine: Machine, rpctool: Path
) -> None:
    for _ in range(2):
        server = GuestInfoServer(tmp_path, machine.read, machine.write)
        assert ask(rpctool, "info-get guestinfo.metadata").returncode == 0
        server.close()
    assert ask(rpctool, "info-get guestinfo.metadata").returncode != 0
