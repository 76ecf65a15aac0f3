"""What the plugin must know of a kind of resource to manage it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lab.vcenter import VCenter
from lab.vsphere_stand_in.wire import Plain

Values = Mapping[str, Plain]


@dataclass(frozen=True, kw_only=True)
class ResourceKind:
    """A kind of resource, as data and plain functions.

    `replaced_by` names the inputs whose change needs a new resource; `computed` the outputs that
    are known only once it exists; `kept` the outputs, with their values, that an update brings
    back. `observe` gives what the vCenter says now, for inputs and computed outputs, or None when
    the resource is gone; `plan` raises what a create would raise.
    """

    arguments: type
    replaced_by: frozenset[str]
    computed: frozenset[str]
    kept: Values
    plan: Callable[[VCenter, Values], None]
    create: Callable[[VCenter, Values], str]
    observe: Callable[[VCenter, str, Values], Values | None]
    update: Callable[[VCenter, str, Values, Values], None]
    delete: Callable[[VCenter, str], None]


def changed(old: Values, new: Values) -> list[str]:
    """The names of inputs that differ, sorted."""
    names = {name for name in old.keys() | new.keys() if not name.startswith("__")}
    return sorted(name for name in names if old.get(name) != new.get(name))
