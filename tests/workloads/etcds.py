"""A stretched etcd of real processes, one machine for each member."""

import base64
import json
import socket
import ssl
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

from tests.dns.hosts import running
from tests.mesh.workloads.handshakes import client_context
from tests.workloads.machines import Machines
from tests.workloads.members import Process, job, pod


@dataclass
class StretchedEtcd:
    """The members that can be started and killed, and what clients of each site may do."""

    machines: Machines
    programs: Path
    started: dict[str, ExitStack] = field(default_factory=dict)

    def start(self, name: str) -> None:
        """Start one member with exactly what its manifest says."""
        site, number = self.machines.place(name)
        process = pod(self.machines.workload, site, number)
        volume = self.machines.directory / name / "var/lib"
        volume.mkdir(parents=True, exist_ok=True)
        process = process.moved("/certificates/", self.machines.of_members(site))
        process = process.moved("/var/lib/", volume.parents[1])
        self.started[name] = ExitStack()
        log = self.machines.directory / name / "log"
        self.started[name].enter_context(running(self._command(name, process), log))

    def stop(self, name: str) -> None:
        """Kill one member; its volume stays."""
        self.started.pop(name).close()

    def end(self) -> None:
        """Kill all that run."""
        for name in [*self.started]:
            self.stop(name)

    def task(self, name: str, task: str) -> list[str]:
        """The command line of a Job, on the machine of a member."""
        site, _ = self.machines.place(name)
        process = job(self.machines.workload, site, task)
        return self._command(name, process.moved("/certificates/", self.machines.of_clients(site)))

    def ask(self, name: str, path: str, **words: str) -> Any:
        """What a member answers a client of its own site, by its name in the mesh."""
        return self.machines.hosts[name].run(partial(self._ask, name, path, words))

    def _command(self, name: str, process: Process) -> list[str]:
        variables = [f"{key}={value}" for key, value in process.environment.items()]
        words = [str(self.programs / process.words[0]), *process.words[1:]]
        host, resolver = self.machines.hosts[name], self.machines.resolver
        return host.command("env", *variables, *words, resolver=resolver)

    def _ask(self, name: str, path: str, words: dict[str, str]) -> Any:
        site, _ = self.machines.place(name)
        secret = self.machines.of_clients(site) / "certificates"
        files = {one.name: one.read_text() for one in secret.iterdir()}
        context = client_context(files, "client", self.machines.directory)
        body = {key: base64.b64encode(value.encode()).decode() for key, value in words.items()}
        connection = _ByAddress(self.machines.hosts[name].address, name, context)
        try:
            connection.request("POST", path, json.dumps(body))
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


class _ByAddress(HTTPSConnection):
    """A connection to an address that must prove to have the name."""

    def __init__(self, address: str, name: str, context: ssl.SSLContext) -> None:
        super().__init__(name, 2379, timeout=20, context=context)
        self._address, self._tls = address, context

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self.port), self.timeout)
        self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)
