"""What a killed engine left in vCenter and in the cluster."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass

from cli.cluster import Cluster
from cli.engine import Engine
from cli.failure import Failure
from cli.project import Project
from cli.repair import inside, vsphere
from cli.repair.access import kubeconfig_of
from cli.repair.action import Action
from cli.state import State
from cli.vcenter import VCenter
from mesh.render.api_server import api_server
from mesh.settings import (
    Settings,
    SettingsError,
    config_from_engine,
    file_of,
    password_command,
    settings_from_config,
)

VSPHERE, KUBERNETES = "vsphere:", "kubernetes:"
"""How the types of resources begin that live in vCenter, and in the cluster."""


@dataclass(frozen=True)
class Outside:
    """What to do there, and which side could not be seen to its end: VSPHERE, KUBERNETES."""

    actions: list[Action]
    unseen: frozenset[str]


class Looker:
    """Looks at both sides; what it connects to stays open in `connections` for the actions."""

    def __init__(
        self,
        project: Project,
        engine: Engine,
        stack: str,
        say: Callable[[str], None],
        connections: ExitStack,
    ) -> None:
        self._project, self._engine, self._stack = project, engine, stack
        self._say, self._connections = say, connections

    def look(self, state: State) -> Outside:
        """Compare both sides with the state; one that doesn't answer is told and left."""
        settings, password = self._settings()
        actions: list[Action] = []
        unseen: set[str] = set()
        try:
            found = self._in_vcenter(settings, password, state)
            actions += found.actions
            unseen |= {VSPHERE} if found.unfinished else set()
        except Failure as failure:
            self._say(f"vCenter is not looked at: {failure}")
            unseen.add(VSPHERE)
        try:
            actions += self._in_cluster(settings, state)
        except Failure as failure:
            self._say(f"the cluster is not looked at: {failure}")
            unseen.add(KUBERNETES)
        return Outside(actions, frozenset(unseen))

    def _in_vcenter(
        self, settings: Settings, password: str | None, state: State
    ) -> vsphere.VsphereFindings:
        if not password:
            raise Failure(f"set its password: {password_command(self._stack)}")
        names = settings.vsphere
        self._say(f"looking at vCenter {names.server} …")
        vcenter = VCenter(
            names.server,
            names.user,
            password,
            names.datacenter,
            verify=not names.allow_unverified_tls,
        )
        self._connections.enter_context(closing(vcenter))
        findings = vsphere.look(vcenter, settings, state)
        for note in findings.notes:
            self._say(f"  {note}")
        return findings

    def _in_cluster(self, settings: Settings, state: State) -> list[Action]:
        server = f"https://{api_server(settings)}"
        kubeconfig = kubeconfig_of(state, settings.cluster.name, server)
        if kubeconfig is None:
            self._say("there is no cluster yet")
            return []
        self._say(f"looking at the cluster at {server} …")
        cluster = self._connections.enter_context(closing(Cluster(kubeconfig)))
        return list(inside.look(cluster, state))

    def _settings(self) -> tuple[Settings, str | None]:
        # From the engine and not from the file: an environment of ESC may have added to it.
        config = self._engine.config(self._stack)
        own = config_from_engine(config, self._project.name)
        try:
            settings = settings_from_config(file_of(self._stack), own)
        except SettingsError as error:
            raise Failure(str(error)) from error
        return settings, config.get(f"{self._project.name}:vcenterPassword")
