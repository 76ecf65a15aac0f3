"""Helm releases that were cut short, or that the state doesn't know."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from cli.state import State
from mesh.render.metallb import NAMESPACE as METALLB_NAMESPACE

RELEASE = "kubernetes:helm.sh/v3:Release"
OURS = (("kube-system", "cilium"), (METALLB_NAMESPACE, "metallb"))
"""Namespace and name of every release that the program makes."""


@dataclass(frozen=True)
class Revision:
    """One revision of a release: Helm keeps it in a Secret of its own."""

    secret: str
    namespace: str
    release: str
    number: int
    status: str

    def __str__(self) -> str:
        return f"revision {self.number} of release {self.release}, {self.status}"


def leftover_revisions(found: Collection[Revision], state: State) -> Iterator[Revision]:
    """The revisions that stop the next `up`.

    A release that the state doesn't know must lose all of them, as Helm installs under no name in
    use. The objects stay: they carry the release's name, so the next install adopts them. Of a
    known release only the newest revisions that never ended go.
    """
    known = {_key(resource.outputs) for resource in state.of_type(RELEASE)}
    for key in OURS:
        revisions = [one for one in found if (one.namespace, one.release) == key]
        for revision in sorted(revisions, key=lambda one: one.number, reverse=True):
            if key in known and not revision.status.startswith("pending-"):
                break
            yield revision


def _key(outputs: object) -> tuple[str, str]:
    values = outputs if isinstance(outputs, dict) else {}
    return str(values.get("namespace")), str(values.get("name"))
