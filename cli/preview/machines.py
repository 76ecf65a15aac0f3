"""What happens to the virtual machines between two recorded runs."""

from collections.abc import Iterator, Mapping

from cli.preview.recording import Recording, Resource

_GENERATION = "replaceTrigger"
_WORDS = {"numCpus": "CPUs", "memory": "MiB of memory"}
# What the program tells the engine to leave alone on a machine that runs.
_LEFT_ALONE = {"extraConfig", "clone", "guestId", "firmware", "scsiType", "networkInterfaces"}


def machine_changes(base: Recording, now: Recording) -> Iterator[str]:
    """Sentences about machines; the last says how many are replaced, and always comes."""
    before, after = _machines(base), _machines(now)
    both = sorted(before.keys() & after.keys(), key=natural)
    kept = [name for name in both if not _is_replaced(before[name], after[name])]
    for name in kept:
        if changes := list(_in_place(before[name], after[name])):
            yield f"{name} gets {', '.join(changes)}"
    told = [name for name in kept if _boots_otherwise(before[name], after[name])]
    if told:
        yield _counted(told, "runs on with other user data", "run on with other user data")
    if added := sorted(after.keys() - before.keys(), key=natural):
        yield _counted(added, "is added", "are added")
    if removed := sorted(before.keys() - after.keys(), key=natural):
        yield f"{_counted(removed, 'is removed', 'are removed')}{_refused(before, removed)}"
    yield _replaced(before, [name for name in both if name not in kept])


def natural(name: str) -> tuple[str, int]:
    """A key under which worker 10 comes after worker 9."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)


def _machines(recording: Recording) -> dict[str, Resource]:
    return {machine.name: machine for machine in recording.of("VirtualMachine")}


def _is_replaced(before: Resource, after: Resource) -> bool:
    return bool(before.inputs.get(_GENERATION) != after.inputs.get(_GENERATION))


def _in_place(before: Resource, after: Resource) -> Iterator[str]:
    ignored = {*_LEFT_ALONE, _GENERATION}
    for key in sorted((before.inputs.keys() | after.inputs.keys()) - ignored):
        old, new = before.inputs.get(key), after.inputs.get(key)
        if old == new:
            continue
        if key == "disks" and old and new:
            yield f"a disk of {new[0]['size']} GiB instead of {old[0]['size']}"
        elif key in _WORDS:
            yield f"{new} {_WORDS[key]} instead of {old}"
        else:
            yield f"{key} {new} instead of {old}"


def _boots_otherwise(before: Resource, after: Resource) -> bool:
    return bool(before.inputs.get("extraConfig") != after.inputs.get("extraConfig"))


def _replaced(before: Mapping[str, Resource], names: list[str]) -> str:
    if not names:
        return "0 VMs replaced"
    return f"{_counted(names, 'is replaced', 'are replaced')}{_refused(before, names)}"


def _refused(before: Mapping[str, Resource], names: list[str]) -> str:
    protected = [name for name in names if before[name].protect]
    return f" ({', '.join(protected)} protected, so `up` refuses)" if protected else ""


def _counted(names: list[str], one: str, several: str) -> str:
    shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
    noun, verb = ("VM", one) if len(names) == 1 else ("VMs", several)
    return f"{len(names)} {noun} {verb}: {shown}"
