"""The rules of a firewall as tables: CSV for a program, Markdown for a reader."""

import csv
import io
from collections.abc import Iterable

from mesh.render.firewall import Rule
from mesh.render.markdown import table

_COLUMNS = (
    "from",
    "to",
    "source ranges",
    "destination ranges",
    "protocol",
    "port",
    "why",
)


def firewall_csv(rules: Iterable[Rule]) -> str:
    """One line for each rule, below a line of names; several ranges are parted by a blank."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("kind", *_COLUMNS))
    for rule in rules:
        writer.writerow((rule.kind, *_cells(rule, " ")))
    return text.getvalue()


def firewall_markdown(rules: Iterable[Rule]) -> str:
    """A table of what passes between clusters, and one of what passes around them."""
    every = tuple(rules)
    between = [rule for rule in every if rule.kind == "mesh"]
    around = [rule for rule in every if rule.kind == "site"]
    parts = [
        "# Firewall list",
        "Each row lets new connections pass in one direction; answers must pass too.",
        "## Between the clusters",
        _table(between) if between else "No cluster has a peer.",
        "Nothing on these ways may translate addresses: a node has one address everywhere.",
        "## Around the clusters",
        "`operator` is the machine that runs `pulumi`. Nodes also need TCP 443 to the registries.",
        _table(around),
    ]
    return "\n\n".join(parts) + "\n"


def _table(rules: Iterable[Rule]) -> str:
    return table(_COLUMNS, (_cells(rule, ", ") for rule in rules))


def _cells(rule: Rule, between: str) -> tuple[str, ...]:
    return (
        rule.source,
        rule.destination,
        between.join(rule.sources),
        between.join(rule.destinations),
        rule.protocol,
        "" if rule.port is None else str(rule.port),
        rule.why,
    )
