"""What the explicit provider resource of the program says: server, user and password."""

import json
from collections.abc import Mapping

import pulumi_vsphere

from lab.vcenter import VCenter, VCenterError, connect
from lab.vsphere_stand_in.inputs import Failure, arguments_of, failures
from lab.vsphere_stand_in.resource_kind import Values
from lab.vsphere_stand_in.wire import UNKNOWN, Plain

_NEEDED = ("user", "password", "vsphereServer")
_PORT = 443


def configuration_failures(inputs: Values) -> list[Failure]:
    """Everything that is wrong with the inputs of a provider."""
    values = {name: value for name, value in inputs.items() if name != "version"}
    missing = [Failure(name, "is required and was not given") for name in _NEEDED]
    found = failures(arguments_of(pulumi_vsphere.ProviderArgs), _typed(values))
    return found + [failure for failure in missing if failure.path not in values]


def connected(inputs: Values) -> VCenter:
    """A session with the configured vCenter. Raises VCenterError."""
    if missing := [name for name in _NEEDED if name not in inputs]:
        raise VCenterError(f"the vSphere provider needs {', '.join(missing)}")
    values = _typed(inputs)
    server, _, port = str(values["vsphereServer"]).partition(":")
    return connect(
        server,
        int(port or _PORT),
        values["user"],
        values["password"],
        verify=not values.get("allowUnverifiedSsl", False),
    )


def _typed(inputs: Values) -> Mapping[str, Plain]:
    """A provider's inputs that aren't strings come as JSON texts."""
    declared = arguments_of(pulumi_vsphere.ProviderArgs).types
    return {
        name: value if declared.get(name, str) is str else _from_json(value)
        for name, value in inputs.items()
    }


def _from_json(value: Plain) -> Plain:
    if not isinstance(value, str) or value is UNKNOWN:
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        return value
