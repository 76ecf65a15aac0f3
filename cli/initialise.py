"""`mesh init`: a stack for every stack file, and what is left to do before the first `up`."""

from collections.abc import Callable, Collection, Iterator, Mapping

from cli.engine import Engine
from cli.project import Project
from mesh.settings import SECRET_KEYS


def initialise(project: Project, engine: Engine, say: Callable[[str], None]) -> tuple[str, ...]:
    """Initialise every stack that isn't; what is left to do. A second run changes nothing."""
    there = engine.stacks()
    for stack in project.stacks:
        if stack in there:
            say(f"{stack}: initialised already")
        else:
            engine.initialise(stack)
            say(f"{stack}: initialised")
    keys = {stack: engine.config_keys(stack) for stack in project.stacks}
    return tuple(left_to_do(project.name, keys))


def left_to_do(project_name: str, keys: Mapping[str, Collection[str]]) -> Iterator[str]:
    """The next commands: missing secrets, then the `up`s. `keys` by stack, in the order of `up`."""
    for stack, present in keys.items():
        for secret in SECRET_KEYS:
            if f"{project_name}:{secret}" not in present:
                yield f"pulumi config set --secret {secret} -s {stack}"
    for stack in keys:
        yield f"pulumi up -s {stack}"
