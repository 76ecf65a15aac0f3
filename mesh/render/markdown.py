"""The few pieces of Markdown that our pages are made of."""

from collections.abc import Iterable


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table; what would end a cell is escaped."""
    names = [*columns]
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    cells = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in cells)])


def commands(*lines: str) -> str:
    """A block of commands, one a line, to be pasted into a shell."""
    return "\n".join(["```bash", *lines, "```"])


def listed(names: Iterable[str]) -> str:
    """Names as a sentence has them: `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
