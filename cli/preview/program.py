"""A whole run of a project's program on the mock engine, and everything that came of it."""

import asyncio
import json
import logging
import runpy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pulumi
import pulumi.runtime
import yaml
from pulumi.runtime import settings
from pulumi.runtime.stack import run_in_stack

from cli.preview.mocks import RecordingMonitor, Registered, World, WorldMocks, end_tasks

_PASSWORD = "vcenterPassword"  # noqa: S105 - the name of it


@dataclass(frozen=True)
class Run:
    """What a whole run of the program asked the engine for, exported and said."""

    monitor: RecordingMonitor
    messages: list[str]

    @property
    def made(self) -> list[Registered]:
        """Every resource but the stack itself."""
        return [one for one in self.monitor.registered if one.type != "pulumi:pulumi:Stack"]

    @property
    def custom(self) -> list[Registered]:
        """The resources that a provider makes, without the components around them."""
        return [one for one in self.made if one.request.custom]

    @property
    def outputs(self) -> dict[str, Any]:
        """What the stack exports, with the marks of secrets."""
        found: dict[str, Any] = next(
            outputs
            for urn, outputs in self.monitor.component_outputs.items()
            if "::pulumi:pulumi:Stack::" in urn
        )
        return found

    def of(self, kind: str) -> list[Registered]:
        """The resources of a kind, such as `VirtualMachine`."""
        return [one for one in self.made if one.type.rpartition(":")[2] == kind]

    def one(self, name: str) -> Registered:
        """The only resource of a name."""
        [found] = [one for one in self.made if one.name == name]
        return found


def project_name(project: Path) -> str:
    """The name in Pulumi.yaml."""
    return str(yaml.safe_load((project / "Pulumi.yaml").read_text(encoding="utf-8"))["name"])


def config_of(project: Path, stack: str, password: str) -> dict[str, str]:
    """The configuration that the engine would hand to the program, with a made-up password."""
    document = yaml.safe_load((project / "Pulumi.yaml").read_text(encoding="utf-8"))
    own = yaml.safe_load((project / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8"))
    name = document["name"]
    shared = {key: _value(value) for key, value in (document.get("config") or {}).items()}
    config: dict[str, Any] = {}
    for written in (shared, (own or {}).get("config") or {}):
        config |= {key if ":" in key else f"{name}:{key}": v for key, v in written.items()}
    config[f"{name}:{_PASSWORD}"] = password
    return {key: _text(value) for key, value in config.items()}


def _text(value: object) -> str:
    """The engine hands over groups and lists as JSON, and nothing as an empty text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _value(written: Any) -> Any:  # noqa: ANN401 - whatever a user wrote
    """In the project file a value may stand in a `value:` or a `default:`."""
    wrapped = written if isinstance(written, dict) else {"value": written}
    return wrapped.get("value", wrapped.get("default", written))


def run_program(
    project: Path, stack: str, config: Mapping[str, str], world: World, *, preview: bool
) -> Run:
    """Run `__main__.py` of a project for a stack.

    What the program raises comes out as it would in the engine, with the resources registered
    until then as its attribute `monitor`.
    """
    messages: list[str] = []
    loop = asyncio.new_event_loop()
    # What an output ended with, that nobody asked for, the garbage collector would print at any
    # moment, also while Python compiles, which Python 3.11 takes badly (SystemError).
    loop.set_exception_handler(lambda *_: None)
    asyncio.set_event_loop(loop)
    name = project_name(project)
    monitor = RecordingMonitor(WorldMocks(world))
    _enter_mocks(monitor, name, stack, preview, messages)
    settings.SETTINGS.root_directory = str(project)  # pyright: ignore[reportAttributeAccessIssue]
    pulumi.runtime.set_all_config(dict(config), [f"{name}:{_PASSWORD}"])
    try:
        # What the language host itself does: the program's errors come out as they would there.
        loop.run_until_complete(run_in_stack(partial(_main, project)))
    except BaseException as error:
        error.add_note("\n".join(messages))
        error.monitor = monitor  # type: ignore[attr-defined] # pyright: ignore
        raise
    finally:
        end_tasks(loop)
        loop.close()
        asyncio.set_event_loop(None)
    return Run(monitor, messages)


def _enter_mocks(
    monitor: RecordingMonitor,
    name: str,
    stack: str,
    preview: bool,  # noqa: FBT001 - passed on
    messages: list[str],
) -> None:
    logger = logging.Logger("pulumi")
    handler = logging.Handler()
    logger.setLevel(logging.INFO)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    settings.reset_options()
    pulumi.runtime.set_mocks(
        monitor.mocks, name, stack, preview, logger, monitor, organization="organization"
    )
    settings.SETTINGS.outputs.clear()  # pyright: ignore[reportAttributeAccessIssue]
    settings.ROOT.set(None)  # set_mocks makes a root stack that is finished already
    monitor.registered.clear()
    monitor.component_outputs.clear()


def _main(project: Path) -> None:
    runpy.run_path(str(project / "__main__.py"), run_name="__main__")
