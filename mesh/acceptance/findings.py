"""What a run found, in words: who asked whom, what was seen, and what to do about it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from mesh.acceptance.causes import cause_of
from mesh.acceptance.probe.plan import PASSED, Neighbour, Plan

Result = Literal["pass", "fail", "pending", "skipped"]
_RESULTS: Mapping[str, Result] = {PASSED: "pass", "pending": "pending", "skipped": "skipped"}
KEY = "result.json"
"""Where a run writes its result in its ConfigMap."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One row of the table; `cause` and `remedy` are empty unless it failed."""

    here: str
    to: str
    check: str
    result: Result
    seen: str
    cause: str = ""
    remedy: str = ""

    def as_output(self) -> dict[str, str]:
        """Plain values, without what is empty; `from` is the cluster that asked."""
        words = asdict(self)
        return {"from": words.pop("here"), **{key: word for key, word in words.items() if word}}

    def __str__(self) -> str:
        told = f"{self.here} -> {self.to}: {self.check}: {self.result}: {self.seen}"
        return f"{told}. Likely: {self.cause}. Do: {self.remedy}" if self.cause else told


@dataclass(frozen=True, kw_only=True)
class Report:
    """What one run left."""

    run: str
    after: str
    rows: tuple[Mapping[str, str], ...]

    @classmethod
    def read(cls, data: Mapping[str, str] | None) -> "Report | None":
        """The report in the data of a ConfigMap; None before the first run."""
        text = (data or {}).get(KEY)
        if not text:
            return None
        found: dict[str, Any] = json.loads(text)
        return cls(run=found["run"], after=found["after"], rows=tuple(found["checks"]))

    @property
    def failed(self) -> bool:
        """Whether a check failed."""
        return any(row["outcome"] not in _RESULTS for row in self.rows)


def findings(report: Report, plan: Plan, tunnel: str) -> tuple[Finding, ...]:
    """Every row of a report in words; `tunnel` is what must pass, as `UDP 6081 (geneve)`."""
    clusters = {to.cluster: to for to in (plan.own, *plan.peers)}
    return tuple(
        finding(
            plan.own.cluster,
            clusters[row["to"]],
            row["check"],
            row["outcome"],
            row["seen"],
            tunnel,
        )
        for row in report.rows
        if row["to"] in clusters
    )


def finding(here: str, to: Neighbour, check: str, outcome: str, seen: str, tunnel: str) -> Finding:
    """One outcome in words. Raises KeyError for one that the table of causes hasn't."""
    if outcome in _RESULTS:
        return Finding(here=here, to=to.cluster, check=check, result=_RESULTS[outcome], seen=seen)
    words = {
        "here": here,
        "to": to.cluster,
        "zone": to.zone,
        "dns": " ".join(to.dns) or "its own address",
        "tunnel": tunnel,
    }
    cause = cause_of(check, outcome)
    return Finding(
        here=here,
        to=to.cluster,
        check=check,
        result="fail",
        seen=seen,
        cause=cause.why.format(**words),
        remedy=cause.remedy.format(**words),
    )


def failures(found: Iterable[Finding]) -> list[str]:
    """The failed rows, a line each."""
    return [str(one) for one in found if one.result == "fail"]
