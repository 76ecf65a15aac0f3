"""`target` serves until it is ended; `run` takes its plan from the environment."""

import os
import signal
import sys
from pathlib import Path

from mesh.acceptance.probe.plan import Plan
from mesh.acceptance.probe.questions import first_resolver
from mesh.acceptance.probe.run import access_of_the_pod, run, write_down
from mesh.acceptance.probe.target import Target


def _serve() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with Target(os.environ["CLUSTER"], os.environ["POD"]):
        signal.pause()


def _run() -> None:
    plan = Plan.read(os.environ["PLAN"])
    result = run(plan, first_resolver(Path("/etc/resolv.conf").read_text()))
    sys.stdout.write(f"{result}\n")
    where = (os.environ[f"KUBERNETES_SERVICE_{part}"] for part in ("HOST", "PORT"))
    write_down(result, plan.namespace, access_of_the_pod(*where))


if __name__ == "__main__":
    {"target": _serve, "run": _run}[sys.argv[1]]()
