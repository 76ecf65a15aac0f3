"""The little of a Kubernetes API that a repair looks at and takes away."""

import base64
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import kubernetes
import kubernetes.dynamic
import urllib3
import yaml
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ResourceNotFoundError

from cli.failure import Failure
from cli.repair.objects import ObjectReference
from cli.repair.releases import OURS, Revision
from mesh.client_certificate import client_context
from mesh.pki import KeyPair

_client: Any = kubernetes  # only half typed, and half of that wrong
_ANSWER_SECONDS = 10
_GONE_SECONDS = 60
_POLL_SECONDS = 0.5
_NOT_FOUND = 404


class Cluster:
    """A cluster by its kubeconfig; every failure is a Failure. Raises it if nothing answers."""

    def __init__(self, kubeconfig: str) -> None:
        document = yaml.safe_load(kubeconfig)
        cluster, user = document["clusters"][0]["cluster"], document["users"][0]["user"]
        self._server = cluster["server"]
        self._api = _client.client.ApiClient(_client.client.Configuration(host=self._server))
        options = self._api.rest_client.pool_manager.connection_pool_kw
        # The client's own way with keys leads through files, which a killed repair would leave.
        options["ssl_context"] = client_context(
            _text(cluster["certificate-authority-data"]),
            KeyPair(_text(user["client-certificate-data"]), _text(user["client-key-data"])),
        )
        # The client's own three tries would hold an unreachable address for minutes.
        options["retries"] = False
        self._core = _client.client.CoreV1Api(self._api)
        version = _client.client.VersionApi(self._api)
        self._ask(lambda: version.get_code(_request_timeout=_ANSWER_SECONDS))
        self._dynamic = self._ask(lambda: _client.dynamic.DynamicClient(self._api))

    def revisions(self) -> list[Revision]:
        """Every revision of every release in the namespaces of the program's releases."""
        found = []
        for namespace in sorted({namespace for namespace, _ in OURS}):
            listed = self._ask(partial(self._helm_secrets, namespace)) or ()
            found += [_revision(secret.metadata) for secret in listed]
        return found

    def delete_revision(self, revision: Revision) -> None:
        """Make Helm forget a revision; the objects it made stay."""
        self._ask(
            lambda: self._core.delete_namespaced_secret(
                revision.secret, revision.namespace, _request_timeout=_ANSWER_SECONDS
            )
        )

    def find(self, reference: ObjectReference) -> Mapping[str, Any] | None:
        """The object with its managed fields, or None."""
        found = self._ask(lambda: self._do("get", reference))
        return None if found is None else dict(found.to_dict())

    def delete(self, reference: ObjectReference) -> None:
        """Delete an object and wait until it is gone. Raises Failure after a minute."""
        self._ask(lambda: self._do("delete", reference))
        end = time.monotonic() + _GONE_SECONDS
        while self.find(reference) is not None:
            if time.monotonic() > end:
                raise Failure(f"{reference} is still being deleted: run this again in a while")
            time.sleep(_POLL_SECONDS)

    def close(self) -> None:
        """Close the connections."""
        self._api.close()

    def _do(self, verb: str, reference: ObjectReference) -> Any:  # noqa: ANN401 - untyped
        kind = self._dynamic.resources.get(api_version=reference.api_version, kind=reference.kind)
        where = {"namespace": reference.namespace or "default"} if kind.namespaced else {}
        options = {"name": reference.name, "_request_timeout": _ANSWER_SECONDS, **where}
        return getattr(self._dynamic, verb)(kind, **options)

    def _helm_secrets(self, namespace: str) -> Any:  # noqa: ANN401
        return self._core.list_namespaced_secret(
            namespace, label_selector="owner=helm", _request_timeout=_ANSWER_SECONDS
        ).items

    def _ask(self, request: Callable[[], Any]) -> Any:  # noqa: ANN401
        """What a request gives, or None when what it asks for isn't there."""
        try:
            return request()
        except ResourceNotFoundError:  # the cluster has no such kind
            return None
        except ApiException as error:
            if error.status == _NOT_FOUND:
                return None
            raise Failure(f"{self._server} refused: {error.status} {error.reason}") from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise Failure(f"no answer from {self._server}: {type(error).__name__}") from error


def _text(data: str) -> str:
    return base64.b64decode(data).decode()


def _revision(metadata: Any) -> Revision:  # noqa: ANN401
    labels = metadata.labels or {}
    return Revision(
        secret=metadata.name,
        namespace=metadata.namespace,
        release=labels.get("name", ""),
        number=int(labels.get("version", 0)),
        status=labels.get("status", ""),
    )
