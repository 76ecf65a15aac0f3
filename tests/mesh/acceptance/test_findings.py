import ast
import json
from pathlib import Path

import pytest

from mesh.acceptance import probe
from mesh.acceptance.causes import CAUSES, EXCEPTIONS, cause_of
from mesh.acceptance.findings import Report, failures, finding, findings
from mesh.acceptance.probe.plan import Neighbour, Plan

WEST = Neighbour(cluster="west", zone="west.mesh.example", dns=("10.11.84.32",))
PLAN = Plan(
    run="r1",
    after="",
    namespace="mesh-acceptance",
    domain="cluster.local",
    own=Neighbour(cluster="east", zone="east.mesh.example"),
    peers=(WEST,),
    patience=1,
)
TUNNEL = "UDP 6081 (geneve)"
NO_FAILURE = {"passed", "pending", "skipped"}


def report(*rows: tuple[str, str]) -> Report:
    checks = [
        {"to": "west", "check": check, "outcome": outcome, "seen": "s"} for check, outcome in rows
    ]
    return Report(run="r1", after="", rows=tuple(checks))


def words_of_the_probe() -> set[str]:
    """Every text in the probe's sources: its outcomes are among them."""
    files = Path(probe.__file__).parent.glob("*.py")
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text()))]
    return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}


@pytest.mark.parametrize("outcome", sorted(CAUSES))
def test_every_cause_reads_well_and_says_what_to_do(outcome: str) -> None:
    found = finding("east", WEST, "pod by TCP", outcome, "nothing in 5 s", TUNNEL)
    assert found.result == "fail"
    for text in (found.cause, found.remedy):
        assert not set(text) & set("{}\n")
        assert text == text.strip().rstrip(".")
    assert str(found).startswith("east -> west: pod by TCP: fail: nothing in 5 s. Likely: ")


def test_every_cause_is_of_an_outcome_that_the_probe_or_the_command_has() -> None:
    of_the_command = {"nodes unknown", "not looked at", "hidden by a cache"}
    assert set(CAUSES) - of_the_command <= words_of_the_probe()
    assert {check for check, _ in EXCEPTIONS} <= words_of_the_probe() | {
        f"name by {one}" for one in ("UDP", "TCP")
    }


@pytest.mark.parametrize(
    ("check", "outcome", "cause", "remedy"),
    [
        ("name by UDP", "not forwarded", "Corefile of east doesn't forward", "--refresh"),
        ("name by UDP", "peer away", "LoadBalancer address of west is not announced", "speaker"),
        ("name by TCP", "peer away", "53/TCP", "speaker"),
        ("pod by TCP", "silence", "tunnel between the nodes is blocked", TUNNEL),
        ("large by TCP, out", "large lost", "full size are lost", "mesh.tunnelPort: 8223"),
        ("global Service", "silence", "kube-proxy", "cilium"),
        ("global Service", "not among them", "haven't arrived", "--all-clusters"),
    ],
)
def test_the_likely_cause_of_what_goes_wrong_most(
    check: str, outcome: str, cause: str, remedy: str
) -> None:
    found = finding("east", WEST, check, outcome, "", TUNNEL)
    assert cause in found.cause
    assert remedy in found.remedy


def test_an_outcome_that_nobody_knows_is_no_pass() -> None:
    with pytest.raises(KeyError):
        cause_of("pod by TCP", "odd")


def test_rows_are_told_in_order_and_only_failed_ones_complain() -> None:
    rows = report(("name by UDP", "passed"), ("pod by TCP", "silence"), ("mesh etcd", "pending"))
    found = findings(rows, PLAN, TUNNEL)
    assert [one.result for one in found] == ["pass", "fail", "pending"]
    assert rows.failed
    [line] = failures(found)
    assert line.startswith("east -> west: pod by TCP: fail: s. Likely: the name resolves")
    assert found[0].as_output() == {
        "from": "east",
        "to": "west",
        "check": "name by UDP",
        "result": "pass",
        "seen": "s",
    }


@pytest.mark.parametrize("outcome", sorted(NO_FAILURE))
def test_what_is_pending_or_skipped_fails_nothing(outcome: str) -> None:
    rows = report(("pod by TCP", outcome))
    assert not rows.failed
    assert failures(findings(rows, PLAN, TUNNEL)) == []


def test_a_report_is_read_from_a_config_map_and_there_is_none_before_the_first_run() -> None:
    assert Report.read(None) is None
    assert Report.read({}) is None
    text = json.dumps({"run": "a", "after": "b", "cluster": "east", "checks": []})
    assert Report.read({"result.json": text}) == Report(run="a", after="b", rows=())
