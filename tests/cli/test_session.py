"""What a repair says at its end, by what it found and what it could look at."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.failure import Failure
from cli.project import Project
from cli.repair.action import Action
from cli.repair.outside import KUBERNETES, VSPHERE, Outside
from cli.repair.session import Session

SERVICE = {"urn": "urn:pulumi:east::p::x::etcd", "type": "kubernetes:core/v1:Service"}
NEXT = "next: pulumi up -s east"
BLIND = "but did not look at {}: by the state nothing was under way there"


class Exporting:
    """An engine whose backend keeps no files, and that only knows a state."""

    def __init__(self, *pending: Mapping[str, Any]) -> None:
        operations = [{"type": "creating", "resource": one} for one in pending]
        self._state = {"deployment": {"pending_operations": operations}}

    def backend(self) -> str:
        return "s3://bucket"

    def export(self, _stack: str, *, show_secrets: bool) -> dict[str, Any]:
        return self._state if show_secrets else {}


def last_line(
    monkeypatch: pytest.MonkeyPatch, outside: Outside, engine: Any, *, dry_run: bool = False
) -> str:
    monkeypatch.setattr("cli.repair.session.Looker.look", lambda *_: outside)
    said: list[str] = []
    project = Project(Path("/nowhere"), "p", {})
    consent = None if dry_run else lambda: True
    Session(project, engine, "east", said.append, consent).run()
    return said[-1]


@pytest.mark.parametrize(
    ("unseen", "line"),
    [
        ([], f"found nothing to repair; {NEXT}"),
        ([KUBERNETES], f"found nothing to repair, {BLIND.format('the cluster')}; {NEXT}"),
        (
            [KUBERNETES, VSPHERE],
            f"found nothing to repair, {BLIND.format('the cluster and vCenter')}; {NEXT}",
        ),
    ],
)
def test_where_nothing_was_found_the_end_says_where_nobody_looked(
    monkeypatch: pytest.MonkeyPatch, unseen: list[str], line: str
) -> None:
    assert last_line(monkeypatch, Outside([], frozenset(unseen)), Exporting()) == line


def test_a_repair_says_where_nobody_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    outside = Outside([Action("delete it", lambda: None)], frozenset([VSPHERE]))
    blind = BLIND.format("vCenter")
    assert last_line(monkeypatch, outside, Exporting()) == f"repaired, {blind}; {NEXT}"
    looked = last_line(monkeypatch, outside, Exporting(), dry_run=True)
    assert looked == f"dry run, nothing was done, {blind}; next: mesh repair east"


def test_what_is_under_way_where_nobody_looked_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outside = Outside([], frozenset([KUBERNETES, VSPHERE]))
    with pytest.raises(Failure, match="stay in the state until the cluster could be looked at"):
        last_line(monkeypatch, outside, Exporting(SERVICE))
