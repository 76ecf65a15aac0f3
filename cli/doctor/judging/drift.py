"""What runs against what the stack files say, as far as those are here."""

from collections.abc import Iterator, Mapping
from typing import Any

from cli.doctor.facts import Asked, Release, Unanswered
from cli.doctor.finding import Finding, Subject
from cli.doctor.plan import Plan

_MOST = 4
_DEPLOYED = "deployed"


def releases(cluster: str, found: Asked[tuple[Release, ...]]) -> Iterator[Finding]:
    """Each Helm release is there, and no change of it was cut short."""
    if isinstance(found, Unanswered):
        yield Subject(cluster, "Helm releases").not_checked(found.why)
        return
    for one in found:
        subject = Subject(cluster, f"release {one.name}")
        if one.status == _DEPLOYED:
            yield subject.ok(f"{one.version}, deployed")
        else:
            fix = f"mesh repair {cluster}; pulumi up -s {cluster}"
            yield subject.error(f"{one.version}, {one.status}", fix)


def corefile(cluster: str, found: Asked[str], plan: Plan | Unanswered) -> Finding:
    """The Corefile is what the stack files make of it."""
    subject = Subject(cluster, "Corefile and stack files")
    planned = plan if isinstance(plan, Unanswered) else plan.corefile
    for one in (planned, found):
        if isinstance(one, Unanswered):
            return subject.not_checked(one.why)
    if found == planned:
        return subject.ok("alike")
    line = _first_difference(str(found), str(planned))
    return subject.error(f"line {line} is not what the stack files say", _again(plan))


def values(
    cluster: str, found: Asked[tuple[Release, ...]], plan: Plan | Unanswered
) -> Iterator[Finding]:
    """Each release has the values that the stack files make. Keys are shown, never a value."""
    if isinstance(plan, Unanswered):
        yield Subject(cluster, "Helm values and stack files").not_checked(plan.why)
        return
    for name, planned in plan.values.items():
        subject = Subject(cluster, f"values of {name} and stack files")
        if isinstance(found, Unanswered):
            yield subject.not_checked(found.why)
            continue
        release = next((one for one in found if one.name == name), None)
        if release is None:
            yield subject.error("there is no such release", _again(plan))
        elif isinstance(planned, Unanswered):
            yield subject.not_checked(planned.why)
        else:
            yield _compared(subject, release, planned, plan)


def _compared(
    subject: Subject, release: Release, planned: Mapping[str, Any], plan: Plan
) -> Finding:
    wanted = plan.versions[release.name]
    if release.version != wanted:
        seen = f"runs {release.version}, and the stack files say {wanted}"
        return subject.error(seen, _again(plan))
    if keys := [*_differing(release.values, planned)]:
        more = f" and {len(keys) - _MOST} more" if len(keys) > _MOST else ""
        return subject.error(f"differ in {', '.join(keys[:_MOST])}{more}", _again(plan))
    return subject.ok("alike")


def _differing(found: object, planned: object, above: str = "") -> Iterator[str]:
    if isinstance(found, Mapping) and isinstance(planned, Mapping):
        for key in sorted({*found, *planned}):
            path = f"{above}.{key}" if above else str(key)
            yield from _differing(found.get(key), planned.get(key), path)
    # The engine leaves out what is None or an empty group.
    elif (found or None) != (planned or None) and not (found in (0, False) and found == planned):
        yield above


def _first_difference(found: str, planned: str) -> int:
    pairs = zip(found.splitlines(), planned.splitlines(), strict=False)
    same = next((n for n, (one, other) in enumerate(pairs, 1) if one != other), None)
    return same or min(len(found.splitlines()), len(planned.splitlines())) + 1


def _again(plan: Plan | Unanswered) -> str:
    stack = plan.stack if isinstance(plan, Plan) else ""
    return f"pulumi refresh -s {stack}; pulumi up -s {stack}"
