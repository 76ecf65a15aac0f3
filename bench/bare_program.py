"""The rival of the program: the same resources, registered one after another from a list."""

import json
from pathlib import Path
from typing import Any, cast

import pulumi
import pulumi_kubernetes  # noqa: F401 - a program written by hand imports both packages, and
import pulumi_vsphere  # noqa: F401 - that takes its time
from google.protobuf import json_format  # type: ignore[import-untyped]
from pulumi import Output, ResourceOptions

from cli.preview.mocks import Registered, World, is_secret
from cli.preview.program import Run


def write_list(run: Run, file: Path) -> None:
    """Keep what a run of the program registered and asked, in its order, as `bare` reads it."""
    answers = World().answers
    questions = [
        {
            "token": call.tok,
            "args": json_format.MessageToDict(call.args),
            "answer": answers[call.tok],
        }
        for call in run.monitor.calls
    ]
    resources = [_entry(resource) for resource in run.made]
    file.write_text(json.dumps({"questions": questions, "resources": resources}))


def bare(file: Path, references: list[str]) -> None:
    """Read other stacks, then ask and register what the list has; no settings, keys or texts."""
    document = json.loads(file.read_text())
    made: dict[str, pulumi.Resource] = {}
    real: dict[str, Any] = {}
    for stack in references:
        pulumi.StackReference(stack, stack_name=f"organization/{pulumi.get_project()}/{stack}")
    for entry in document["resources"]:
        resource = _register(entry, made, real)
        made[entry["key"]] = resource
        if entry["type"] == "pulumi:providers:vsphere":
            real |= _asked(document["questions"], cast("pulumi.ProviderResource", resource))


def _asked(questions: list[dict[str, Any]], vcenter: pulumi.ProviderResource) -> dict[str, Any]:
    """What the vCenter calls each thing, by what the mock engine called it."""
    real: dict[str, Any] = {}
    for question in questions:
        options = pulumi.InvokeOptions(provider=vcenter)
        args = {key: real.get(value, value) for key, value in question["args"].items()}
        answer = pulumi.runtime.invoke(question["token"], args, options).value
        mock = question["answer"]
        real |= {mock[key]: answer[key] for key in mock if isinstance(mock[key], str)}
    return real


def _register(
    entry: dict[str, Any], made: dict[str, pulumi.Resource], real: dict[str, Any]
) -> pulumi.Resource:
    kind, name, inputs = entry["type"], entry["name"], _inputs(entry["inputs"], real)
    options = _options(entry, made)
    if kind.startswith("pulumi:providers:"):
        return pulumi.ProviderResource(kind.rpartition(":")[2], name, inputs, options)
    if entry["custom"]:
        return pulumi.CustomResource(kind, name, inputs, options)
    return pulumi.ComponentResource(kind, name, {}, options)


def _options(entry: dict[str, Any], made: dict[str, pulumi.Resource]) -> ResourceOptions:
    provider = made.get(entry["provider"])
    return ResourceOptions(
        parent=made.get(entry["parent"]),
        provider=provider if isinstance(provider, pulumi.ProviderResource) else None,
        depends_on=[made[key] for key in entry["dependencies"] if key in made],
        deleted_with=made.get(entry["deletedWith"]),
        protect=entry["protect"] or None,
        retain_on_delete=entry["retain"] or None,
        ignore_changes=entry["ignoreChanges"],
        additional_secret_outputs=entry["secretOutputs"],
    )


def _entry(resource: Registered) -> dict[str, Any]:
    request = resource.request
    return {
        "key": f"{resource.type}::{resource.name}",
        "type": resource.type,
        "name": resource.name,
        "custom": request.custom,
        "inputs": resource.inputs,
        "parent": _key(request.parent),
        "provider": _key(request.provider.rpartition("::")[0]),
        "dependencies": [_key(urn) for urn in request.dependencies],
        "deletedWith": _key(request.deletedWith),
        "protect": request.protect,
        "retain": request.retainOnDelete,
        "ignoreChanges": list(request.ignoreChanges),
        "secretOutputs": list(request.additionalSecretOutputs),
    }


def _key(urn: str) -> str:
    return "::".join(urn.split("::")[-2:]).rpartition("$")[2] if urn else ""


def _inputs(value: Any, real: dict[str, Any]) -> Any:  # noqa: ANN401 - whatever was recorded
    if is_secret(value):
        return Output.secret(_inputs(value["value"], real))
    if isinstance(value, dict):
        return {key: _inputs(inner, real) for key, inner in value.items()}
    if isinstance(value, list):
        return [_inputs(inner, real) for inner in value]
    return real.get(value, value) if isinstance(value, str) else value
