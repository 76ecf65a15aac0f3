"""One lab for all modules here, which pytest runs in the order of their names.

A module that is run alone finds the lab that runs, and leaves it running.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.whole import clone as clones
from tests.whole import figures, lab_command
from tests.whole.machine import Machine


@pytest.fixture(scope="package")
def before() -> Iterator[Machine]:
    """The machine before the lab; after all modules the lab is taken down, whatever happened."""
    lab_command.run("down")
    yield Machine.now()
    lab_command.run("down")


@pytest.fixture(scope="package")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the project; what one module writes into it, the next ones find."""
    return clones.clone(tmp_path_factory.mktemp("clone"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what was measured."""
    if measured := figures.kept():
        terminalreporter.section("measured in the lab")
        for line in measured:
            terminalreporter.write_line(line)
