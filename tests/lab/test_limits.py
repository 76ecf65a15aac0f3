from pathlib import Path

import pytest

from lab import limits

INSTANCES, WATCHES = limits.NEEDED


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fs/inotify").mkdir(parents=True)
    (tmp_path / INSTANCES).write_text("128\n")
    (tmp_path / WATCHES).write_text("2000000\n")
    monkeypatch.setattr(limits, "ROOT", tmp_path)
    monkeypatch.setattr(limits, "FORMER", tmp_path / "disks/former.json")
    return tmp_path


def test_a_low_limit_is_raised_and_a_high_one_stays(kernel: Path) -> None:
    limits.lift()
    assert (kernel / INSTANCES).read_text() == "8192"
    assert (kernel / WATCHES).read_text() == "2000000\n"


def test_limits_are_what_they_were_after_two_starts(kernel: Path) -> None:
    limits.lift()
    limits.lift()
    limits.put_back()
    assert int((kernel / INSTANCES).read_text()) == 128
    assert int((kernel / WATCHES).read_text()) == 2_000_000


def test_without_a_lab_nothing_is_put_back(kernel: Path) -> None:
    limits.put_back()
    assert (kernel / INSTANCES).read_text() == "128\n"
