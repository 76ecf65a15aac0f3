"""What a command is about to write into the stack files, and what comes next."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.failure import Failure


@dataclass(frozen=True)
class Plan:
    """Files to write, what the previews of the other stacks will say, and what comes next."""

    files: Mapping[str, str]
    """Texts by the names of files, with the line ends to write."""
    previews: Mapping[str, tuple[str, ...]]
    next: tuple[str, ...]
    values: Mapping[str, object]
    """What was proposed for a new cluster, by dotted keys."""

    def write(self, directory: Path) -> None:
        """Write the files. Raises Failure when one can't be written, naming those that were."""
        written: list[str] = []
        for name, text in self.files.items():
            try:
                (directory / name).write_text(text, encoding="utf-8", newline="")
            except OSError as error:
                raise Failure(_half_done(name, error, written)) from error
            written.append(name)


def _half_done(name: str, error: OSError, written: list[str]) -> str:
    done = f"written already: {', '.join(written)}" if written else "nothing was written"
    return f"{name} can't be written: {error.strerror}; {done}"
