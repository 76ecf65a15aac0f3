"""Lets the tests find the programs that `lab build` made, and take as long as they need."""

import gc
import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from lab.paths import cache
from lab.template import finished_template

IN_TEMPLATE = Path(__file__).parent / "in-template.sh"

# A busy machine is no failure.
settings.register_profile("unhurried", settings(deadline=None))
settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    """Name the lab's programs in the environment; what is set there already stays."""
    binaries = cache() / "bin"
    for variable, name in (("KUBEADM", "kubeadm"), ("COREDNS", "coredns"), ("VCSIM", "vcsim")):
        if (binaries / name).exists():
            os.environ.setdefault(variable, str(binaries / name))
    if (binaries / "pulumi").exists():
        os.environ.setdefault("PULUMI_ROOT", str(cache()))
    # Its cloud-init runs in a chroot, which only root may enter.
    built = os.geteuid() == 0 and (binaries / "kubelet").exists()
    if built and (template := finished_template()):
        os.environ["TEMPLATE_ROOT"] = str(template.root)
        os.environ.setdefault("CLOUD_INIT", str(IN_TEMPLATE))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Forgive tests of the real engine what Pulumi's own language server leaves open.

    After a program that failed it closes neither the event loop nor its sockets and coroutines.
    """
    for item in items:
        if _is_of_the_engine(item):
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            unraisable = "ignore::pytest.PytestUnraisableExceptionWarning"
            item.add_marker(pytest.mark.filterwarnings(unraisable))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """Collect what a test of the engine left, before a test that forgives nothing finds it."""
    yield
    if _is_of_the_engine(item) and not (nextitem and _is_of_the_engine(nextitem)):
        _collect()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Collect what the engine's tests left when the session ends before the last of them."""
    if any(map(_is_of_the_engine, session.items)):
        _collect()


def _is_of_the_engine(item: pytest.Item) -> bool:
    return item.get_closest_marker("engine") is not None


def _collect() -> None:
    # Nothing is compiled now: Python 3.11 takes such words badly while it does.
    say, sys.unraisablehook = sys.unraisablehook, lambda _: None
    gc.collect()
    sys.unraisablehook = say
