"""Findings as a table for people, and as a document for programs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from cli.doctor.finding import Finding, Severity

_STYLES: Mapping[Severity, str] = {
    "ok": "green",
    "warning": "yellow",
    "error": "red",
    "not checked": "cyan",
}

_SUBJECT = 36
"""Columns of the terminal; the longer one is what was seen."""


def table(findings: Sequence[Finding]) -> Table:
    """One row for each finding."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    shown.add_column("cluster", no_wrap=True)
    shown.add_column("subject", max_width=_SUBJECT, overflow="fold")
    shown.add_column("", no_wrap=True)
    shown.add_column("what was seen", overflow="fold")
    for one in findings:
        state = Text(one.severity, style=_STYLES[one.severity])
        shown.add_row(Text(one.cluster), Text(one.subject), state, Text(one.seen))
    return shown


def fixes(findings: Sequence[Finding]) -> tuple[str, ...]:
    """A line for each fix; not in the table, where a command would be broken over several."""
    return tuple(f"{one.cluster}: {one.subject} → {one.fix}" for one in findings if one.fix)


def summary(findings: Sequence[Finding]) -> str:
    """How many findings there are of each kind, in one line."""
    counts = Counter(one.severity for one in findings)
    return ", ".join(f"{counts[kind]} {kind}" for kind in _STYLES)


def document(findings: Sequence[Finding]) -> dict[str, Any]:
    """Whether nothing is an error, and every finding."""
    return {"ok": is_sound(findings), "findings": [one.as_output() for one in findings]}


def is_sound(findings: Sequence[Finding]) -> bool:
    """Whether nothing is an error."""
    return all(one.severity != "error" for one in findings)
