"""What changes between two recorded runs, in sentences a person reads in ten seconds."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from cli.preview import facts
from cli.preview.machines import machine_changes, machine_count
from cli.preview.recording import Recording, Resource

_COMES_AND_GOES = {"Service", "IPAddressPool"}
"""Kinds whose coming and going has sentences of its own."""
_VALUES_SHOWN = 8
Rule = Callable[[Recording, Recording], Iterator[str]]


def summary(base: Recording | None, now: Recording, unknown: str = "") -> tuple[str, ...]:
    """Sentences about every change, those about machines first; none when nothing changes.

    The last one counts the machines that come, go and are replaced. Without a base the stack is
    new, and they say what it consists of; `unknown` is why it may be none, and comes first.
    """
    if base is None:
        known = (f"nothing to compare with: {unknown}",) if unknown else ()
        return (*known, *_consists_of(now, "a cluster" if unknown else "a new cluster"))
    if base == replace(now, zones=base.zones):  # the names of others' zones build nothing
        return ()
    sentences = (
        *machine_changes(base, now),
        *(sentence for rule in _RULES for sentence in rule(base, now)),
    )
    return (*(sentences or _said(base, now)), machine_count(base, now))


def _consists_of(now: Recording, cluster: str) -> Iterator[str]:
    machines = len(list(now.of("VirtualMachine")))
    versions = ", ".join(f"{name} {version}" for name, version in facts.versions(now).items())
    yield f"{cluster} of {machines} VMs with {versions}"
    if peers := facts.peers(now):
        yield f"Cilium connects to {', '.join(sorted(peers))}"
    for zone, upstreams in facts.forwards(now).items():
        yield f"CoreDNS forwards {_owner(zone, now)} to {upstreams}"
    for service, address in facts.addresses(now).items():
        yield f"Service {service} is at {address}"
    for name, told in facts.workloads(now).items():
        yield f"workload {name} is {told}"


def _identity(base: Recording, now: Recording) -> Iterator[str]:
    for what, new, old in _changed(facts.identity(base), facts.identity(now)):
        yield f"the cluster's {what} is {new} instead of {old}, which no running cluster survives"


def _versions(base: Recording, now: Recording) -> Iterator[str]:
    for what, new, old in _changed(facts.versions(base), facts.versions(now)):
        yield f"{what} {new} instead of {old}"


def _forwards(base: Recording, now: Recording) -> Iterator[str]:
    before, after = facts.forwards(base), facts.forwards(now)
    for zone in _removed(before, after):
        if base.zones.get(zone) in facts.pending(now):
            continue
        yield f"CoreDNS no longer forwards {_owner(zone, base)}"
    for zone in _removed(after, before):
        yield f"CoreDNS forwards {_owner(zone, now)} to {after[zone]}"
    for zone, new, old in _changed(before, after):
        yield f"CoreDNS forwards {_owner(zone, now)} to {new} instead of {old}"
    if before == after and facts.corefile(base) != facts.corefile(now):
        yield "the Corefile changes, and forwards as before"


def _owner(zone: str, recording: Recording) -> str:
    cluster = recording.zones.get(zone)
    if cluster and zone.endswith(".svc.cluster.local"):
        return f"{cluster}'s namespace {zone.partition('.')[0]}"
    return f"{cluster}'s zone" if cluster else f"the zone {zone}"


def _pending(base: Recording, now: Recording) -> Iterator[str]:
    for cluster in sorted(facts.pending(now) - facts.pending(base)):
        yield f"{cluster}'s addresses are MetalLB's to choose, so none are in this preview"


def _peers(base: Recording, now: Recording) -> Iterator[str]:
    before, after = facts.peers(base), facts.peers(now)
    for cluster in sorted({*_removed(before, after)} - facts.pending(now)):
        yield f"Cilium disconnects from {cluster}"
    for cluster in _removed(after, before):
        yield f"Cilium connects to {cluster} at {after[cluster]}"
    for cluster, new, old in _changed(before, after):
        yield f"Cilium dials {cluster} at {new} instead of {old}"


def _addresses(base: Recording, now: Recording) -> Iterator[str]:
    before, after = facts.addresses(base), facts.addresses(now)
    for service in _removed(before, after):
        yield f"Service {service} goes away"
    for service in _removed(after, before):
        yield f"Service {service} is new at {after[service]}"
    for service, new, old in _changed(before, after):
        yield f"Service {service} is at {new} instead of {old}"


def _source_ranges(base: Recording, now: Recording) -> Iterator[str]:
    for service, new, old in _changed(facts.source_ranges(base), facts.source_ranges(now)):
        yield f"Service {service} is open to {new} instead of {old}"


def _pools(base: Recording, now: Recording) -> Iterator[str]:
    before, after = facts.pools(base), facts.pools(now)
    for pool in _removed(before, after):
        yield f"the address pool {pool} goes away"
    for pool in _removed(after, before):
        yield f"the address pool {pool} is new with {after[pool]}"
    for pool, new, old in _changed(before, after):
        yield f"the address pool {pool} has {new} instead of {old}"


def _volumes(base: Recording, now: Recording) -> Iterator[str]:
    for name, _, _ in _changed(facts.volumes(base), facts.volumes(now)):
        yield f"StatefulSet {name} keeps its volumes: size and StorageClass hold once it is there"


def _workloads(base: Recording, now: Recording) -> Iterator[str]:
    for name, new, old in _changed(facts.workloads(base), facts.workloads(now)):
        yield f"workload {name} is {new} instead of {old}"


def _values(base: Recording, now: Recording) -> Iterator[str]:
    before, after = facts.values(base), facts.values(now)
    for release in sorted(before.keys() & after.keys()):
        old, new = (dict(facts.flattened(side[release])) for side in (before, after))
        sentences = list(_value_changes(release, old, new))
        yield from sentences[:_VALUES_SHOWN]
        if len(sentences) > _VALUES_SHOWN:
            yield f"{release} has {len(sentences) - _VALUES_SHOWN} more changed values"


def _value_changes(
    release: str, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[str]:
    own = "clustermesh.config.clusters."  # told as peers
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, "absent"), after.get(path, "absent")
        if old != new and not f"{path}.".startswith(own):
            yield f"{release}: {path} is {new} instead of {old}"


def _vcenter(base: Recording, now: Recording) -> Iterator[str]:
    for what, new, old in _changed(facts.vcenter(base), facts.vcenter(now)):
        yield f"vSphere {what} {new} instead of {old}"


def _names(base: Recording, now: Recording) -> Iterator[str]:
    for what, new, old in _changed(base.names, now.names):
        kind = "template" if what == "VirtualMachine" else what
        yield f"vSphere {kind} {new} instead of {old}"


def _protection(base: Recording, now: Recording) -> Iterator[str]:
    before, after = _by_key(base), _by_key(now)
    for key in sorted(before.keys() & after.keys()):
        old, new = before[key], after[key]
        if old.protect != new.protect:
            yield f"{new.name} is {'protected now' if new.protect else 'no longer protected'}"
        if old.retain != new.retain:
            words = "stays from now on" if new.retain else "no longer stays"
            yield f"{new.name} {words} when the stack goes"


def _others(base: Recording, now: Recording) -> Iterator[str]:
    before, after = _by_key(base), _by_key(now)
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        some = new or old
        if some is None or not some.custom or some.kind == "VirtualMachine":
            continue
        if old is None or new is None:
            if some.kind not in _COMES_AND_GOES:
                yield f"{some.kind} {some.name} is {'new' if new else 'removed'}"
        elif changed := _differing(facts.rest(old), facts.rest(new)):
            yield f"{some.kind} {some.name} changes: {', '.join(changed)}"


def _said(base: Recording, now: Recording) -> Iterator[str]:
    """What changes where no resource does; elsewhere it follows from what was told."""
    words = {"firewall": "the firewall list changes"}
    before, after = base.outputs, now.outputs
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield words.get(name, f"the output {name} changes")
    for message in sorted({*now.messages} - {*base.messages}):
        yield f"the program now says: {' '.join(message.split())}"
    for message in sorted({*base.messages} - {*now.messages}):
        yield f"the program no longer says: {' '.join(message.split())}"


def _by_key(recording: Recording) -> dict[str, Resource]:
    return {resource.key: resource for resource in recording.resources}


def _removed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return sorted(before.keys() - after.keys())


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """What both have, and differs: name, new, old."""
    for name in after:
        if name in before and before[name] != after[name]:
            yield name, after[name], before[name]


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    names = sorted(before.keys() | after.keys())
    return [name for name in names if before.get(name) != after.get(name)]


_RULES: tuple[Rule, ...] = (
    _identity,
    _versions,
    _vcenter,
    _names,
    _pending,
    _forwards,
    _peers,
    _addresses,
    _source_ranges,
    _pools,
    _values,
    _workloads,
    _volumes,
    _protection,
    _others,
)
