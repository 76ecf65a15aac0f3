"""A stretched etcd in the lab, asked by the etcdctl of one of its own members."""

from dataclasses import dataclass

from lab import kubectl

WORKLOAD = "ledger"
CERTIFICATES = "/certificates"
SETTINGS = """\
      ledger:
        kind: etcd
        volumeGib: 1
        clusters:
          east: {replicas: 2}
          west: {replicas: 1}
"""
"""The block in Pulumi.yaml."""


@dataclass(frozen=True)
class Member:
    """One member: its cluster and the number of its pod."""

    cluster: str
    number: int

    @property
    def pod(self) -> str:
        """The name of its pod."""
        return f"{WORKLOAD}-{self.number}"

    def ask(self, *words: str, seconds: int = 5) -> str:
        """Return what etcdctl says of this member. Raises KubectlError."""
        files = (("cacert", "ca.crt"), ("cert", "member.crt"), ("key", "member.key"))
        options = [f"--{option}={CERTIFICATES}/{file}" for option, file in files]
        limit = f"--command-timeout={seconds}s"
        command = ("etcdctl", "--endpoints=https://localhost:2379", *options, limit, *words)
        return kubectl.execute(self.cluster, WORKLOAD, self.pod, *command, seconds=seconds + 15)

    def write(self, key: str) -> bool:
        """Write a key and say whether that was acknowledged."""
        try:
            return self.ask("put", key, "written").strip() == "OK"
        except kubectl.KubectlError:
            return False

    def keys(self, prefix: str = "") -> set[str]:
        """Return the keys as all members agree on them. Raises KubectlError without a majority."""
        found = self.ask("get", prefix, "--prefix", "--keys-only")
        return {line for line in found.splitlines() if line}

    def own_keys(self) -> set[str]:
        """Return the keys that this member has on its own volume, agreed or not."""
        found = self.ask("get", "", "--prefix", "--keys-only", "--consistency=s")
        return {line for line in found.splitlines() if line}

    def serves(self) -> bool:
        """Say whether a majority can be read through this member."""
        try:
            self.keys("nothing")
        except kubectl.KubectlError:
            return False
        return True


EAST = (Member("east", 0), Member("east", 1))
WEST = (Member("west", 0),)
ALL = (*EAST, *WEST)
