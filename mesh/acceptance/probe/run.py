"""One run: everything is asked, what fails is asked again for a while, and written down."""

import json
import ssl
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from mesh.acceptance.probe.checks import SKIPPED, global_rows, metrics_of_the_mesh, rows_of
from mesh.acceptance.probe.plan import PASSED, Plan, Row

RESULT = "mesh-acceptance-result"
"""The ConfigMap that a run writes, and its only key."""
KEY = "result.json"
ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_PAUSE = 3.0
PENDING = "pending"
_NOT_THERE_YET = {"no target", "no address"}
"""Outcomes of a name which say that all is well but for the target itself."""


@dataclass(frozen=True)
class Access:
    """The way to the API server of the own cluster."""

    server: str
    token: str
    authority: str


def run(plan: Plan, resolver: str) -> str:
    """The result of a run, as JSON; takes as long as the plan has patience, and a round more."""
    end = time.monotonic() + plan.patience
    asked: list[Callable[[], list[Row]]] = [
        *(partial(rows_of, plan, to, resolver) for to in (plan.own, *plan.peers)),
        lambda: global_rows(plan, metrics_of_the_mesh(plan, resolver)),
    ]
    with ThreadPoolExecutor(len(asked)) as threads:
        found = threads.map(partial(_until_unfailed, plan, end), asked)
        rows = settled(plan, [row for part in found for row in part])
    return json.dumps(
        {
            "run": plan.run,
            "after": plan.after,
            "cluster": plan.own.cluster,
            "checks": [asdict(row) for row in rows],
        }
    )


def settled(plan: Plan, rows: list[Row]) -> list[Row]:
    """The rows, of which those are pending that fail of a cluster that isn't ready for them."""
    waiting = {to.cluster for to in plan.peers if not to.there}
    if not plan.targets_made:
        waiting |= {row.to for row in rows if row.outcome in _NOT_THERE_YET}
        waiting -= {plan.own.cluster}  # its own was waited for
    return [
        replace(row, outcome=PENDING) if _fails(row) and row.to in waiting else row for row in rows
    ]


def write_down(result: str, namespace: str, access: Access) -> None:
    """Put a result into the ConfigMap. Raises OSError when the API server doesn't take it."""
    url = f"{access.server}/api/v1/namespaces/{namespace}/configmaps/{RESULT}"
    request = urllib.request.Request(  # noqa: S310 - an https URL of our own
        url,
        json.dumps({"data": {KEY: result}}).encode(),
        {
            "Authorization": f"Bearer {access.token}",
            "Content-Type": "application/merge-patch+json",
        },
        method="PATCH",
    )
    context = ssl.create_default_context(cadata=access.authority)
    with urllib.request.urlopen(request, timeout=20, context=context):  # noqa: S310
        return


def access_of_the_pod(host: str, port: str) -> Access:
    """The access that Kubernetes gives every pod with a ServiceAccount."""
    return Access(
        server=f"https://{f'[{host}]' if ':' in host else host}:{port}",
        token=(ACCOUNT / "token").read_text(),
        authority=(ACCOUNT / "ca.crt").read_text(),
    )


def _until_unfailed(plan: Plan, end: float, ask: Callable[[], list[Row]]) -> list[Row]:
    absent = {to.cluster for to in plan.peers if not to.there}
    while True:
        rows = ask()
        failing = [row for row in rows if _fails(row) and row.to not in absent]
        if not failing or time.monotonic() > end:
            return rows
        time.sleep(_PAUSE)


def _fails(row: Row) -> bool:
    return row.outcome not in {PASSED, PENDING, SKIPPED}
