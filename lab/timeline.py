"""How long each part of a run took: shown at its end, and kept as JSON."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Phase:
    """A part of the run: when it began, in seconds from the run's start, and how long it took."""

    name: str
    began: float
    seconds: float


@dataclass
class Timeline:
    """The parts of one run, in the order they ended."""

    phases: list[Phase] = field(default_factory=list)
    _start: float = field(default_factory=time.monotonic)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure what happens inside; what fails isn't recorded."""
        began = time.monotonic()
        yield
        self.phases.append(Phase(name, began - self._start, time.monotonic() - began))

    def write(self, path: Path) -> None:
        """Write the phases as a JSON list."""
        path.write_text(json.dumps([asdict(phase) for phase in self.phases], indent=2) + "\n")

    def show(self, console: Console) -> None:
        """Print the phases as a table."""
        table = Table("phase", "began at", "took", box=box.SIMPLE_HEAD, title="Timeline")
        for phase in self.phases:
            table.add_row(phase.name, f"{phase.began:.0f} s", f"{phase.seconds:.1f} s")
        console.print(table)
