"""What a cluster's own controllers and nodes would do for acceptance, where none of them runs.

Pods are said to be ready, a namespace that is deleted goes, and a Job is done by a function: its
result is written by the probe's own code with the token and the rights of the Job's account.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import kubernetes
import yaml

from mesh.acceptance.probe.plan import Plan
from mesh.acceptance.probe.run import Access, write_down
from tests.cli.conftest import Kubernetes

client: Any = kubernetes  # only half typed
Done = Callable[[Plan], str | None]
"""The result of a run by its plan; None is a Job that fails."""
_PAUSE = 0.1


@contextmanager
def controllers(api: Kubernetes, done: Done) -> Iterator[Any]:
    """A connection to the API server, beside which the controllers work."""
    connection = client.config.new_client_from_config_dict(yaml.safe_load(api.kubeconfig))
    ended = threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            while not ended.wait(_PAUSE):
                _work(connection, api, done)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield connection
    finally:
        ended.set()
        thread.join()
        connection.close()
    assert not failures, failures


def _work(connection: Any, api: Kubernetes, done: Done) -> None:
    core = client.client.CoreV1Api(connection)
    for namespace in core.list_namespace().items:
        name = namespace.metadata.name
        if not name.startswith("mesh-"):
            continue
        if namespace.status.phase == "Terminating":
            _end(core, name)
            continue
        try:
            _let_pods_be_ready(connection, name)
            _do_jobs(connection, api, name, done)
        except client.client.ApiException:
            # It may go while we work, and then takes nothing new: the next round ends it.
            if not _is_going(core, name):
                raise


def _is_going(core: Any, name: str) -> bool:
    listed = core.list_namespace(field_selector=f"metadata.name={name}").items
    return all(each.status.phase == "Terminating" for each in listed)


def _end(core: Any, name: str) -> None:
    for kind in ("config_map", "service_account"):
        getattr(core, f"delete_collection_namespaced_{kind}")(name)
    # By default a Job waits for a collector of garbage, which isn't here.
    now = "Background"
    jobs, apps = client.client.BatchV1Api(core.api_client), client.client.AppsV1Api(core.api_client)
    jobs.delete_collection_namespaced_job(name, propagation_policy=now)
    apps.delete_collection_namespaced_stateful_set(name, propagation_policy=now)
    rights = client.client.RbacAuthorizationV1Api(core.api_client)
    rights.delete_collection_namespaced_role(name)
    rights.delete_collection_namespaced_role_binding(name)
    for service in core.list_namespaced_service(name).items:
        core.delete_namespaced_service(service.metadata.name, name)
    found = core.read_namespace(name)
    found.spec.finalizers = []
    core.replace_namespace_finalize(name, found)


def _let_pods_be_ready(connection: Any, namespace: str) -> None:
    apps = client.client.AppsV1Api(connection)
    for one in apps.list_namespaced_stateful_set(namespace).items:
        revision = f"revision-{one.metadata.generation}"
        status = {
            "observedGeneration": one.metadata.generation,
            "replicas": 1,
            "readyReplicas": 1,
            "availableReplicas": 1,
            "currentReplicas": 1,
            "updatedReplicas": 1,
            "currentRevision": revision,
            "updateRevision": revision,
        }
        if (
            one.status.ready_replicas != 1
            or one.status.observed_generation != one.metadata.generation
        ):
            apps.patch_namespaced_stateful_set_status(
                one.metadata.name, namespace, {"status": status}
            )
    core = client.client.CoreV1Api(connection)
    there = {one.metadata.name for one in core.list_namespaced_endpoints(namespace).items}
    for service in core.list_namespaced_service(namespace).items:
        if (name := service.metadata.name) not in there:
            addresses = [{"addresses": [{"ip": "10.102.0.9"}]}]
            core.create_namespaced_endpoints(
                namespace, {"metadata": {"name": name}, "subsets": addresses}
            )


def _do_jobs(connection: Any, api: Kubernetes, namespace: str, done: Done) -> None:
    jobs = client.client.BatchV1Api(connection)
    for job in jobs.list_namespaced_job(namespace).items:
        if job.metadata.deletion_timestamp:
            # What a collector of garbage does once the pods are gone.
            gone = {"metadata": {"finalizers": None}}
            jobs.patch_namespaced_job(job.metadata.name, namespace, gone)
            continue
        if job.status.conditions:
            continue
        [container] = job.spec.template.spec.containers
        [text] = [one.value for one in container.env if one.name == "PLAN"]
        result = done(Plan.read(text))
        if result is not None:
            write_down(result, namespace, _account(connection, api, namespace, job))
        _end_job(jobs, namespace, job.metadata.name, "Failed" if result is None else "Complete")


def _account(connection: Any, api: Kubernetes, namespace: str, job: Any) -> Access:
    name = job.spec.template.spec.service_account_name
    token = client.client.CoreV1Api(connection).create_namespaced_service_account_token(
        name, namespace, {"spec": {"audiences": ["https://kubernetes.default"]}}
    )
    return Access(api.server, token.status.token, api.secrets.cluster_ca.certificate)


def _end_job(jobs: Any, namespace: str, name: str, kind: str) -> None:
    now = "2026-01-01T00:00:00Z"
    first = "SuccessCriteriaMet" if kind == "Complete" else "FailureTarget"
    conditions = [
        {"type": one, "status": "True", "lastTransitionTime": now, "reason": "Test"}
        for one in (first, kind)
    ]
    counted = {"succeeded": 1, "completionTime": now} if kind == "Complete" else {"failed": 1}
    status = {"startTime": now, "conditions": conditions, **counted}
    jobs.patch_namespaced_job_status(name, namespace, {"status": status})


def result_of(plan: Plan, **outcomes: str) -> str:
    """A result with one check of every peer, passed unless the peer's outcome is named."""
    checks = [
        {
            "to": peer.cluster,
            "check": "pod by TCP",
            "outcome": outcomes.get(peer.cluster, "passed"),
            "seen": "seen",
        }
        for peer in plan.peers
    ]
    return json.dumps(
        {"run": plan.run, "after": plan.after, "cluster": plan.own.cluster, "checks": checks}
    )
