"""`mesh verify` and `mesh doctor`, as somebody runs them who has the clusters' kubeconfig."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from lab import inside, project
from tests.whole.clone import MESH

# What fails is tried again for long; in a lab that was just broken on purpose it stays so.
_IMPATIENT = """\
import sys
from cli.main import main
from cli.verify import plans
plans._PATIENCE = 5.0
sys.argv = ["mesh", *sys.argv[1:]]
main()
"""

Finding = Mapping[str, str]


def verify() -> tuple[int, list[Finding]]:
    """Return the exit status and the findings of `mesh verify`."""
    return _asked([str(MESH), "verify", "--json"])


def verify_at_once() -> tuple[int, list[Finding]]:
    """Return the same of one that tries nothing again for long, for a mesh known to be broken."""
    return _asked([sys.executable, "-c", _IMPATIENT, "verify", "--json"])


def doctor() -> tuple[int, list[Finding]]:
    """Return the exit status and the findings of `mesh doctor`."""
    return _asked([str(MESH), "doctor", "--json"])


def _asked(command: list[str]) -> tuple[int, list[Finding]]:
    finished = subprocess.run(
        inside.command(["timeout", "-k", "10", "400", *command]),
        cwd=project.COPY,
        env=inside.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    print(finished.stdout, finished.stderr)
    document: dict[str, Any] = json.loads(finished.stdout)
    return finished.returncode, document["findings"]


def failed(findings: list[Finding], here: str, to: str) -> dict[str, Finding]:
    """Return what failed from one cluster to another, by check."""
    return {
        one["check"]: one
        for one in findings
        if (one["from"], one["to"], one["result"]) == (here, to, "fail")
    }
