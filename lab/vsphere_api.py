"""What every use of the vSphere API needs: its classes, reading properties, faults in words."""

import ssl
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pyVmomi

# pyVmomi makes its classes at run time, and its stubs leave every constructor untyped.
ManagedObject: TypeAlias = Any
_api: Any = pyVmomi
vim = _api.vim
vmodl = _api.vmodl
SoapStubAdapter = _api.SoapStubAdapter


def option_values(values: Mapping[str, str]) -> list[Any]:
    """Keys and values as the API's option values, in the order of the keys."""
    return [vim.option.OptionValue(key=key, value=value) for key, value in sorted(values.items())]


def extra_config(options: Sequence[Any]) -> dict[str, str]:
    """The API's option values as keys and values, without empty ones."""
    return {option.key: str(option.value) for option in options if str(option.value)}


def folder_path(found: Mapping[Any, Mapping[str, Any]], folder: ManagedObject) -> str:
    """Where a folder lies below its datacenter's vm folder, such as `mesh/east`."""
    names: list[str] = []
    while folder in found and isinstance(found[folder].get("parent"), vim.Folder):
        names.insert(0, found[folder]["name"])
        folder = found[folder]["parent"]
    return "/".join(names)


def retrieve(
    content: ManagedObject, root: ManagedObject, kinds: Mapping[Any, Sequence[str]]
) -> ManagedObject:
    """Read property paths: the simulator's whole `runtime` or `summary` can't be parsed."""
    collector = vmodl.query.PropertyCollector
    steps = []
    if isinstance(root, vim.view.ContainerView):
        steps = [collector.TraversalSpec(name="view", path="view", skip=False, type=type(root))]
    filters = collector.FilterSpec(
        objectSet=[collector.ObjectSpec(obj=root, skip=bool(steps), selectSet=steps)],
        propSet=[
            collector.PropertySpec(type=kind, pathSet=list(paths), all=False)
            for kind, paths in kinds.items()
        ],
    )
    return content.propertyCollector.RetrieveContents([filters])


def by_object(contents: ManagedObject) -> dict[Any, dict[str, Any]]:
    """What `retrieve` gave, by object and property path."""
    return {
        content.obj: {change.name: change.val for change in content.propSet}
        for content in contents or ()
    }


def reason(fault: ManagedObject) -> str:
    """A fault in words: what it says, else what kind of fault it is and what it names."""
    words = str(fault.msg or "")
    # The simulator says no more than the name of a Go type.
    if words and not words.startswith("*types."):
        return words
    name = getattr(fault, "name", None) or getattr(fault, "invalidProperty", None) or ""
    return f"{type(fault).__name__.rpartition('.')[2]} {name}".strip()


def tls(*, verify: bool) -> ssl.SSLContext:
    """TLS settings that check the server's certificate, or don't."""
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
