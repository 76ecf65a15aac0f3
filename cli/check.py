"""`mesh check`: what the project's files say, held against every rule."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cli.failure import Failure
from cli.project import Project, read
from mesh.settings import Problem
from mesh.topology import notices, problems


@dataclass(frozen=True)
class Verdict:
    """Everything wrong with the files, everything worth a warning, and what was looked at."""

    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()
    clusters: int = 0

    def as_output(self) -> dict[str, Any]:
        """Plain values, for a program."""
        found = [{**asdict(one), "value": _plain(one.value)} for one in self.problems]
        return {
            "ok": not self.problems,
            "clusters": self.clusters,
            "problems": found,
            "notices": [*self.notices],
        }


def check(directory: Path) -> Verdict:
    """The verdict on the project in a directory. Raises Failure where no project is."""
    project, in_files = read(directory)
    between = verdict(project)
    found = dict.fromkeys((*in_files, *between.problems))
    return Verdict(tuple(found), between.notices, between.clusters)


def verdict(project: Project) -> Verdict:
    """The verdict on those clusters of a project whose files can be read."""
    topology = project.topology
    return Verdict(problems(topology), notices(topology), len(topology.clusters))


def refuse_unsound(project: Project) -> None:
    """Raise Failure with everything wrong between the files of a project, if anything is."""
    if found := verdict(project).problems:
        raise Failure("mend these first:\n" + "\n".join(map(str, found)))


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
