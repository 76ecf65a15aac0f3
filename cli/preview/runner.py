"""Runs a project's program in a process of its own, and says as JSON what it would build.

It reads `{project, stack, meshCa}` and answers with a recording or `{"refused": words}`. The
program's own modules come from the project's directory, this one from where it was started:
so an older program is looked at with the same eyes as today's. Hence nothing here, or imported
from here, may import the program's modules.
"""

import contextlib
import json
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pulumi
from google.protobuf import json_format  # type: ignore[import-untyped]

from cli.preview.masks import Masks
from cli.preview.mocks import SECRET, Registered, World, unwrap
from cli.preview.program import Run, config_of, project_name, run_program
from cli.preview.recording import Recording, Resource


def main() -> None:
    """Answer the one request on standard input."""
    request = json.load(sys.stdin)
    project = Path(request["project"])
    sys.path.insert(0, str(project))
    # What the program prints is no answer.
    with contextlib.redirect_stdout(sys.stderr):
        answer = _answer(project, request["stack"], request["meshCa"])
    sys.stdout.write(answer)


def _answer(project: Path, stack: str, mesh_ca: Mapping[str, str]) -> str:
    try:
        return record(project, stack, mesh_ca).as_json()
    except pulumi.RunError as error:
        return json.dumps({"refused": str(error)})
    except Exception as error:
        words = "".join(traceback.format_exception_only(error)).strip()
        return json.dumps({"refused": f"the program stops with an error of Python, {words}"})


def record(project: Path, stack: str, mesh_ca: Mapping[str, str]) -> Recording:
    """The recording of a stack whose peers are what their files plan, under one mesh CA."""
    config = config_of(project, stack, password="asked-of-nobody")  # noqa: S106 - never sent
    world = World(exports={name: {"meshCa": dict(mesh_ca)} for name in _stacks(project)})
    run = run_program(project, stack, config, world, preview=False)
    masks = Masks(run)
    resources = (_resource(registered, masks) for registered in run.made)
    return Recording(
        stack=stack,
        resources=tuple(sorted(resources, key=lambda resource: resource.key)),
        outputs=masks.value(run.outputs),
        messages=tuple(sorted(masks.text(message) for message in run.messages)),
        names=dict(_names(run)),
        zones=dict(_zones(project)),
    )


def _resource(registered: Registered, masks: Masks) -> Resource:
    request = registered.request
    inputs = masks.value(registered.inputs)
    if "extraConfig" in inputs:
        inputs["extraConfig"] = masks.guestinfo(unwrap(registered.inputs["extraConfig"]))
    return Resource(
        type=registered.type,
        name=registered.name,
        parent=_key(request.parent),
        provider=_key(request.provider.rpartition("::")[0]),
        custom=request.custom,
        protect=request.protect,
        retain=request.retainOnDelete,
        secret=SECRET in json.dumps(registered.inputs),
        inputs=inputs,
    )


def _key(urn: str) -> str:
    if not urn:
        return ""
    *_, kind, name = urn.split("::")
    return f"{kind.rpartition('$')[2]}::{name}"


def _names(run: Run) -> Iterator[tuple[str, str]]:
    for call in run.monitor.calls:
        asked: dict[str, Any] = json_format.MessageToDict(call.args)
        yield call.tok.rpartition(":get")[2], asked.get("name") or asked.get("path") or ""


def _zones(project: Path) -> Iterator[tuple[str, str]]:
    name = project_name(project)
    for stack in _stacks(project):
        # As the program read them, which took all files: with the namespace and without it.
        config = config_of(project, stack, "")
        cluster, dns = json.loads(config[f"{name}:cluster"]), config.get(f"{name}:dns", "{}")
        yield cluster["zone"], cluster["name"]
        for namespace in json.loads(dns).get("namespaces", ()):
            yield f"{namespace}.svc.cluster.local", cluster["name"]


def _stacks(project: Path) -> list[str]:
    files = sorted(project.glob("Pulumi.*.yaml"))
    return [path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in files]


if __name__ == "__main__":
    main()
