"""What happens to the virtual machines between two recorded runs."""

from collections.abc import Iterator, Mapping

from cli.preview.recording import Recording, Resource

_GENERATION = "replaceTrigger"
_WORDS = {"numCpus": "CPUs", "memory": "MiB of memory"}
# What the program tells the engine to leave alone on a machine that runs.
_LEFT_ALONE = {"extraConfig", "clone", "guestId", "firmware", "scsiType", "networkInterfaces"}


def machine_changes(base: Recording, now: Recording) -> Iterator[str]:
    """Sentences about machines, those that go away first."""
    before, after = _machines(base), _machines(now)
    added, removed, replaced = _apart(before, after)
    if replaced:
        words = _counted(replaced, "is replaced", "are replaced")
        yield f"{words}{_refused(before, replaced)}"
    if added:
        yield _counted(added, "is added", "are added")
    if removed:
        yield f"{_counted(removed, 'is removed', 'are removed')}{_refused(before, removed)}"
    kept = [name for name in before if name in after and name not in replaced]
    yield from _gets(before, after, sorted(kept, key=natural))


def machine_count(base: Recording, now: Recording) -> str:
    """How many machines come, go and are replaced, in a few words; never nothing."""
    added, removed, replaced = _apart(_machines(base), _machines(now))
    counts = {"added": added, "removed": removed}
    found = [f"{_number(names)} {verb}" for verb, names in counts.items() if names]
    return ", ".join([*found, f"{_number(replaced)} replaced"])


def natural(name: str) -> tuple[str, int]:
    """A key under which worker 10 comes after worker 9."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)


def _machines(recording: Recording) -> dict[str, Resource]:
    return {machine.name: machine for machine in recording.of("VirtualMachine")}


def _apart(
    before: Mapping[str, Resource], after: Mapping[str, Resource]
) -> tuple[list[str], list[str], list[str]]:
    """The names of machines that are added, removed and replaced."""
    both = [name for name in before if name in after]
    return (
        sorted(after.keys() - before.keys(), key=natural),
        sorted(before.keys() - after.keys(), key=natural),
        sorted((name for name in both if _is_replaced(before[name], after[name])), key=natural),
    )


def _is_replaced(before: Resource, after: Resource) -> bool:
    return bool(before.inputs.get(_GENERATION) != after.inputs.get(_GENERATION))


def _gets(
    before: Mapping[str, Resource], after: Mapping[str, Resource], kept: list[str]
) -> Iterator[str]:
    """What machines get that run on; those that get the same share a sentence."""
    alike: dict[str, list[str]] = {}
    for name in kept:
        if changes := ", ".join(_in_place(before[name], after[name])):
            alike.setdefault(changes, []).append(name)
    for changes, names in alike.items():
        if len(names) == 1:
            yield f"{names[0]} gets {changes}"
        else:
            yield _counted(names, f"gets {changes}", f"get {changes}")
    if told := [name for name in kept if _boots_otherwise(before[name], after[name])]:
        words = "the new user data, which only new VMs get"
        yield _counted(told, f"runs on without {words}", f"run on without {words}")


def _in_place(before: Resource, after: Resource) -> Iterator[str]:
    ignored = {*_LEFT_ALONE, _GENERATION}
    for key in sorted((before.inputs.keys() | after.inputs.keys()) - ignored):
        old, new = before.inputs.get(key), after.inputs.get(key)
        if old == new:
            continue
        if key == "disks" and old and new:
            yield _disk(int(old[0]["size"]), int(new[0]["size"]))
        elif key in _WORDS:
            yield f"{new} {_WORDS[key]} instead of {old}"
        else:
            yield f"{key} {new} instead of {old}"


def _boots_otherwise(before: Resource, after: Resource) -> bool:
    return bool(before.inputs.get("extraConfig") != after.inputs.get("extraConfig"))


def _disk(old: int, new: int) -> str:
    refused = ", but vSphere refuses to shrink a disk" if new < old else ""
    return f"a disk of {new} GiB instead of {old}{refused}"


def _refused(before: Mapping[str, Resource], names: list[str]) -> str:
    protected = [name for name in names if before[name].protect]
    return f" ({', '.join(protected)} protected, so `up` refuses)" if protected else ""


def _counted(names: list[str], one: str, several: str) -> str:
    shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
    return f"{_number(names)} {one if len(names) == 1 else several}: {shown}"


def _number(names: list[str]) -> str:
    return f"{len(names)} {'VM' if len(names) == 1 else 'VMs'}"
