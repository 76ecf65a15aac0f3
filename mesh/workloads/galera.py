"""MariaDB with Galera: every member has all data, and one that comes first makes the cluster."""

from pathlib import Path

from mesh.workloads.software import CERTIFICATES, CONFIGURATION, Certificate, Software, Task
from mesh.workloads.workload import Site, Workload

_IMAGE = "docker.io/library/mariadb:10.11"
_PORTS = {"client": 3306, "replication": 4567, "increment": 4568, "transfer": 4444}
_USER = 999
"""The user mysql of the official image; in others it needs no name."""


def software(workload: Workload, site: Site) -> Software:
    """MariaDB, started by a script that makes one cluster and never two.

    The image has `sh`, `mariadbd`, its tools and Galera's library. Clients have no password: they
    show a certificate.
    """
    return Software(
        image=_IMAGE,
        ports=_PORTS,
        data="/var/lib/mysql",
        command=("sh", f"{CONFIGURATION}/start.sh"),
        readiness={
            "exec": {"command": ["sh", f"{CONFIGURATION}/ready.sh"]},
            "timeoutSeconds": 5,
        },
        liveness={
            "exec": {"command": ["sh", f"{CONFIGURATION}/alive.sh"]},
            "periodSeconds": 10,
            "timeoutSeconds": 5,
            "failureThreshold": 3,
        },
        files=_files(workload, site),
        certificates=(
            Certificate(name="member", common_name=workload.name, server=True),
            Certificate(name="client", common_name=f"{workload.name}-client", for_clients=True),
        ),
        user=_USER,
        # All data may have to be handed over to a member that comes back meanwhile.
        grace_seconds=300,
        verify=Task(command=("sh", f"{CONFIGURATION}/verify.sh"), environment={}),
    )


def _files(workload: Workload, site: Site) -> dict[str, str]:
    segment = workload.sites.index(site)
    settings = _beside("galera.cnf").replace("${WORKLOAD}", workload.name)
    return {
        "galera.cnf": settings.replace("${SEGMENT}", str(segment)),
        "start.sh": _beside("galera_start.sh"),
        "verify.sh": _beside("galera_verify.sh"),
        "ready.sh": _READY,
        "alive.sh": _ALIVE,
        "member.cnf": _client_settings("member"),
        "client.cnf": _client_settings("client"),
        "users.sql": _users(workload.name),
    }


_READY = f"""\
# Whether this member may be asked: it is in the cluster and has caught up.
mariadb --defaults-file={CONFIGURATION}/member.cnf --host=127.0.0.1 --skip-column-names --batch \\
    --execute="SHOW STATUS LIKE 'wsrep_ready'" | grep -q ON
"""


_ALIVE = f"""\
# Whether this member can still come in by itself. One that Galera calls inconsistent, or in need of
# a restart, leaves the cluster and serves on alone until somebody starts it anew. Who doesn't
# answer starts or takes its data over, and a member cut off from the others is connected.
state=$(mariadb --defaults-file={CONFIGURATION}/member.cnf --host=127.0.0.1 --connect-timeout=3 \\
    --skip-column-names --batch \\
    --execute="SELECT @@wsrep_provider; SHOW STATUS LIKE 'wsrep_connected'" 2>/dev/null) || exit 0
case $state in
none*) exit 0 ;;
*OFF) echo "left the cluster: $state" && exit 1 ;;
esac
"""


def _client_settings(user: str) -> str:
    return f"""\
[client]
user = {user}
ssl_ca = {CERTIFICATES}/ca.crt
ssl_cert = {CERTIFICATES}/{user}.crt
ssl_key = {CERTIFICATES}/{user}.key
ssl_verify_server_cert = ON
"""


def _users(workload: str) -> str:
    """The users of a new cluster: who they are, their certificate says."""
    return _beside("galera_users.sql").replace("${WORKLOAD}", workload)


def _beside(name: str) -> str:
    return (Path(__file__).parent / name).read_text("utf-8")
