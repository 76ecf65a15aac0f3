"""A cluster's API, asked for what it shows and never told to change anything."""

import json
import ssl
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import kubernetes
import urllib3
from kubernetes.client.exceptions import ApiException

from cli.doctor.asking.access import Access
from mesh.client_certificate import client_context

_client: Any = kubernetes  # only half typed, and half of that wrong
ANSWER_SECONDS = 10.0
# The client's own three tries would hold an unreachable address for minutes. An API server that
# is busy, or makes room for a new kind, says when to ask again.
_WHEN_BUSY = urllib3.Retry(
    total=3, connect=0, read=0, redirect=0, other=0, raise_on_status=False, retry_after_max=2
)
_WELL, _UNAUTHORIZED, _NOT_FOUND = 200, 401, 404


class NoAnswerError(Exception):
    """Nothing came back, or a refusal; the text is the reason, in one line."""


class Api:
    """The API of one cluster; every question ends within seconds, with NoAnswerError at worst.

    Raises it too when the way in has no usable keys.
    """

    def __init__(self, access: Access) -> None:
        self.access = access
        self.tls = _context(access)
        self._headers = {"Accept": "application/json", **self.authorization}
        self._api = _client.client.ApiClient(_client.client.Configuration(host=access.server))
        options = self._api.rest_client.pool_manager.connection_pool_kw
        # The client's own way with keys leads through files, which a killed command would leave.
        options["ssl_context"] = self.tls
        options["retries"] = _WHEN_BUSY

    @property
    def authorization(self) -> dict[str, str]:
        """The header that says who asks, where a certificate doesn't."""
        token = self.access.token
        return {"Authorization": f"Bearer {token}"} if token else {}

    def get(self, path: str, **query: str) -> Mapping[str, Any]:
        """The document at a path, such as /api/v1/nodes."""
        document = json.loads(self.text(path, **query))
        return document if isinstance(document, Mapping) else {}

    def items(self, path: str, **query: str) -> Sequence[Mapping[str, Any]]:
        """The objects of a list; none where the cluster has no such kind."""
        try:
            return tuple(self.get(path, **query).get("items") or ())
        except NotThereError:
            return ()

    def text(self, path: str, **query: str) -> str:
        """What is at a path, as it is. Raises NotThereError where nothing is."""
        url = f"{self.access.server}{path}{'?' if query else ''}{urlencode(query)}"
        try:
            answer = self._api.rest_client.request(
                "GET", url, headers=self._headers, _request_timeout=ANSWER_SECONDS
            )
            text = bytes(answer.read()).decode("utf-8", "replace")
        # The first is the client's own word for a failed handshake.
        except (ApiException, urllib3.exceptions.HTTPError, OSError) as error:
            raise NoAnswerError(_reason(error)) from None
        if answer.status == _NOT_FOUND:
            raise NotThereError(f"{path} isn't there")
        if answer.status == _UNAUTHORIZED:
            raise NoAnswerError("it doesn't know the certificate or token of the kubeconfig")
        if answer.status != _WELL:
            raise NoAnswerError(f"it refused: {answer.status} {answer.reason}")
        return text

    def close(self) -> None:
        """Close the connections."""
        self._api.close()


class NotThereError(NoAnswerError):
    """The cluster answers that there is no such object."""


def _context(access: Access) -> ssl.SSLContext:
    try:
        if access.client:
            return client_context(access.authority, access.client)
        return ssl.create_default_context(cadata=access.authority)
    except (ssl.SSLError, ValueError):
        words = "the kubeconfig's certificate and key aren't a pair, or its CA is none"
        raise NoAnswerError(words) from None


def _reason(error: Exception) -> str:
    words = str(error).lower()
    if "certificate" in words:
        return "its certificate isn't one that the kubeconfig's CA vouches for now"
    if "timed out" in words or "timeout" in words:
        return f"nothing came back in {ANSWER_SECONDS:.0f} seconds"
    known = {"refused": "the connection was refused", "no route": "no route leads there"}
    for part, said in known.items():
        if part in words:
            return said
    return f"no connection ({type(error).__name__})"
