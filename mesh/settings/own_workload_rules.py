"""The rules about what a workload of one's own tells Kubernetes, which refuses it in `up` only."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from mesh.settings.problems import Broken
from mesh.settings.workload_texts import PLACEHOLDERS
from mesh.settings.workloads import PROGRAM_MOUNTS, WorkloadSettings

_Workloads = Mapping[str, WorkloadSettings]


def ports_differ(workloads: _Workloads) -> Iterator[Broken]:
    """A Service has each port once."""
    for name, workload in workloads.items():
        first: dict[int, str] = {}
        for port, number in workload.ports.items():
            if (other := first.setdefault(number, port)) != port:
                key, reason = f"workloads.{name}.ports.{port}", f"is the one of {other} too"
                yield Broken(key, number, reason, "write another port, or take it out")


def variables_are_not_the_programs(workloads: _Workloads) -> Iterator[Broken]:
    """What `${NAME}` is filled in with is a variable already."""
    for name, workload in workloads.items():
        for variable in workload.environment:
            key = f"workloads.{name}.environment.{variable}"
            if variable in PLACEHOLDERS:
                reason = "is set by the program, for the placeholder of that name"
                yield Broken(key, None, reason, "take it out, or write another name")
            elif "=" in variable or not variable:
                instead = f"write one like {variable.partition('=')[0] or 'JOIN'}"
                yield Broken(key, None, "is no name of a variable", instead)


def mounts_are_apart(workloads: _Workloads) -> Iterator[Broken]:
    """Each path is mounted once, and nothing in what the program mounts to be read only."""
    for name, workload in workloads.items():
        volume, file = workload.mount_path, workload.configuration
        yield from _taken(f"workloads.{name}.mountPath", volume, f"/var/lib/{name}")
        if file:
            key, example = f"workloads.{name}.configuration.path", f"/etc/{name}/{name}.conf"
            yield from _taken(key, file.path, example)
            if file.path == volume:
                yield Broken(key, volume, "is mountPath too", f"write one like {example}")


def _taken(key: str, path: str, example: str) -> Iterator[Broken]:
    for mount in PROGRAM_MOUNTS:
        if PurePosixPath(path).is_relative_to(mount):
            reason = f"is in {mount}, which the program mounts"
            yield Broken(key, path, reason, f"write one like {example}")
