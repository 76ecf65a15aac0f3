"""CoreDNS: its file, its pods and what they log, and what they answer."""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dns.exception
import dns.message
import dns.rcode
import dns.rdatatype

from cli.doctor.asking.api import Api, NoAnswerError, NotThereError
from cli.doctor.asking.careful import asked
from cli.doctor.asking.inside import Inside
from cli.doctor.asking.objects import controller
from cli.doctor.facts import Answer, Asked, Dns, Pod, Unanswered
from cli.doctor.zones import is_namespace
from mesh.corefile.roll_out import ROLLED_OUT

_CORE = "/api/v1/namespaces/kube-system"
_PORT = 53
_LINES = 300
_FAILED, _RELOADED = ("reload failed", "restart failed"), "reloading complete"
_AT_ONCE = 8
KNOWN = "kube-dns"
"""A Service that every cluster has in kube-system, and whose address its API says."""


def core_dns(api: Api) -> Dns:
    """Everything about CoreDNS but its answers."""
    deployment = asked(lambda: api.get("/apis/apps/v1/namespaces/kube-system/deployments/coredns"))
    known = deployment if isinstance(deployment, Mapping) else None
    return Dns(
        corefile=asked(lambda: _corefile(api, "coredns")),
        rolled_out=_annotation(known) if known else None,
        controller=controller(known) if known else Unanswered("there is no Deployment coredns"),
        pods=asked(lambda: tuple(_pod(api, item) for item in _pods(api))),
        address=asked(lambda: str(api.get(f"{_CORE}/services/{KNOWN}")["spec"]["clusterIP"])),
        answers={},
        node_local=_node_local(api),
    )


def answers(
    inside: Inside, pods: Iterable[str], zones: Iterable[str]
) -> dict[str, Asked[tuple[Answer, ...]]]:
    """What each pod answers about each zone, asked over TCP inside the pod."""
    wanted = sorted(zones)
    names = [*pods]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        found = threads.map(lambda pod: asked(lambda: tuple(_said(inside, pod, wanted))), names)
        return dict(zip(names, found, strict=True))


def _said(inside: Inside, pod: str, zones: Iterable[str]) -> Iterator[Answer]:
    for zone in zones:
        try:
            yield _about(inside, pod, zone)
        except NoAnswerError as error:
            yield Answer(zone=zone, code=str(error))


def _about(inside: Inside, pod: str, zone: str) -> Answer:
    namespace = is_namespace(zone)
    below = zone if namespace else f"kube-system.{zone}"
    unheard = _ask(inside, pod, f"doctor-{secrets.token_hex(4)}.{below}")
    # Of a namespace nobody knows what is in it.
    known = None if namespace else _ask(inside, pod, f"{KNOWN}.{below}")
    return Answer(
        zone=zone,
        code=dns.rcode.to_text((known or unheard).rcode()),
        addresses=tuple(sorted(_addresses(known))) if known else (),
        unheard=dns.rcode.to_text(unheard.rcode()),
    )


def _ask(inside: Inside, pod: str, name: str) -> dns.message.Message:
    question = dns.message.make_query(name, dns.rdatatype.A)
    wire = question.to_wire()
    answer = inside.dial(pod, _PORT, len(wire).to_bytes(2) + wire)
    try:
        return dns.message.from_wire(answer[2:])
    except dns.exception.DNSException as error:
        raise NoAnswerError(f"no DNS message ({type(error).__name__})") from None


def _addresses(message: dns.message.Message) -> Iterator[str]:
    for records in message.answer:
        if records.rdtype == dns.rdatatype.A:
            yield from (str(record) for record in records)


def _corefile(api: Api, config_map: str) -> str:
    data = api.get(f"{_CORE}/configmaps/{config_map}").get("data") or {}
    return str(data["Corefile"])


def _node_local(api: Api) -> Asked[str] | None:
    try:
        return asked(lambda: _corefile(api, "node-local-dns")) if _is_there(api) else None
    except NoAnswerError as error:
        return Unanswered(str(error))


def _is_there(api: Api) -> bool:
    try:
        api.get("/apis/apps/v1/namespaces/kube-system/daemonsets/node-local-dns")
    except NotThereError:
        return False
    return True


def _annotation(deployment: Mapping[str, Any]) -> str | None:
    metadata = deployment["spec"]["template"].get("metadata") or {}
    found = (metadata.get("annotations") or {}).get(ROLLED_OUT)
    return None if found is None else str(found)


def _pods(api: Api) -> Iterable[Mapping[str, Any]]:
    return api.items(f"{_CORE}/pods", labelSelector="k8s-app=kube-dns")


def _pod(api: Api, item: Mapping[str, Any]) -> Pod:
    name, status = item["metadata"]["name"], item.get("status") or {}
    conditions = {one["type"]: one["status"] for one in status.get("conditions") or ()}
    ready = conditions.get("Ready") == "True"
    complaint = _failed_reload(api, name) if ready else _last_words(api, name, status)
    return Pod(name=name, ready=ready, complaint=complaint)


def _failed_reload(api: Api, pod: str) -> str:
    """The line of the newest reload of the Corefile, if that one failed."""
    for line in reversed(_log(api, pod, previous=False)):
        if any(words in line.lower() for words in _FAILED):
            return line
        if _RELOADED in line.lower():
            return ""
    return ""


def _last_words(api: Api, pod: str, status: Mapping[str, Any]) -> str:
    """Why a pod isn't ready: its log's last line, or what keeps its container from running."""
    lines = _log(api, pod, previous=True) or _log(api, pod, previous=False)
    for container in status.get("containerStatuses") or ():
        for state in ("lastState", "state"):
            for why in (container.get(state) or {}).values():
                lines = lines or _lines(why.get("message") or why.get("reason") or "")
    return lines[-1] if lines else "no word of it"


def _log(api: Api, pod: str, *, previous: bool) -> list[str]:
    query = {"tailLines": str(_LINES), "previous": "true" if previous else "false"}
    try:
        text = api.text(f"{_CORE}/pods/{pod}/log", **query)
    except NoAnswerError:
        return []
    return _lines(text)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
