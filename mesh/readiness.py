"""The one wait of the program: until an API server answers and knows all of its nodes."""

import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Collection
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from mesh.client_certificate import client_context
from mesh.nodes import Node
from mesh.pki import KeyPair

LOG = "/var/log/mesh/bootstrap.log"
_INTERVAL = 2.0  # seconds between two looks
_REPORT_INTERVAL = 10.0  # seconds, at least, between two lines of progress
_NAMED = 5  # missing nodes that a line of progress names, and asks for their stages
_REQUEST = 5.0  # seconds for one request: a black-holed address must not stop the progress


class NotReadyError(Exception):
    """A cluster did not come up: the missing nodes, how far each got, where its log lies."""


@dataclass(frozen=True, kw_only=True)
class Wait:
    """What to wait for: an API server (`https://host:port`), its CA, our certificate, its nodes.

    Times are in seconds: `bound` from the first look on, `interval` from look to look, and
    `report_interval` at least from one line of progress to the next.
    """

    server: str
    ca: str
    admin: KeyPair
    nodes: tuple[Node, ...]
    bound: float
    interval: float = _INTERVAL
    report_interval: float = _REPORT_INTERVAL


def wait_until_ready(
    wait: Wait, report: Callable[[str], None], stage_of: Callable[[Node], str]
) -> None:
    """Return once `/readyz` says ok and every node is registered, or raise NotReadyError.

    `report` gets a line of progress after the first look, and another each report interval;
    `stage_of` tells how far a node has come.
    """
    started = time.monotonic()
    report_at = 0.0
    opener = _opener(wait)
    while (seen := _look(opener, wait)).missing:
        waited = time.monotonic() - started
        if waited >= wait.bound:
            raise NotReadyError(_failure(wait, seen, stage_of))
        if waited >= report_at:
            report(_progress(wait, seen, stage_of, waited))
            report_at = waited + wait.report_interval
        time.sleep(min(wait.interval, wait.bound - waited))


def describe_status(status: str | None) -> str:
    """Say in words what a node wrote to `guestinfo.mesh.status`: its stage, state and error."""
    if not status:
        return "has not reported yet (still booting, or without VMware Tools)"
    try:
        told: dict[str, Any] = json.loads(status)
        words = f"{told['stage']} {told['state']}"
    except (ValueError, KeyError, TypeError):
        return f"reported {status!r}"
    return f"{words}: {told['error']}" if told.get("error") else words


@dataclass(frozen=True)
class _Seen:
    missing: tuple[Node, ...]
    answer: str


def _look(opener: urllib.request.OpenerDirector, wait: Wait) -> _Seen:
    try:
        _get(opener, f"{wait.server}/readyz")
        listed = json.loads(_get(opener, f"{wait.server}/api/v1/nodes"))
    except ssl.SSLCertVerificationError as error:
        raise NotReadyError(_wrong_ca(wait, error)) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        return _Seen(wait.nodes, f"no answer ({error})")
    registered: Collection[str] = {item["metadata"]["name"] for item in listed["items"]}
    missing = tuple(node for node in wait.nodes if node.name not in registered)
    return _Seen(missing, f"the API server answers, {len(registered)} nodes are registered")


def _get(opener: urllib.request.OpenerDirector, url: str) -> bytes:
    try:
        with opener.open(url, timeout=_REQUEST) as response:
            body: bytes = response.read()
            return body
    except urllib.error.HTTPError as error:
        reason = HTTPStatus(error.code).phrase
        raise ConnectionError(f"{url} says {error.code} {reason}") from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, OSError):
            raise error.reason from error
        raise


def _opener(wait: Wait) -> urllib.request.OpenerDirector:
    # No proxy: the nodes are reached directly, whatever http_proxy says on this machine.
    return urllib.request.build_opener(
        urllib.request.ProxyHandler({}),
        urllib.request.HTTPSHandler(context=client_context(wait.ca, wait.admin)),
    )


def _progress(wait: Wait, seen: _Seen, stage_of: Callable[[Node], str], waited: float) -> str:
    stages = "; ".join(f"{node.name} {stage_of(node)}" for node in seen.missing[:_NAMED])
    if (others := len(seen.missing) - _NAMED) > 0:
        stages += f"; and {others} more"
    return f"{wait.server}: {seen.answer}; {stages} ({waited:.0f} of {wait.bound:.0f} s)"


def _failure(wait: Wait, seen: _Seen, stage_of: Callable[[Node], str]) -> str:
    missing = "".join(
        f"\n  {node.name} at {node.address}: {stage_of(node)}; its log is {LOG}"
        for node in seen.missing
    )
    return (
        f"{wait.server} is not ready after {wait.bound:.0f} s: {seen.answer}. Missing:{missing}\n"
        "Look at the log on the node, then run `pulumi up` again: the wait starts anew. "
        "A slow site raises nodes.readyTimeoutMinutes."
    )


def _wrong_ca(wait: Wait, error: ssl.SSLCertVerificationError) -> str:
    return (
        f"{wait.server} answers with a certificate that the CA of this cluster did not sign "
        f"({error.verify_message}): another cluster has this address, or its control plane was "
        "made with other keys. Free the address, or replace the control plane."
    )
