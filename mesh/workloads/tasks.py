"""Jobs: what is done once for a workload, and what waits until all of it is there."""

import hashlib
import json
from typing import Any

from mesh.workloads.environment import task_variables
from mesh.workloads.pod import labels, pod_spec
from mesh.workloads.software import Software, Task
from mesh.workloads.workload import Site, Workload

_TRIES = 300
"""With at most five minutes between two of them this is about a day, as long as a peer may take."""


def tasks(workload: Workload, site: Site, software: Software) -> tuple[dict[str, Any], ...]:
    """The Jobs of one cluster. Initialising is the first cluster's; each verifies for itself.

    None while the workload has no members at all: they would fail for a day.
    """
    if not workload.members():
        return ()
    once = software.initialise if site == workload.first() else None
    found = {"initialise": once, "verify": software.verify}
    return tuple(_job(workload, site, software, name, task) for name, task in found.items() if task)


def _job(
    workload: Workload, site: Site, software: Software, name: str, task: Task
) -> dict[str, Any]:
    variables = {**task_variables(workload, site, software), **task.environment}
    container = {"name": name, "command": list(task.command)}
    pod = pod_spec(site, software, container, variables=variables, for_clients=not task.as_member)
    # In place, so that one pod has the log of all tries.
    pod["restartPolicy"] = "OnFailure"
    spec = {
        "backoffLimit": _TRIES,
        "template": {"metadata": {"labels": labels(workload.name, name)}, "spec": pod},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            # A Job can't be changed: another one has another name.
            "name": f"{workload.name}-{name}-{_hash(spec)}",
            "namespace": site.namespace,
            "labels": labels(workload.name, name),
            # It ends when the peer's members are there too, and no `up` waits for a peer.
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        "spec": spec,
    }


def _hash(spec: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:8]
