"""The little of vCenter that a repair looks at and takes away."""

import http.client
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import pyVmomi

from cli.failure import Failure
from cli.repair.machines import Machine

# pyVmomi makes its classes at run time, and its stubs leave every constructor untyped.
_api: Any = pyVmomi
vim, vmodl = _api.vim, _api.vmodl
Result = TypeVar("Result")

_CALL_SECONDS = 30
_TASK_SECONDS = 300
_POLL_SECONDS = 0.5
_MACHINE = ("name", "config.uuid", "config.extraConfig", "runtime.powerState")


class VCenter:
    """A session with one vCenter, in one datacenter; every failure is a Failure naming it."""

    def __init__(
        self, server: str, user: str, password: str, datacenter: str, *, verify: bool
    ) -> None:
        self._server = server
        host, _, port = server.partition(":")
        self._stub = _api.SoapStubAdapter(
            host=host,
            port=int(port or 443),
            version="vim.version.v8_0_0_0",
            sslContext=_tls(verify=verify),
            httpConnectionTimeout=_CALL_SECONDS,
        )
        self._content = self._call(lambda: self._log_in(user, password))
        self._datacenter_name = datacenter
        try:
            self._datacenter = self._named(vim.Datacenter, datacenter, self._content.rootFolder)
        except Failure:
            self.close()
            raise

    def machines(self, folder: str) -> list[Machine]:
        """The machines that lie directly in a folder, by name; none when it isn't there."""
        found = self._folder(folder)
        children = self._children(found) if found else []
        own = [child for child in children if isinstance(child, vim.VirtualMachine)]
        machines = [_machine(child, self._properties(child, *_MACHINE)) for child in own]
        return sorted(machines, key=lambda machine: machine.name)

    def folder_members(self, folder: str) -> set[str] | None:
        """The managed object ids of what lies in a folder, or None when it isn't there."""
        found = self._folder(folder)
        return None if found is None else {child._moId for child in self._children(found)}

    def destroy_machine(self, machine: Machine) -> None:
        """Power a machine off and delete it with its disks."""
        found = vim.VirtualMachine(machine.moid, self._stub)
        if machine.powered_on:
            self._wait(found.PowerOffVM_Task)
        self._wait(found.Destroy_Task)

    def destroy_folder(self, folder: str) -> None:
        """Delete an empty folder. Raises Failure when something lies in it by now."""
        if self.folder_members(folder):  # destroying a folder destroys what is in it
            raise Failure(f"folder {folder} is not empty: look at what lies in it")
        found = self._folder(folder)
        if found:
            self._wait(found.Destroy_Task)

    def has_rule(self, cluster: str, rule: str) -> bool:
        """Whether a compute cluster of the datacenter has a rule of this name."""
        return any(one.name == rule for one in self._rules(self._compute(cluster)))

    def remove_rule(self, cluster: str, rule: str) -> None:
        """Remove a compute cluster's rule of this name."""
        found = self._compute(cluster)
        keys = [one.key for one in self._rules(found) if one.name == rule]
        specs = [vim.cluster.RuleSpec(operation="remove", removeKey=key) for key in keys]
        change = vim.cluster.ConfigSpecEx(rulesSpec=specs)
        self._wait(lambda: found.ReconfigureComputeResource_Task(spec=change, modify=True))

    def close(self) -> None:
        """Log out and close the connections; neither may fail the command any more."""
        try:
            self._call(self._content.sessionManager.Logout)
        except Failure:
            pass
        finally:
            self._stub.DropConnections()

    def _log_in(self, user: str, password: str) -> Any:  # noqa: ANN401 - pyVmomi is untyped
        content = vim.ServiceInstance("ServiceInstance", self._stub).RetrieveContent()
        content.sessionManager.Login(user, password, None)
        return content

    def _compute(self, name: str) -> Any:  # noqa: ANN401
        # Another datacenter may have a compute cluster of the same name.
        where = f" in datacenter {self._datacenter_name}"
        return self._named(vim.ClusterComputeResource, name, self._datacenter, where)

    def _named(self, kind: Any, name: str, inside: Any, where: str = "") -> Any:  # noqa: ANN401
        last = name.rstrip("/").rpartition("/")[2]
        for found in self._all(kind, inside):
            if self._properties(found, "name").get("name") == last:
                return found
        what = kind.__name__.rpartition(".")[2]
        raise Failure(f"vCenter {self._server}: there is no {what} {name}{where}")

    def _all(self, kind: Any, inside: Any) -> list[Any]:  # noqa: ANN401
        def read() -> list[Any]:
            manager = self._content.viewManager
            view = manager.CreateContainerView(inside, [kind], True)  # noqa: FBT003
            try:
                return list(view.view)
            finally:
                view.DestroyView()

        return self._call(read)

    def _folder(self, path: str) -> Any:  # noqa: ANN401
        found = self._properties(self._datacenter, "vmFolder")["vmFolder"]
        for name in filter(None, path.split("/")):
            inside = [child for child in self._children(found) if isinstance(child, vim.Folder)]
            named = (one for one in inside if self._properties(one, "name")["name"] == name)
            found = next(named, None)
            if found is None:
                return None
        return found

    def _children(self, folder: Any) -> list[Any]:  # noqa: ANN401
        return list(self._properties(folder, "childEntity").get("childEntity") or ())

    def _rules(self, cluster: Any) -> list[Any]:  # noqa: ANN401
        return list(self._properties(cluster, "configurationEx")["configurationEx"].rule or ())

    def _properties(self, item: Any, *paths: str) -> dict[str, Any]:  # noqa: ANN401
        def read() -> Sequence[Any]:
            collector = vmodl.query.PropertyCollector
            filters = collector.FilterSpec(
                objectSet=[collector.ObjectSpec(obj=item)],
                propSet=[collector.PropertySpec(type=type(item), pathSet=list(paths))],
            )
            return list(self._content.propertyCollector.RetrieveContents([filters]) or ())

        return {change.name: change.val for one in self._call(read) for change in one.propSet}

    def _wait(self, start: Callable[[], Any]) -> None:
        task, end = self._call(start), time.monotonic() + _TASK_SECONDS
        while time.monotonic() < end:
            info = self._properties(task, "info.state", "info.error")
            if info["info.state"] == vim.TaskInfo.State.success:
                return
            if info["info.state"] == vim.TaskInfo.State.error:
                raise Failure(f"vCenter {self._server}: {_reason(info['info.error'])}")
            time.sleep(_POLL_SECONDS)
        raise Failure(f"vCenter {self._server}: a task did not end in {_TASK_SECONDS} s")

    def _call(self, request: Callable[[], Result]) -> Result:
        try:
            return request()
        except vmodl.MethodFault as fault:
            raise Failure(f"vCenter {self._server}: {_reason(fault)}") from fault
        except (OSError, http.client.HTTPException) as error:
            raise Failure(f"no answer from vCenter {self._server}: {error}") from error


def _machine(found: Any, properties: Mapping[str, Any]) -> Machine:  # noqa: ANN401
    options = properties.get("config.extraConfig") or ()
    on = vim.VirtualMachine.PowerState.poweredOn
    return Machine(
        moid=found._moId,
        name=properties["name"],
        uuid=properties.get("config.uuid"),
        powered_on=properties.get("runtime.powerState") == on,
        guestinfo={one.key: str(one.value) for one in options if one.key.startswith("guestinfo.")},
    )


def _reason(fault: Any) -> str:  # noqa: ANN401
    words = str(fault.msg or "")
    # The simulator says no more than the name of a Go type.
    return words if words and not words.startswith("*types.") else type(fault).__name__


def _tls(*, verify: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
