"""Names, found as a program finds them; and where they are not found, what is in the way."""

import os
import subprocess
import sys
from dataclasses import dataclass, replace

from mesh.acceptance.probe.plan import PASSED, Neighbour, Plan, Row
from mesh.acceptance.probe.questions import UNASKED, Answer, ask

KUBERNETES = "kubernetes.default"
"""A Service that every cluster has, whatever else is missing."""
_LOOKUP_SECONDS = 20.0
_LOOKUP = """\
import socket, sys
try:
    found = socket.getaddrinfo(sys.argv[1], None, socket.AF_INET, socket.SOCK_STREAM)
except OSError as error:
    sys.exit(error.strerror)
print(*sorted({one[4][0] for one in found}))
"""


@dataclass(frozen=True)
class Found:
    """What the C library finds: addresses, or its own words why there are none."""

    addresses: tuple[str, ...]
    words: str = ""


@dataclass(frozen=True)
class Questions:
    """What DNS servers say where the C library finds nothing."""

    base: Answer
    """The own resolver, of a name of its own cluster."""
    here: Answer
    """The own resolver, of the name."""
    there: Answer
    """The neighbour itself, of the name."""
    proof: Answer
    """The neighbour itself, of a Service that it has whatever else is missing."""


def look_up(name: str, *, tcp: bool) -> Found:
    """What getaddrinfo finds, in a process of its own as RES_OPTIONS is read once in each."""
    options = "timeout:3 attempts:2" + (" use-vc" if tcp else "")
    try:
        ended = subprocess.run(
            [sys.executable, "-I", "-c", _LOOKUP, name],
            env={**os.environ, "RES_OPTIONS": options},
            capture_output=True,
            text=True,
            timeout=_LOOKUP_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Found((), f"no answer in {_LOOKUP_SECONDS:.0f} s")
    if ended.returncode:
        return Found((), ended.stderr.strip().lower())
    return Found(tuple(ended.stdout.split()))


def name_row(plan: Plan, to: Neighbour, resolver: str, *, tcp: bool) -> tuple[Row, Found]:
    """Whether the name of the neighbour's target is found by one transport, and what is."""
    name, transport = to.pod_name(plan), "TCP" if tcp else "UDP"
    check, found = f"name by {transport}", look_up(name, tcp=tcp)
    if found.addresses:
        seen = f"{name} is {' '.join(found.addresses)}"
        return _unless_remembered(Row(to.cluster, check, PASSED, seen), to, name, tcp=tcp), found
    asked = _questions(plan, to, resolver, tcp=tcp)
    seen = f"{name}: {found.words}; {_told(to, asked)}"
    return Row(to.cluster, check, outcome(asked, own=to == plan.own), seen), found


def _unless_remembered(row: Row, to: Neighbour, name: str, *, tcp: bool) -> Row:
    """The row, or what is in the way of a new name: CoreDNS answers for hours what it knew."""
    there = _any(to, name, tcp=tcp)
    if there.kind in {"answered", "unasked"}:
        return row
    seen = f"{row.seen} still, and {' '.join(to.dns)} says {_words(there)}"
    proof = _any(to, f"{KUBERNETES}.{to.zone}", tcp=tcp)
    return replace(row, outcome=_at_the_peer(there, proof), seen=seen)


def outcome(asked: Questions, *, own: bool) -> str:
    """What is in the way of a name, a word of mesh.acceptance.causes."""
    if asked.here.kind == "answered":
        return "another owner"
    if asked.base.kind != "answered":
        return "own DNS away"
    if own:
        return "no target" if asked.proof.kind == "answered" else "own zone unknown"
    if asked.there.kind == "answered":
        known = asked.here.kind in {"servfail", "silence", "error"}
        return "unreached by own DNS" if known else "not forwarded"
    return _at_the_peer(asked.there, asked.proof)


def _at_the_peer(there: Answer, proof: Answer) -> str:
    return "no target" if proof.kind == "answered" else _OUTCOMES[there.kind]


_OUTCOMES = {
    "unasked": "no address",
    "silence": "peer away",
    "closed": "peer closed",
    "refused": "zone refused",
    "nxdomain": "zone unknown",
    "empty": "zone unknown",
    "servfail": "peer fails",
    "error": "peer fails",
}


def _questions(plan: Plan, to: Neighbour, resolver: str, *, tcp: bool) -> Questions:
    name, proof = to.pod_name(plan), f"{KUBERNETES}.{to.zone}"
    here = _without_another_owner(ask(resolver, name, tcp=tcp), name)
    base = ask(resolver, f"{KUBERNETES}.svc.{plan.domain}", tcp=tcp)
    if to == plan.own:
        return Questions(base, here, UNASKED, ask(resolver, proof, tcp=tcp))
    return Questions(base, here, _any(to, name, tcp=tcp), _any(to, proof, tcp=tcp))


def _without_another_owner(answer: Answer, name: str) -> Answer:
    # The name was found meanwhile: what glibc had no patience for came in the end.
    slow = answer.kind == "answered" and name in answer.owners
    return Answer("silence") if slow else answer


def _any(to: Neighbour, name: str, *, tcp: bool) -> Answer:
    """The best that any of the neighbour's addresses says."""
    answers = [ask(address, name, tcp=tcp, port=to.dns_port) for address in to.dns]
    return next((one for one in answers if one.kind == "answered"), [*answers, UNASKED][0])


def _told(to: Neighbour, asked: Questions) -> str:
    words = [f"the own resolver says {_words(asked.here)}"]
    if asked.there != UNASKED:
        words.append(f"{' '.join(to.dns)} says {_words(asked.there)}")
    return ", ".join(words)


def _words(answer: Answer) -> str:
    if answer.kind == "answered":
        return f"the address of {' '.join(sorted(answer.owners))}"
    return {"silence": "nothing", "closed": "nobody listens", "empty": "no address"}.get(
        answer.kind, answer.kind.upper()
    )
