"""A small typed client of a vCenter, for the lab's supervisor and its stand-in plugin."""

import http.client
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lab.vsphere_api import (
    ManagedObject,
    SoapStubAdapter,
    by_object,
    extra_config,
    folder_path,
    option_values,
    reason,
    retrieve,
    tls,
    vim,
    vmodl,
)

Result = TypeVar("Result")

API_VERSION = "vim.version.v8_0_3_0"

# A call that takes longer than this is hung: the simulator answers in milliseconds.
CALL_SECONDS = 30
TASK_SECONDS = 300
POLL_SECONDS = 0.1

_MACHINE_PATHS = (
    "name",
    "parent",
    "config.uuid",
    "config.template",
    "config.extraConfig",
    "runtime.powerState",
)


class VCenterError(Exception):
    """A vCenter refused or failed; the text names the server and its reason."""


@dataclass(frozen=True)
class VirtualMachine:
    """One virtual machine as the vCenter sees it; `folder` is relative to the vm folder."""

    name: str
    moid: str
    uuid: str
    powered_on: bool
    extra_config: Mapping[str, str] = field(repr=False)
    folder: str


class VCenter:
    """A session with one vCenter, usable from several threads; it logs in again when needed."""

    def __init__(self, server: str, port: int, user: str, password: str, *, verify: bool) -> None:
        self._server, self._port = server, port
        self._user, self._password = user, password
        self._stub = SoapStubAdapter(
            host=server,
            port=port,
            version=API_VERSION,
            sslContext=tls(verify=verify),
            httpConnectionTimeout=CALL_SECONDS,
        )
        self._lock = threading.Lock()
        self._content: ManagedObject = None
        self._cancelled = threading.Event()

    def virtual_machines(self) -> list[VirtualMachine]:
        """Every virtual machine that isn't a template, by name."""
        kinds = {
            vim.VirtualMachine: _MACHINE_PATHS,
            vim.Folder: ("name", "parent"),
        }
        found = self.objects(kinds)
        machines = [
            _virtual_machine(machine, properties, found)
            for machine, properties in found.items()
            # Half-made machines have no uuid yet.
            if "config.uuid" in properties and not properties["config.template"]
        ]
        return sorted(machines, key=lambda machine: machine.name)

    def set_extra_config(self, moid: str, values: Mapping[str, str]) -> None:
        """Set keys of a virtual machine's extraConfig; an empty value removes its key."""
        machine = self.reference(vim.VirtualMachine, moid)
        held = extra_config(self.properties(machine, "config.extraConfig")["config.extraConfig"])
        # The simulator would add a key that it is asked to remove and doesn't know.
        wanted = {key: value for key, value in values.items() if value or key in held}
        if wanted:
            spec = vim.vm.ConfigSpec(extraConfig=option_values(wanted))
            self.wait(lambda: machine.ReconfigVM_Task(spec=spec))

    def wait(self, start: Callable[[], Any], seconds: float = TASK_SECONDS) -> ManagedObject:
        """Start a task, wait for its end, and give its result.

        The task is polled: waiters that share a session's property collector can lose each
        other's updates in the simulator. Raises VCenterError when it fails, or after `seconds`.
        """
        task = self.call(start)
        end = time.monotonic() + seconds
        while True:
            info = self.properties(task, "info.state", "info.error", "info.result")
            if info["info.state"] == vim.TaskInfo.State.success:
                return info.get("info.result")
            if info["info.state"] == vim.TaskInfo.State.error:
                raise VCenterError(f"{self._server}: {reason(info['info.error'])}")
            if time.monotonic() > end:
                raise VCenterError(f"{self._server}: a task did not end in {seconds:.0f} s")
            if self._cancelled.wait(POLL_SECONDS):
                raise VCenterError(f"{self._server}: cancelled while waiting for a task")

    def cancel(self) -> None:
        """End every wait of this session with an error, now and later."""
        self._cancelled.set()

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        self._stub.DropConnections()

    def objects(
        self, kinds: Mapping[Any, Sequence[str]], root: object = None
    ) -> dict[Any, dict[str, Any]]:
        """The properties of all objects of some kinds below `root`, by object, in one reading."""

        def read() -> ManagedObject:
            content = self._content
            view = content.viewManager.CreateContainerView(
                root or content.rootFolder, list(kinds), recursive=True
            )
            try:
                return retrieve(content, view, kinds)
            finally:
                view.DestroyView()

        return by_object(self.call(read))

    def properties(self, managed_object: object, *paths: str) -> dict[str, Any]:
        """The properties of one object by path; those that aren't set are missing."""

        def read() -> ManagedObject:
            return retrieve(self._content, managed_object, {type(managed_object): paths})

        return by_object(self.call(read)).get(managed_object, {})

    def reference(self, kind: ManagedObject, moid: str) -> ManagedObject:
        """The object of a kind with this managed object ID; nothing is asked yet."""
        return kind(moid, self._stub)

    def machine_by_uuid(self, uuid: str) -> ManagedObject | None:
        """The virtual machine or template with this BIOS uuid, or None."""
        return self.call(
            lambda: self._content.searchIndex.FindByUuid(None, uuid, True, False)  # noqa: FBT003
        )

    def call(self, request: Callable[[], Result]) -> Result:
        """What `request` gives, in a session; every failure is a VCenterError."""
        try:
            with self._lock:
                if self._content is None:
                    self._log_in()
            try:
                return request()
            except vim.fault.NotAuthenticated:
                with self._lock:
                    self._log_in()
                return request()
        except vmodl.MethodFault as fault:
            raise VCenterError(f"{self._server}: {reason(fault)}") from fault
        except (OSError, http.client.HTTPException) as error:
            # A connection of the pool that broke once is not tried again.
            self.close()
            raise VCenterError(
                f"no answer from vCenter {self._server} port {self._port}: {error}"
            ) from error

    def _log_in(self) -> None:
        instance = vim.ServiceInstance("ServiceInstance", self._stub)
        content = instance.RetrieveContent()
        content.sessionManager.Login(self._user, self._password, None)
        self._content = content


def connect(server: str, port: int, user: str, password: str, *, verify: bool = False) -> VCenter:
    """A logged-in session; `verify` checks the server's certificate. Raises VCenterError."""
    vcenter = VCenter(server, port, user, password, verify=verify)
    vcenter.call(lambda: None)
    return vcenter


def _virtual_machine(
    machine: ManagedObject, properties: Mapping[str, Any], found: Mapping[Any, Mapping[str, Any]]
) -> VirtualMachine:
    return VirtualMachine(
        name=properties["name"],
        moid=machine._moId,
        uuid=properties["config.uuid"],
        powered_on=properties["runtime.powerState"] == vim.VirtualMachine.PowerState.poweredOn,
        extra_config=extra_config(properties.get("config.extraConfig", ())),
        folder=folder_path(found, properties.get("parent")),
    )
