"""A stretched MariaDB in the lab, asked by a client of each cluster by the members' names."""

from dataclasses import dataclass

from lab import kubectl
from tests.whole.names import zone
from tests.whole.stretched import CLUSTERS

WORKLOAD = "shop"
CLIENT = "asks"
SETTINGS = """\
      shop:
        kind: galera
        volumeGib: 1
        clusters:
          east: {replicas: 2}
          west: {replicas: 1}
"""
"""The block in Pulumi.yaml."""
TABLE = "bought.things"
# What the program gives to clients: a certificate, and the settings that name it.
_MANIFEST = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: {CLIENT}, namespace: {WORKLOAD}}}
spec:
  terminationGracePeriodSeconds: 0
  securityContext: {{runAsUser: 999, fsGroup: 999}}
  containers:
    - name: client
      image: docker.io/library/mariadb:10.11
      imagePullPolicy: Never
      command: [sleep, infinity]
      volumeMounts:
        - {{name: certificates, mountPath: /certificates}}
        - {{name: configuration, mountPath: /configuration}}
  volumes:
    - {{name: certificates, secret: {{secretName: {WORKLOAD}-client, defaultMode: 0440}}}}
    - {{name: configuration, configMap: {{name: {WORKLOAD}-configuration}}}}
"""


@dataclass(frozen=True)
class Member:
    """One member: its cluster and the number of its pod."""

    cluster: str
    number: int

    @property
    def pod(self) -> str:
        """The name of its pod."""
        return f"{WORKLOAD}-{self.number}"

    @property
    def name(self) -> str:
        """Its name in every cluster."""
        return f"{self.pod}.{WORKLOAD}.{WORKLOAD}.{zone(self.cluster)}"

    def run(self, statement: str, *, seconds: float = 15, asked_from: str = "") -> list[str]:
        """Return the rows of a statement, from a client beside it unless another cluster is named.

        Raises:
            KubectlError: the member refuses, or takes longer than `seconds`.
        """
        options = ("--skip-column-names", "--batch", "--connect-timeout=5")
        where = ("--defaults-file=/configuration/client.cnf", f"--host={self.name}")
        # Bounded in the pod too: what kubectl gives up goes on there.
        command = ("timeout", f"{seconds:.0f}", "mariadb", *where, *options)
        said = kubectl.execute(
            *(asked_from or self.cluster, WORKLOAD, CLIENT),
            *(*command, f"--execute={statement}"),
            seconds=seconds + 10,
        )
        return said.splitlines()

    def write(self, key: str, *, seconds: float = 15) -> bool:
        """Write a row and say whether that was acknowledged."""
        try:
            self.run(f"REPLACE INTO {TABLE} VALUES ('{key}')", seconds=seconds)
        except kubectl.KubectlError:
            return False
        return True

    def rows(self, *, asked_from: str = "") -> set[str]:
        """Return every row. Raises KubectlError when the member refuses."""
        # Waits until all that was acknowledged before, anywhere, is here too.
        waiting = "SET SESSION wsrep_sync_wait = 1; "
        return set(self.run(f"{waiting}SELECT thing FROM {TABLE}", asked_from=asked_from))

    def status(self, variable: str) -> str:
        """Return a status variable of Galera; "" when the member doesn't answer."""
        statement = (
            "SELECT variable_value FROM information_schema.global_status "
            f"WHERE variable_name = '{variable}'"
        )
        try:
            return "".join(self.run(statement))
        except kubectl.KubectlError:
            return ""

    def is_synced(self) -> bool:
        """Say whether it has all data, and sees every member."""
        return (
            self.status("wsrep_local_state_comment") == "Synced"
            and self.status("wsrep_cluster_size") == str(len(ALL))
            and self.status("wsrep_cluster_status") == "Primary"
        )


EAST = (Member("east", 0), Member("east", 1))
WEST = (Member("west", 0),)
ALL = (*EAST, *WEST)


def all_synced() -> bool:
    """Say whether all members are one cluster with the same data."""
    return all(member.is_synced() for member in ALL)


def start_clients() -> None:
    """Bring a client into each cluster."""
    for cluster in CLUSTERS:
        kubectl.run(cluster, "apply", "--filename=-", given=_MANIFEST)
    for cluster in CLUSTERS:
        waiting = ("wait", "pod", CLIENT, f"--namespace={WORKLOAD}", "--for=condition=Ready")
        kubectl.run(cluster, *waiting, "--timeout=60s", seconds=70)


def log(member: Member) -> str:
    """Return what a member's server wrote."""
    return kubectl.run(member.cluster, "logs", member.pod, f"--namespace={WORKLOAD}")
