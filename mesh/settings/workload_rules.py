"""The rules about what a workload must say, and what only one of your own may."""

from collections.abc import Iterator, Mapping

from mesh.settings.namespaces import is_in_every_cluster
from mesh.settings.problems import Broken
from mesh.settings.workloads import WorkloadSettings

_OF_AN_OWN_ONE = (
    "command",
    "arguments",
    "environment",
    "ports",
    "mount_path",
    "readiness_path",
    "configuration",
)
_MOST_OF_A_REPLICA_SET = 50


def own_keys_are_of_own_workloads(
    workloads: Mapping[str, WorkloadSettings],
) -> Iterator[Broken]:
    """A database that the program knows is started by the program."""
    for name, workload in workloads.items():
        for field in _OF_AN_OWN_ONE:
            if workload.kind != "custom" and field in workload.model_fields_set:
                key = f"workloads.{name}.{WorkloadSettings.model_fields[field].alias}"
                reason = f"means nothing with kind: {workload.kind}"
                yield Broken(key, None, reason, "take it out, or write kind: custom")


def licences_are_for_those_who_ask(
    workloads: Mapping[str, WorkloadSettings],
) -> Iterator[Broken]:
    """Of the databases the program knows, CockroachDB alone wants one."""
    for name, workload in workloads.items():
        if workload.licence_secret and workload.kind != "cockroachdb":
            reason = f"means nothing with kind: {workload.kind}"
            key = f"workloads.{name}.licenceSecret"
            yield Broken(key, workload.licence_secret, reason, "take it out")


def replica_sets_have_room(workloads: Mapping[str, WorkloadSettings]) -> Iterator[Broken]:
    """A replica set of MongoDB has at most 50 members (MongoDB's limits and thresholds)."""
    for name, workload in workloads.items():
        total = sum(share.replicas for share in workload.clusters.values())
        if workload.kind == "mongodb" and total > _MOST_OF_A_REPLICA_SET:
            key, reason = f"workloads.{name}.clusters", "is more than a replica set of MongoDB has"
            instead = f"write {_MOST_OF_A_REPLICA_SET} replicas in all, at most"
            yield Broken(key, total, reason, instead)


def own_workloads_name_image_and_port(
    workloads: Mapping[str, WorkloadSettings],
) -> Iterator[Broken]:
    """Of an own workload the program knows neither what runs nor where it listens."""
    for name, workload in workloads.items():
        if workload.kind != "custom":
            continue
        reason = "is missing, and kind is custom"
        if workload.image is None:
            instead = "write one like registry.example.com/notes:1.2.0"
            yield Broken(f"workloads.{name}.image", None, reason, instead)
        if not workload.ports:
            instead = "write one like {client: 8080}"
            yield Broken(f"workloads.{name}.ports", None, reason, instead)


def namespaces_are_their_own(workloads: Mapping[str, WorkloadSettings]) -> Iterator[Broken]:
    """A workload that names no namespace has one of its own name, and it must be free."""
    for name, workload in workloads.items():
        own = {workload.namespace_in(name, stack) for stack in workload.clusters}
        if name in own and workload.namespace is None and is_in_every_cluster(name):
            instead = "write another name, or a namespace of its own below it"
            yield Broken(f"workloads.{name}", name, "is a namespace of others", instead)


def localities_can_be_told(workloads: Mapping[str, WorkloadSettings]) -> Iterator[Broken]:
    """CockroachDB is told both in one word: `region=…,zone=…` (its manual, `--locality`)."""
    for name, workload in workloads.items():
        for stack, share in workload.clusters.items():
            for field, value in (("region", share.region), ("zone", share.zone)):
                if workload.kind == "cockroachdb" and value and {*value} & {",", "="}:
                    key = f"workloads.{name}.clusters.{stack}.{field}"
                    yield Broken(key, value, "has , or = in it", "write one like us-east-1")


def clients_are_elsewhere(workloads: Mapping[str, WorkloadSettings]) -> Iterator[Broken]:
    """In the members' own namespace the name for clients is there already."""
    for name, workload in workloads.items():
        own = {workload.namespace_in(name, stack) for stack in workload.clusters}
        for place, one in enumerate(workload.client_namespaces):
            key = f"workloads.{name}.clientNamespaces[{place}]"
            if one in own:
                reason = "is where its members are, and finds them anyway"
                yield Broken(key, one, reason, "take it out")
            elif one in workload.client_namespaces[:place]:
                yield Broken(key, one, "is there twice", "leave one of them out")
