"""Findings of a verification, as a table for people and as a document for programs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from mesh.acceptance.findings import Finding, Result

_STYLES: Mapping[Result, str] = {
    "pass": "green",
    "fail": "red",
    "pending": "yellow",
    "skipped": "cyan",
}


def table(findings: Sequence[Finding]) -> Table:
    """One row for each check; below a failed one its likely cause and what to do."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("from → to", "check", "", "what was seen"):
        shown.add_column(column, overflow="fold")
    for one in findings:
        seen = Text(one.seen)
        if one.cause:
            seen.append(f"\nlikely: {one.cause}")
            seen.append(f"\n→ {one.remedy}", style="bold")
        result = Text(one.result, style=_STYLES[one.result])
        shown.add_row(Text(f"{one.here} → {one.to}"), Text(one.check), result, seen)
    return shown


def summary(findings: Sequence[Finding]) -> str:
    """How many checks ended how, in one line."""
    counts = Counter(one.result for one in findings)
    return ", ".join(f"{counts[result]} {result}" for result in _STYLES)


def document(findings: Sequence[Finding]) -> dict[str, Any]:
    """Whether nothing failed, and every finding."""
    return {"ok": works(findings), "findings": [one.as_output() for one in findings]}


def works(findings: Sequence[Finding]) -> bool:
    """Whether no check failed."""
    return all(one.result != "fail" for one in findings)
