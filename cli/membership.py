"""`mesh add` and `mesh remove`: the stack files of a mesh with a cluster more, or one less."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic_core import PydanticCustomError

from cli.change import changes
from cli.check import refuse_unsound, verdict
from cli.failure import Failure
from cli.plan import Plan
from cli.project import Project
from cli.proposal import proposal
from cli.stack_file import StackFile
from mesh.settings import SettingsError, file_of, password_command, sibling_settings
from mesh.settings.cluster import cluster_name
from mesh.settings.keys import dotted


def addition(project: Project, name: str, like: str | None) -> Plan:
    """A cluster more, its file like that of `like`, or else of the cluster with the highest id.

    Raises Failure for a name that is taken or no name, without room, and in a project that is
    not sound.
    """
    _refuse_name(project, name)
    refuse_unsound(project)
    model = like or _youngest(project)
    project.require(model)
    values = proposal(project.topology, name, model)
    new = (
        _read(project, model)
        .without_secrets()
        .changed(values)
        .renamed(model, name)
        .renamed(project.settings[model].cluster.name, name)
    )
    peers = _peers_like(project, model)
    if peers is not None:
        new = new.with_list("peers", peers)
    # A peering has two sides.
    dialling = project.settings if peers is None else peers
    lists = {stack: project.settings[stack].peers for stack in dialling}
    longer = {stack: [*named, name] for stack, named in lists.items() if named is not None}
    files = {file_of(name): new.written, **_with_peers(project, longer)}
    after = _after(project, files, longer)
    previews = changes(project.topology, after.topology)
    ups = (f"pulumi up -s {stack}" for stack in (name, *previews))
    shown = {dotted(place): value for place, value in values.items()}
    return Plan(files, previews, ("mesh init", password_command(name), *ups), shown)


def removal(project: Project, name: str) -> Plan:
    """A cluster out of the files of all others; its own file goes with its stack.

    Raises Failure for the authority, whose place another must take first.
    """
    project.require(name)
    authority = project.settings[name].mesh.authority
    if name == authority and len(project.settings) > 1:
        raise Failure(
            f"{name} makes the CA of the mesh: name another stack in mesh.authority of Pulumi.yaml"
            " first, which then exports the CA it adopted"
        )
    refuse_unsound(project)
    topology = project.topology
    dialling = [one for one, other in topology.pairs() if other == name]
    shorter = {
        stack: [one for one in topology.peers_of(stack) if one != name] for stack in dialling
    }
    files = _with_peers(project, shorter)
    after = _after(project, files, shorter)
    # A run before this one may have written files whose stacks weren't brought up since.
    steps = (
        *(f"pulumi up -s {stack}" for stack in project.stacks if stack != name),
        f"pulumi state unprotect --all -s {name}",
        f"pulumi destroy -s {name}",
        f"pulumi stack rm {name}",
    )
    return Plan(files, changes(topology, after.topology), steps, {})


def _refuse_name(project: Project, name: str) -> None:
    try:
        cluster_name(name)
    except PydanticCustomError as error:
        raise Failure(f"{name!r} {error.message()}") from None
    taken = {settings.cluster.name: stack for stack, settings in project.settings.items()}
    taken |= {stack: stack for stack in project.settings}
    if name in taken:
        raise Failure(f"{name} is taken by {file_of(taken[name])}: write another name")


def _youngest(project: Project) -> str:
    """The stack with the highest id, of those that aren't about to leave."""
    stacks = _dialled(project) or {*project.settings}
    return max(stacks, key=lambda stack: project.settings[stack].cluster.id)


def _peers_like(project: Project, model: str) -> Sequence[str] | None:
    """Whom a cluster like `model` dials; where all dial each other, `model` is one of them."""
    named = project.settings[model].peers
    if named is None:
        return None
    members = {model, *named}
    return sorted(members) if _dialled(project) <= members else named


def _dialled(project: Project) -> set[str]:
    """The stacks that some other stack dials; one that leaves is dialled by nobody."""
    return {other for _, other in project.topology.pairs()}


def _with_peers(project: Project, lists: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The files of stacks with other peers, by their names."""
    return {
        file_of(stack): _read(project, stack).with_list("peers", peers).written
        for stack, peers in lists.items()
    }


def _read(project: Project, stack: str) -> StackFile:
    return StackFile.read(project.directory / file_of(stack), project.name)


def _after(
    project: Project, files: Mapping[str, str], lists: Mapping[str, Sequence[str]]
) -> Project:
    """The project with other files, not written yet. Raises Failure when it isn't sound."""
    with tempfile.TemporaryDirectory(prefix="mesh-") as name:
        directory = Path(name)
        for path in project.directory.glob("Pulumi*.yaml"):
            shutil.copy(path, directory)
        for file, text in files.items():
            (directory / file).write_text(text, encoding="utf-8", newline="")
        try:
            settings = sibling_settings(directory, project.name, own_stack="")
        except SettingsError as error:
            # What is wrong with a text that was never written helps nobody.
            lines = [_by_hand(project, stack, peers) for stack, peers in lists.items()]
            unread = "\n".join(lines) if len(lines) == len(files) else str(error)
            raise Failure(_no_way(files, unread)) from None
    after = Project(project.directory, project.name, settings)
    if found := verdict(after).problems:
        raise Failure(_no_way(files, "\n".join(map(str, found))))
    return after


def _by_hand(project: Project, stack: str, peers: Sequence[str]) -> str:
    line = _read(project, stack).line("peers", peers)
    return f"{file_of(stack)}: below `config`, as deep as its other keys: {line}"


def _no_way(files: Mapping[str, str], problems: str) -> str:
    names = ", ".join(files)
    return f"nothing was written, as {names} would not be sound; write by hand:\n{problems}"
