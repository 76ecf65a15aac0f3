"""A namespace of ours in one cluster: made, used and taken away."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote

import urllib3

from cli.doctor.asking.access import Access
from cli.doctor.asking.api import ANSWER_SECONDS, Api, NoAnswerError, NotThereError
from cli.failure import Failure

NAMESPACE = "mesh-verify"
_PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ConfigMap": f"/api/v1/namespaces/{NAMESPACE}/configmaps",
    "ServiceAccount": f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts",
    "Service": f"/api/v1/namespaces/{NAMESPACE}/services",
    "Role": f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/roles",
    "RoleBinding": f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings",
    "StatefulSet": f"/apis/apps/v1/namespaces/{NAMESPACE}/statefulsets",
    "Job": f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs",
}
_FIRST_ERROR, _CONFLICT, _NOT_FOUND = 400, 409, 404
Stop = Callable[[], None]
"""Waits for a moment, and raises when there is nothing to wait for any more."""


class Workbench:
    """What `mesh verify` makes in a cluster; every failure is a Failure that names the cluster."""

    def __init__(self, access: Access) -> None:
        self.cluster = access.cluster
        self._made = False
        try:
            self.api = Api(access)
        except NoAnswerError as error:
            raise Failure(f"{self.cluster}: {error}") from None
        self._pool = urllib3.PoolManager(ssl_context=self.api.tls, retries=False)

    def __enter__(self) -> "Workbench":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.clear()
        self.api.close()

    def make(self, manifests: Iterable[Mapping[str, Any]]) -> None:
        """Make objects in our namespace, the namespace itself first; refuse one that is there."""
        for manifest in manifests:
            self._make(manifest)
            self._made = True

    def wait_for_target(self, pause: Stop, seconds: int) -> None:
        """Return when the pod that answers is ready. Raises Failure with what holds it up."""
        path = f"{_PATHS['StatefulSet']}/target"
        for _ in range(seconds):
            if self._get(path).get("status", {}).get("readyReplicas"):
                return
            pause()
        raise Failure(f"{self.cluster}: the pod target-0 isn't ready: {self._held_up()}")

    def wait_for_run(self, name: str, pause: Stop, seconds: int) -> None:
        """Return when a Job is complete. Raises Failure when it failed or takes too long."""
        for _ in range(seconds):
            status = self._get(f"{_PATHS['Job']}/{name}").get("status", {})
            ended = {one["type"]: one for one in status.get("conditions") or () if _is_so(one)}
            if "Complete" in ended:
                return
            if failed := ended.get("Failed"):
                why = failed.get("message") or "it failed"
                raise Failure(f"{self.cluster}: the Job {name}: {why}: {self._held_up()}")
            pause()
        raise Failure(f"{self.cluster}: the Job {name} doesn't end: {self._held_up()}")

    def config_map(self, namespace: str, name: str) -> Mapping[str, str] | None:
        """The data of a ConfigMap; None where there is none."""
        try:
            found = self.api.get(f"/api/v1/namespaces/{namespace}/configmaps/{quote(name)}")
        except NotThereError:
            return None
        except NoAnswerError as error:
            raise Failure(f"{self.cluster}: {error}") from None
        return found.get("data") or {}

    def address_of(self, service: str) -> str | None:
        """The address a LoadBalancer Service of kube-system was given, if any."""
        try:
            found = self.api.get(f"/api/v1/namespaces/kube-system/services/{service}")
        except NotThereError:
            return None
        except NoAnswerError as error:
            raise Failure(f"{self.cluster}: {error}") from None
        given = found.get("status", {}).get("loadBalancer", {}).get("ingress") or [{}]
        address: str | None = given[0].get("ip")
        return address

    def clear(self, pause: Stop, seconds: int) -> None:
        """Take everything away that was made, and wait until it is gone."""
        if not self._made:
            return
        path = f"{_PATHS['Namespace']}/{NAMESPACE}"
        self._ask("DELETE", path)
        for _ in range(seconds):
            if self._ask("GET", path) is None:
                self._made = False
                return
            pause()
        raise Failure(
            f"{self.cluster}: the namespace {NAMESPACE} is still being deleted: see what holds it "
            f"by kubectl --context {self.cluster} describe namespace {NAMESPACE}"
        )

    def _make(self, manifest: Mapping[str, Any]) -> None:
        answer = self._ask("POST", _PATHS[manifest["kind"]], manifest)
        if answer is None:
            name = f"{manifest['kind']} {manifest['metadata']['name']}"
            raise Failure(
                f"{self.cluster}: {name} is there already: another `mesh verify` runs, or one was "
                f"killed: kubectl --context {self.cluster} delete namespace {NAMESPACE}"
            )

    def _get(self, path: str) -> Mapping[str, Any]:
        try:
            return self.api.get(path)
        except NoAnswerError as error:
            raise Failure(f"{self.cluster}: {error}") from None

    def _held_up(self) -> str:
        """What Kubernetes says of our pods, in a few words."""
        listed = self._get(f"/api/v1/namespaces/{NAMESPACE}/pods").get("items") or ()
        words = [word for pod in listed for word in _troubles(pod.get("status") or {})]
        return "; ".join(words) or "no pod of it is there"

    def _ask(
        self, verb: str, path: str, document: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any] | None:
        """The answer; None for what is there already, or isn't there any more."""
        headers = {"Content-Type": "application/json", **self.api.authorization}
        body = None if document is None else json.dumps(document)
        url = f"{self.api.access.server}{path}"
        try:
            answer = self._pool.request(
                verb, url, body=body, headers=headers, timeout=ANSWER_SECONDS
            )
            said: dict[str, Any] = json.loads(answer.data or "{}")
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            words = f"no answer from its API ({type(error).__name__}): run `mesh doctor`"
            raise Failure(f"{self.cluster}: {words}") from None
        if answer.status == (_CONFLICT if verb == "POST" else _NOT_FOUND):
            return None
        if answer.status >= _FIRST_ERROR:
            raise Failure(f"{self.cluster}: its API refused: {said.get('message', answer.status)}")
        return said


def _is_so(condition: Mapping[str, str]) -> bool:
    return condition["status"] == "True"


def _troubles(status: Mapping[str, Any]) -> Iterable[str]:
    for container in status.get("containerStatuses") or ():
        state = container.get("state") or {}
        for words in (state.get("waiting"), state.get("terminated")):
            if words and words.get("reason") != "Completed":
                yield f"{words.get('reason', '')} {words.get('message', '')}".strip()
    for condition in status.get("conditions") or ():
        if condition["type"] == "PodScheduled" and not _is_so(condition):
            yield str(condition.get("message") or "it waits for a node")
