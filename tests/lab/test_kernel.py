"""What the kernel is asked, in a trial namespace of the test's own."""

import errno
import os
from pathlib import Path
from typing import NoReturn

import pytest
from pyroute2 import NetlinkError, NetNS, netns

from lab import kernel

TRIAL = f"mesh-test-trial-{os.getpid()}"


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(kernel, "_TRIAL", TRIAL)
    return TRIAL


@pytest.mark.lab
def test_a_kind_of_link_is_one_that_the_kernel_makes(trial: str) -> None:
    assert kernel.makes_links_of("bridge")
    assert not kernel.makes_links_of("nonsense")


@pytest.mark.lab
def test_a_question_that_fails_otherwise_is_no_answer(
    trial: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise NetlinkError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(NetNS, "link", refuse, raising=False)
    with pytest.raises(NetlinkError, match="not permitted"):
        kernel.makes_links_of("geneve")
    assert trial not in netns.listnetns()


def test_two_labs_that_ask_at_once_have_trials_of_their_own() -> None:
    assert str(os.getpid()) in kernel._TRIAL


@pytest.mark.lab
@pytest.mark.parametrize("kind", ["geneve", "vxlan", "nonsense"])
def test_asking_leaves_nothing_behind(trial: str, kind: str) -> None:
    kernel.makes_links_of(kind)
    assert trial not in netns.listnetns()


@pytest.mark.lab
def test_what_an_interrupted_question_left_does_not_matter(trial: str) -> None:
    netns.create(trial)
    assert kernel.makes_links_of("bridge")
    assert trial not in netns.listnetns()


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [("000001ffffffffff", True), ("0000000001000000", True), ("00000000feffffff", False)],
)
def test_the_right_to_raise_limits_is_read_from_the_effective_capabilities(
    monkeypatch: pytest.MonkeyPatch, capabilities: str, expected: bool
) -> None:
    lines = f"Name:\tlab\nCapPrm:\t000001ffffffffff\nCapEff:\t{capabilities}\nCapBnd:\t0\n"
    monkeypatch.setattr(Path, "read_text", lambda _: lines)
    assert kernel.may_raise_limits() is expected
