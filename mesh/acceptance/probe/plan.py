"""What a run is told: who it is, whom it asks, and where."""

import json
from dataclasses import asdict, dataclass

PORT = 8080
"""Of the target's TCP and UDP."""
TARGET = "target"
"""The StatefulSet of one pod that answers, and its headless Service."""
GLOBAL = "everywhere"
"""The Service of the same name in every cluster, which leads to the targets of all of them."""


def marked(service: str, mark: str) -> str:
    """The name of a Service of the runs that have this mark."""
    return f"{service}-{mark}" if mark else service


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """A cluster that is asked; the own one too."""

    cluster: str
    zone: str
    """What its names end in; empty where peers find no name of a target."""
    dns: tuple[str, ...] = ()
    """Addresses at which its zone is asked for; none of the own cluster."""
    dns_port: int = 53
    there: bool = True
    """Whether it ever was brought up; else what fails is pending, and not tried again."""

    @property
    def pod(self) -> str:
        """The name of its target in its own cluster."""
        return f"{TARGET}-0"

    def service_name(self, plan: "Plan") -> str:
        """The name of its headless Service, the same in every cluster."""
        return f"{marked(TARGET, plan.mark)}.{plan.namespace}.{self.zone}"

    def pod_name(self, plan: "Plan") -> str:
        """The name of its target, the same in every cluster."""
        return f"{self.pod}.{self.service_name(plan)}"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One run in one cluster."""

    run: str
    """Made of everything it depends on."""
    after: str
    """The run that failed before it and is tried again; empty for none."""
    namespace: str
    domain: str
    """What Kubernetes calls the own cluster, as cluster.local."""
    own: Neighbour
    peers: tuple[Neighbour, ...]
    patience: float
    """Seconds in which what fails is tried again."""
    targets_made: bool = False
    """Whether every target is known to run: a missing one is a failure then, and not pending."""
    mark: str = ""
    """What its Services' names end in, so that no cache has an older answer for them.

    Empty for targets that stay: a found name is believed there once its owner says it too.
    """
    port: int = PORT

    def text(self) -> str:
        """The plan as JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def read(cls, text: str) -> "Plan":
        """The plan out of its own JSON."""
        found = json.loads(text)
        own, peers = found.pop("own"), found.pop("peers")
        return cls(**found, own=_neighbour(own), peers=tuple(map(_neighbour, peers)))


@dataclass(frozen=True)
class Row:
    """What one check saw of one cluster."""

    to: str
    check: str
    outcome: str
    """A word of mesh.acceptance.causes, or `passed`."""
    seen: str


PASSED = "passed"


def _neighbour(found: dict[str, object]) -> Neighbour:
    dns = found.pop("dns")
    assert isinstance(dns, list)  # noqa: S101 - our own JSON
    return Neighbour(**found, dns=tuple(dns))  # type: ignore[arg-type]
