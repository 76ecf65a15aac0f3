import shutil
import subprocess
from pathlib import Path

import pytest

from lab import prerequisites
from lab.prerequisites import go_version, install_missing, missing_packages, problems


def test_a_go_version_is_read_from_what_go_says() -> None:
    assert go_version("go1.26.8") == (1, 26)
    assert go_version("go1.27rc1") == (1, 27)
    assert go_version("devel") is None


def test_another_system_is_told_to_use_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert problems() == ("the lab needs Linux: run it on a Linux machine or in a virtual machine",)


def test_an_ordinary_user_is_told_to_become_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert problems() == ("the lab makes namespaces and mounts: run it as root (sudo make lab)",)


def test_missing_commands_are_named_by_the_packages_that_bring_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(prerequisites, "KEYRING", Path("/nowhere"))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "mmdebstrap" in missing_packages()
    found = problems()
    assert any("apt-get install debian-archive-keyring" in problem for problem in found)
    assert "Go 1.26 or later is not on PATH: install it from https://go.dev/dl" in found


def test_an_old_go_is_named_with_the_version_that_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(prerequisites, "GO_MINIMUM", (99, 0))
    assert any("install 99.0 or later" in problem for problem in problems())


def test_nothing_is_installed_when_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prerequisites, "missing_packages", lambda: ())
    monkeypatch.setattr(prerequisites, "TEST_COMMANDS", {"sh": "dash"})
    said: list[str] = []
    install_missing(said.append)
    assert said == []


def test_what_only_tests_need_is_installed_and_keeps_no_lab_from_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(prerequisites, "COMMANDS", {"sh": "dash"})
    monkeypatch.setattr(prerequisites, "TEST_COMMANDS", {"no-such-compiler": "musl-tools"})
    assert "musl-tools" not in missing_packages()
    installed: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        installed.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "no-such-compiler" else name)
    install_missing(lambda _: None)
    assert installed[0][-1] == "musl-tools"


@pytest.mark.lab
def test_this_machine_can_run_the_lab() -> None:
    assert problems() == ()
