"""What a stack exports of a workload: how it is reached, and which Jobs look after it."""

from typing import Any

from mesh.workloads.kinds import software_of
from mesh.workloads.names import client_host
from mesh.workloads.tasks import tasks
from mesh.workloads.workload import Site, Workload


def summary(workload: Workload, site: Site) -> dict[str, Any]:
    """The members in all clusters, where clients of this one dial, and its Jobs by task."""
    software = software_of(workload, site)
    port = next(iter(software.ports.values()))
    jobs = [job["metadata"] for job in tasks(workload, site, software)]
    return {
        "kind": workload.settings.kind,
        "namespace": site.namespace,
        "members": list(workload.members()),
        "client": f"{client_host(site)}:{port}",
        "jobs": {job["labels"]["app.kubernetes.io/component"]: job["name"] for job in jobs},
    }
