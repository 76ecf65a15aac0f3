"""What a repair does inside a cluster."""

from collections.abc import Iterator

from cli.cluster import Cluster
from cli.repair.action import Action
from cli.repair.objects import ObjectReference, half_made_objects, was_written_by_pulumi
from cli.repair.releases import Revision, leftover_revisions
from cli.state import State


def look(cluster: Cluster, state: State) -> Iterator[Action]:
    """Compare the cluster's releases and half-made objects with what the stack's state knows."""
    for revision in leftover_revisions(cluster.revisions(), state):
        yield _forget(cluster, revision)
    for reference in half_made_objects(state):
        found = cluster.find(reference)
        # What others made by hand under our name is theirs; the next up says so.
        if found and was_written_by_pulumi(found):
            yield _delete(cluster, reference)


def _forget(cluster: Cluster, revision: Revision) -> Action:
    line = f"delete Helm's record of {revision}: the next up installs over what is there"
    return Action(line, lambda: cluster.delete_revision(revision))


def _delete(cluster: Cluster, reference: ObjectReference) -> Action:
    line = f"delete {reference}: its creation was cut short"
    return Action(line, lambda: cluster.delete(reference))
