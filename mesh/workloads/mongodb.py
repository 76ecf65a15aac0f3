"""MongoDB: one replica set over all clusters, whose members know each other by certificate."""

import json
from pathlib import Path

from mesh.workloads.environment import place
from mesh.workloads.names import client_host
from mesh.workloads.software import (
    CERTIFICATES,
    CONFIGURATION,
    Certificate,
    Software,
    Task,
)
from mesh.workloads.workload import Site, Workload

_PORT = 27017
_DATA = "/data/db"
_USER = 999
"""The user mongodb of the official image."""
_VOTERS = 7
"""Of a replica set, seven members vote at most (MongoDB's limits and thresholds)."""


def software(workload: Workload, site: Site) -> Software:
    """MongoDB with TLS and X.509 membership; clients show a certificate too, and have no password.

    Who has the organization of the members in its certificate is a member, with all rights: no
    client's certificate has it.
    """
    return Software(
        image="docker.io/library/mongo:8.0",
        ports={"client": _PORT},
        data=_DATA,
        readiness={"tcpSocket": {"port": _PORT}},
        command=("mongod",),
        arguments=_arguments(workload),
        files={
            "members.json": json.dumps(_replica_set(workload), indent=2),
            **{f"{name}.js": _script(name) for name in ("initialise", "verify")},
        },
        certificates=(
            Certificate(
                name="member",
                common_name=workload.name,
                organization=workload.name,
                organizational_unit="members",
                server=True,
                in_one_file=True,
            ),
            Certificate(
                name="client",
                common_name=f"{workload.name}-client",
                for_clients=True,
                in_one_file=True,
            ),
        ),
        user=_USER,
        # The primary hands over first.
        grace_seconds=120,
        # There is no user yet whom a client could be.
        initialise=_task("initialise", "member"),
        verify=_task("verify", "client", SERVICE=f"{client_host(site)}:{_PORT}"),
    )


def _arguments(workload: Workload) -> tuple[str, ...]:
    return (
        f"--replSet={workload.name}",
        f"--port={_PORT}",
        f"--dbpath={_DATA}",
        "--bind_ip_all",
        "--auth",
        "--tlsMode=requireTLS",
        f"--tlsCAFile={CERTIFICATES}/ca.crt",
        f"--tlsCertificateKeyFile={CERTIFICATES}/member.pem",
        "--clusterAuthMode=x509",
    )


def _task(script: str, certificate: str, **environment: str) -> Task:
    """A script for mongosh, which connects to members by itself."""
    command = ("mongosh", "--nodb", "--quiet", "--norc", f"--file={CONFIGURATION}/{script}.js")
    return Task(
        command=command,
        environment={"CERTIFICATE": f"{certificate}.pem", **environment},
        as_member=certificate == "member",
    )


def _replica_set(workload: Workload) -> dict[str, object]:
    """The replica set: its name, how many may vote, and the members without their numbers."""
    placed = [(site, name) for site in workload.sites for name in site.members()]
    members = [
        {
            "host": f"{name}:{_PORT}",
            "tags": {name.lower(): value for name, value in place(site).items()},
            **({} if number < _VOTERS else {"votes": 0, "priority": 0}),
        }
        for number, (site, name) in enumerate(placed)
    ]
    return {"name": workload.name, "voters": _VOTERS, "members": members}


def _script(name: str) -> str:
    here = Path(__file__).parent
    return "\n".join((here / f"mongodb_{one}.js").read_text("utf-8") for one in ("connect", name))
