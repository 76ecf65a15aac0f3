"""The texts of a recorded run: what a person reads, and what is compared line by line."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from cli.preview import facts
from cli.preview.machines import natural
from cli.preview.recording import Recording, Resource
from mesh.render.yaml_text import yaml_text

RESOURCES = "resources"


def texts(recording: Recording) -> dict[str, str]:
    """Every text by its name: the tree, the Corefile, Helm releases, objects, user data."""
    machines = sorted(recording.of("VirtualMachine"), key=lambda one: natural(one.name))
    found = {RESOURCES: tree(recording), "Corefile": facts.corefile(recording)}
    for release in recording.of("Release"):
        name = release.inputs.get("name", release.name)
        found[f"Helm release {name}"] = yaml_text(dict(release.inputs))
    found["MetalLB objects"] = _documents(_metallb(recording))
    found["Services"] = _documents(recording.of("Service"))
    found["other objects in the cluster"] = _documents(_others(recording))
    found["vSphere"] = _documents(_vsphere(recording), recording.names)
    for kind in ("userdata", "metadata"):
        for machine in machines:
            boot = machine.inputs.get("extraConfig", {}).get(f"guestinfo.{kind}", "")
            found[f"{kind.replace('data', ' data')} of {machine.name}"] = boot
    found["outputs"] = yaml_text(dict(recording.outputs))
    found["what the program says"] = "".join(f"{message}\n" for message in recording.messages)
    return {name: text for name, text in found.items() if text}


def differences(base: Recording, now: Recording) -> dict[str, str]:
    """Unified diffs by the names of the texts that changed; equal ones share one entry."""
    before, after = texts(base), texts(now)
    by_lines: dict[str, list[str]] = {}
    for name in dict.fromkeys([*after, *before]):
        lines = _diff(before.get(name, ""), after.get(name, ""))
        if lines:
            by_lines.setdefault(lines, []).append(name)
    return {", ".join(names): lines for lines, names in by_lines.items()}


def tree(recording: Recording) -> str:
    """The resources below their parents: type, name, and what is special about them."""
    children: dict[str, list[Resource]] = {}
    keys = {resource.key for resource in recording.resources}
    for resource in recording.resources:
        parent = resource.parent if resource.parent in keys else ""
        children.setdefault(parent, []).append(resource)
    return "".join(f"{line}\n" for line in _branches(children, "", ""))


def like(text: str, other: str, name: str) -> str:
    """A text as the difference from another of the name, when that says it shorter."""
    difference = _diff(other, text)
    return f"as {name}, but:\n{difference}" if len(difference) < len(text) / 2 else text


def _branches(children: Mapping[str, list[Resource]], parent: str, indent: str) -> Iterator[str]:
    for resource in sorted(children.get(parent, ()), key=lambda one: natural(one.name)):
        marks = [mark for mark in ("protect", "retain", "secret") if getattr(resource, mark)]
        suffix = f"  [{', '.join(marks)}]" if marks else ""
        yield f"{indent}{resource.type}  {resource.name}{suffix}"
        yield from _branches(children, resource.key, f"{indent}  ")


def _metallb(recording: Recording) -> Iterator[Resource]:
    return (one for one in recording.resources if one.type.startswith("kubernetes:metallb.io/"))


def _others(recording: Recording) -> Iterator[Resource]:
    for one in recording.resources:
        shown = one.kind in {"Release", "Service"} or "metallb.io/" in one.type
        is_corefile = "Corefile" in one.inputs.get("data", {})
        if one.type.startswith("kubernetes:") and not shown and not is_corefile:
            yield one


def _vsphere(recording: Recording) -> Iterator[Resource]:
    return (one for one in recording.resources if one.type.startswith(("vsphere:", "pulumi:prov")))


def _documents(resources: Iterator[Resource], *first: Mapping[str, Any]) -> str:
    documents = [dict(document) for document in first]
    documents += [
        {key: value for key, value in resource.inputs.items() if key != "extraConfig"}
        for resource in sorted(resources, key=lambda one: (one.kind, natural(one.name)))
    ]
    return yaml_text(*documents) if documents else ""


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[2:])  # without the names of files
