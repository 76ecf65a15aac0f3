"""CockroachDB: one database over all regions, of which any may start first."""

from pathlib import Path

from mesh.workloads.names import client_host
from mesh.workloads.software import (
    CERTIFICATES,
    CONFIGURATION,
    Certificate,
    Software,
    Task,
)
from mesh.workloads.workload import Site, Workload

PROGRAM = "/cockroach/cockroach"
_SQL, _HTTP = 26257, 8080
_DATA = "/cockroach/cockroach-data"
_USER = 1000
"""A key of root's may be readable for the group of the process, and not for one it has beside."""


def software(workload: Workload, site: Site) -> Software:
    """CockroachDB with certificates: members know each other by their names in the zones."""
    return Software(
        image="docker.io/cockroachdb/cockroach:v26.2.1",
        ports={"sql": _SQL, "http": _HTTP},
        data=_DATA,
        readiness={
            "httpGet": {"path": "/health?ready=1", "port": _HTTP, "scheme": "HTTPS"},
            "timeoutSeconds": 5,
        },
        command=(PROGRAM, "start"),
        arguments=_ARGUMENTS,
        files={name: _beside(name) for name in ("initialise.sh", "verify.sh")},
        # The names of the files and in the certificates are CockroachDB's own.
        certificates=(
            Certificate(name="node", common_name="node", organization="Cockroach", server=True),
            Certificate(
                name="client.root",
                common_name="root",
                organization="Cockroach",
                for_clients=True,
            ),
        ),
        user=_USER,
        # A member hands its leases over before it goes.
        grace_seconds=300,
        initialise=Task(
            command=("sh", f"{CONFIGURATION}/initialise.sh"),
            environment={"FIRST_MEMBER": workload.first().member(0), **_licence(workload)},
        ),
        verify=Task(
            command=("sh", f"{CONFIGURATION}/verify.sh"),
            environment={"SERVICE": client_host(site)},
        ),
    )


_ARGUMENTS = (
    "--logtostderr",
    f"--certs-dir={CERTIFICATES}",
    f"--store={_DATA}",
    f"--http-addr=0.0.0.0:{_HTTP}",
    # `hostname -f` ends in cluster.local, which is another pod in every cluster.
    "--advertise-host=$(MEMBER_NAME)",
    "--join=$(SEEDS)",
    "--locality=region=$(REGION),zone=$(ZONE)",
    "--cache=25%",
    "--max-sql-memory=25%",
)


def _licence(workload: Workload) -> dict[str, dict[str, object]]:
    """Without one, CockroachDB slows several members down after seven days."""
    name = workload.settings.licence_secret
    if name is None:
        return {}
    return {"LICENCE": {"secretKeyRef": {"name": name, "key": "licence"}}}


def _beside(name: str) -> str:
    return (Path(__file__).parent / f"cockroachdb_{name}").read_text("utf-8")
